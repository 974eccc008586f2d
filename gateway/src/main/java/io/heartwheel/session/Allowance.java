package io.heartwheel.session;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Grant;
import io.heartwheel.wheel.Deadline;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Allowance of one session, if it is not the ordinary: its grant, until when, and how much it may send now. Most sessions have none, so the fields stand here.
 *
 * <p>Immutable, but for what it may send, which is the loop's alone. Any thread.
 */
final class Allowance {
    private static final Allowance ORDINARY = new Allowance(null, NO_DEADLINE, NO_DEADLINE, NO_DEADLINE, null, null);
    /** Newer tokens of one device are looked at once in this time in the long run, and so many at once. */
    private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int RENEWALS_AT_ONCE = 5;
    /** Whoever is admitted for longer is so for good. */
    private static final long LONGEST_MILLIS = TimeUnit.DAYS.toMillis(36_500);

    private final @Nullable Grant grant;
    private final long expiryNanos;
    private final long warningNanos;
    /** When the next newer token would come, were all evenly spaced; {@link Deadline#NO_DEADLINE} if none has come. */
    private final long renewalNanos;
    /** Set while a newer token is being checked, or the device waits for its id. */
    private final @Nullable AuthCall check;

    /** Set while the peer sends quickly. */
    @Nullable
    TokenBucket bucket;

    private Allowance(
            @Nullable Grant grant,
            long expiryNanos,
            long warningNanos,
            long renewalNanos,
            @Nullable AuthCall check,
            @Nullable TokenBucket bucket) {
        this.grant = grant;
        this.expiryNanos = expiryNanos;
        this.warningNanos = warningNanos;
        this.renewalNanos = renewalNanos;
        this.check = check;
        this.bucket = bucket;
    }

    /**
     * What a device was admitted with.
     *
     * @param warns whether it is to be told before it expires
     * @param warnBeforeNanos by so much before, or by a third of its time if that is less: a token that was short of it from the beginning would be renewed
     *     again and again
     * @param before how much was sent, and renewed, before
     * @return null if it is the ordinary
     */
    static @Nullable Allowance of(
            AuthResult.Admitted admitted,
            boolean warns,
            long warnBeforeNanos,
            long nowNanos,
            long nowMillis,
            @Nullable Allowance before) {
        Allowance from = orOrdinary(before);
        long expiryNanos = NO_DEADLINE;
        long warningNanos = NO_DEADLINE;
        long leftMillis = admitted.expiresAtMillis() - Math.max(0, nowMillis);
        if (leftMillis < LONGEST_MILLIS) {
            long leftNanos = TimeUnit.MILLISECONDS.toNanos(leftMillis);
            expiryNanos = Deadline.after(nowNanos, leftNanos);
            warningNanos = warns
                    ? Deadline.after(nowNanos, leftNanos - Math.min(warnBeforeNanos, leftNanos / 3))
                    : NO_DEADLINE;
        }
        return orNull(admitted.grant(), expiryNanos, warningNanos, from.renewalNanos, null, from.bucket);
    }

    private static @Nullable Allowance orNull(
            @Nullable Grant grant,
            long expiryNanos,
            long warningNanos,
            long renewalNanos,
            @Nullable AuthCall check,
            @Nullable TokenBucket bucket) {
        boolean ordinary = grant == null
                && expiryNanos == NO_DEADLINE
                && renewalNanos == NO_DEADLINE
                && check == null
                && bucket == null;
        return ordinary ? null : new Allowance(grant, expiryNanos, warningNanos, renewalNanos, check, bucket);
    }

    private static Allowance orOrdinary(@Nullable Allowance allowance) {
        return allowance == null ? ORDINARY : allowance;
    }

    /** The same with this bucket; null if nothing is left of it. */
    static @Nullable Allowance withBucket(@Nullable Allowance before, @Nullable TokenBucket bucket) {
        Allowance from = orOrdinary(before);
        return orNull(from.grant, from.expiryNanos, from.warningNanos, from.renewalNanos, from.check, bucket);
    }

    /** The same, while this newer token is being checked. */
    static Allowance renewing(@Nullable Allowance before, AuthCall check, long nowNanos) {
        Allowance from = orOrdinary(before);
        boolean rested = from.renewalNanos == NO_DEADLINE || nowNanos - from.renewalNanos > 0;
        long nextNanos = Deadline.after(rested ? nowNanos : from.renewalNanos, RENEWAL_NANOS);
        return new Allowance(from.grant, from.expiryNanos, from.warningNanos, nextNanos, check, from.bucket);
    }

    /** Whether a newer token is looked at now: five at once, and then one a second. A device that is in is not limited by its source. */
    boolean mayRenew(long nowNanos) {
        return renewalNanos == NO_DEADLINE || renewalNanos - nowNanos <= (RENEWALS_AT_ONCE - 1) * RENEWAL_NANOS;
    }

    /** The same with this check; null if nothing is left of it. */
    static @Nullable Allowance withCheck(@Nullable Allowance before, @Nullable AuthCall check) {
        Allowance from = orOrdinary(before);
        return orNull(from.grant, from.expiryNanos, from.warningNanos, from.renewalNanos, check, from.bucket);
    }

    /** The same, once a check was in vain. After its end there is no other: a check that ended with it takes its place. */
    static @Nullable Allowance withoutCheck(@Nullable Allowance before, long nowNanos) {
        if (before == null || !before.isOver(nowNanos)) {
            return withCheck(before, null);
        }
        return withCheck(before, AuthCall.ofNobody(before.expiryNanos));
    }

    /** The same, once it was told. */
    Allowance warned() {
        return new Allowance(grant, expiryNanos, NO_DEADLINE, renewalNanos, check, bucket);
    }

    /** What is granted beside the ordinary; null if nothing is. */
    @Nullable
    Grant grant() {
        return grant;
    }

    /** The newer token that is being checked; while the device waits for its id, what it said in HELLO. */
    @Nullable
    AuthCall check() {
        return check;
    }

    /** When it ends; {@link io.heartwheel.wheel.Deadline#NO_DEADLINE} if it does not. A token that is being checked has its time. */
    long expiryNanos() {
        if (expiryNanos == NO_DEADLINE || check == null) {
            return expiryNanos;
        }
        return check.deadlineNanos() - expiryNanos > 0 ? check.deadlineNanos() : expiryNanos;
    }

    /** Whether it has ended, whatever is being checked. */
    boolean isOver(long nowNanos) {
        return expiryNanos != NO_DEADLINE && nowNanos - expiryNanos >= 0;
    }

    /** When the peer is told of it; {@link io.heartwheel.wheel.Deadline#NO_DEADLINE} if it is not. */
    long warningNanos() {
        return warningNanos;
    }

    /** How long it lasts, not counting a check, milliseconds: 1 or more, or 0 if it does not end. */
    long leftMillis(long nowNanos) {
        return expiryNanos == NO_DEADLINE ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(expiryNanos - nowNanos));
    }
}

package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * True history of one connection, as the oracle knows it: events, told by the world in the order in which they happened, and from them what is due
 * between which times. Times are nanoseconds since the world began.
 */
final class TrueHistory {
    /** True state of the connection. */
    enum Stage {
        HANDSHAKE,
        AUTHENTICATING,
        CLAIMING,
        ESTABLISHED,
        LEAVING,
        CLOSED,
        GONE
    }

    private static final long NEVER = Long.MAX_VALUE;
    private static final long LINGER_NANOS = 1_000_000_000;
    private static final long MOST_LINGER_NANOS = 30 * LINGER_NANOS;
    /** How long an answer is waited for where handshakes may take any time. */
    private static final long MOST_ANSWER_NANOS = 30_000_000_000L;
    /** Newer tokens: so many are looked at at once, and then one in this time. */
    private static final int RENEWALS_AT_ONCE = 5;

    private static final long RENEWAL_NANOS = 1_000_000_000;
    /** What closes nobody may be so much later at most. */
    private static final long MOST_SLACK_NANOS = 1_000_000_000;

    final int number;
    final String device;
    final TrueStalls.OfLoop loop;
    private final Oracle oracle;
    private final Rules rules;

    Stage stage = Stage.HANDSHAKE;
    final long openedNanos;
    private boolean plain;
    private long intervalNanos;

    // silence
    private long lastFrameNanos;
    /** When silence began to count as it does now: after a frame, a pause, a hold. */
    private long silenceArmedNanos;

    private long probedNanos = NEVER;
    private long suspectNanos = NEVER;
    /** When it was asked first since it is suspect. */
    long firstAskedNanos;

    private boolean perhapsNoSuspect;
    /** While it is dead: when it was last seen so. For {@link Incidents}. */
    long @Nullable [] death;

    /** Whether the breaker may take it for one of many. */
    boolean mayBeHeld = true;
    /** Its network. */
    int subnet;

    // a frame begun
    private int partialBytes;
    /** Up to when what came of it is as much as it has to be. */
    private long partialCoveredNanos;

    private long partialByteNanos;
    private long partialArmedNanos;

    // what we send
    private boolean pending;
    private long progressNanos;
    private long clearedNanos;
    private long lastOutNanos;
    private long pausedNanos;
    private boolean unheard;
    private long unheardNanos;

    private long askedNanos;
    /** Among the established: the group it is in; else -1. */
    int group = -1;

    // what it was admitted with
    private long expiryNanos = NEVER;
    private long expiryArmedNanos;
    private long warningNanos = NEVER;
    /** A newer token is being checked, until then at the most. */
    private long checkedUntilNanos = NEVER;

    private boolean checkedInVain;
    /** Up to when the newer tokens that were looked at would have come, were all evenly spaced. */
    private long renewedNanos;

    // the end
    private long establishedNanos;
    private long leaveNanos = NEVER;
    private final Set<CloseReason> orders = EnumSet.noneOf(CloseReason.class);
    private long orderedNanos = NEVER;
    boolean hungUp;
    private long closedNanos;
    /** Since when nothing came behind the end. */
    private long quietNanos;

    private long quietArmedNanos;
    /** Its last frame waits behind others. */
    private boolean owes;

    @Nullable
    CloseReason reason;

    TrueHistory(Oracle oracle, int number, String device, TrueStalls.OfLoop loop, long nowNanos) {
        this.oracle = oracle;
        this.number = number;
        this.device = device;
        this.loop = loop;
        rules = oracle.rules;
        openedNanos = nowNanos;
        lastFrameNanos = nowNanos;
        silenceArmedNanos = nowNanos;
        lastOutNanos = nowNanos;
        clearedNanos = nowNanos;
    }

    // ------------------------------------------------------------------ true events

    /** Frames that ended, and what is begun behind them, were taken in. */
    void read(long nowNanos, int frames, int bytesBehind) {
        if (frames > 0) {
            heard(nowNanos, nowNanos);
            partialBytes = 0;
        }
        if (bytesBehind > 0) {
            long earned = Math.max(0, bytesBehind - partialBytes) * (1_000_000_000L / rules.bytesPerSecond());
            partialCoveredNanos = partialBytes == 0 ? nowNanos : Math.min(nowNanos, partialCoveredNanos + earned);
            partialByteNanos = nowNanos;
            partialArmedNanos = nowNanos;
            if (rules.readProgressNanos() != 0) {
                showsLife(nowNanos);
            }
        }
        partialBytes = bytesBehind;
    }

    private void heard(long lastNanos, long nowNanos) {
        lastFrameNanos = lastNanos;
        showsLife(nowNanos);
    }

    private void showsLife(long nowNanos) {
        silenceArmedNanos = nowNanos;
        probedNanos = NEVER;
        suspectNanos = NEVER;
        death = null;
    }

    /** Whether it may come in is asked. */
    void asks(long nowNanos) {
        askedNanos = nowNanos;
        stage = Stage.AUTHENTICATING;
    }

    /**
     * It was admitted with this token.
     *
     * @param warnBeforeNanos so long before it expires it is told; negative: it is not
     */
    void admitted(long nowNanos, RandomTokens.Token token, long warnBeforeNanos) {
        boolean expires = token.leftMillis() != 0;
        expiryNanos = expires ? nowNanos + token.leftMillis() * 1_000_000 : NEVER;
        long shortNanos = token.leftMillis() * 1_000_000 / 3;
        warningNanos = expires && warnBeforeNanos >= 0 ? expiryNanos - Math.min(warnBeforeNanos, shortNanos) : NEVER;
        checkedUntilNanos = NEVER;
        checkedInVain = false;
        expiryArmedNanos = nowNanos;
    }

    /** Whether a newer token would be one of too many. */
    boolean renewsTooOften(long nowNanos) {
        return renewedNanos - nowNanos > (RENEWALS_AT_ONCE - 1) * RENEWAL_NANOS;
    }

    /** It shows a newer token. */
    void checks(long nowNanos) {
        checkedUntilNanos = nowNanos + (rules.handshakeNanos() == 0 ? MOST_ANSWER_NANOS : rules.handshakeNanos());
        renewedNanos = Math.max(renewedNanos, nowNanos) + RENEWAL_NANOS;
    }

    boolean isBeingChecked(long nowNanos) {
        return checkedUntilNanos != NEVER && nowNanos < checkedUntilNanos;
    }

    /** Whether its token has ended, and one that it showed then was in vain: no other is looked at. */
    boolean isLost(long nowNanos) {
        return expiryNanos != NEVER && nowNanos >= expiryNanos && (checkedInVain || checkedUntilNanos != NEVER);
    }

    /** The newer one is not good. */
    void keepsItsToken(long nowNanos) {
        checkedUntilNanos = NEVER;
        checkedInVain |= nowNanos >= expiryNanos;
        expiryArmedNanos = nowNanos;
    }

    /** It was told that its token expires. */
    void warned() {
        warningNanos = NEVER;
    }

    private long expires() {
        return checkedUntilNanos == NEVER ? expiryNanos : Math.max(expiryNanos, checkedUntilNanos);
    }

    void claims(boolean readerIdle, long wantedMillis) {
        stage = Stage.CLAIMING;
        plain = readerIdle && rules.readerIdleNanos() != 0;
        intervalNanos = rules.heartbeat() && !plain ? rules.grantedMillis(wantedMillis) * 1_000_000 : 0;
    }

    void established(long nowNanos) {
        stage = Stage.ESTABLISHED;
        establishedNanos = nowNanos;
        heard(nowNanos, nowNanos);
    }

    /** It was asked. */
    void probed(long nowNanos) {
        if (!wasProbed()) {
            probedNanos = nowNanos;
        }
    }

    /**
     * It was found dead and asked once more instead of being closed.
     *
     * @param perhapsNot whether it may have been asked for its silence alone
     */
    void suspected(long nowNanos, boolean perhapsNot) {
        firstAskedNanos = isSuspect() ? firstAskedNanos : nowNanos;
        suspectNanos = nowNanos;
        perhapsNoSuspect = perhapsNot;
        probed(nowNanos);
    }

    /** Whether it is asked now, for its silence, unless it is surely dead: what it took, or what stood still, the gateway dates later than we do. */
    boolean isAskedAnyway(long nowNanos) {
        boolean surelyDead = false;
        for (Due each : Due.all()) {
            surelyDead |= each.isDeath() && runs(each) && latest(each) <= nowNanos;
        }
        return !surelyDead && runs(Due.PROBE) && earliest(Due.PROBE) <= nowNanos;
    }

    boolean isPerhapsNoSuspect() {
        return perhapsNoSuspect;
    }

    boolean isSuspect() {
        return suspectNanos != NEVER;
    }

    long suspectNanos() {
        return suspectNanos;
    }

    /** Whether nothing waited for the socket around that time, as far as looks of ours could tell. */
    boolean drainedBefore(long nanos) {
        long look = Math.max(rules.writeProgressNanos(), rules.writerIdleNanos()) / 16 + 3 * oracle.tickNanos;
        return !pending && acts(clearedNanos + look, clearedNanos) < nanos;
    }

    /** Whether a deadline of the dead has passed that still runs. */
    boolean isDead(long nowNanos) {
        for (Due each : Due.all()) {
            if (each.isDeath() && isEstablished() && runs(each) && earliest(each) <= nowNanos) {
                return true;
            }
        }
        return false;
    }

    void wrote(long nowNanos) {
        lastOutNanos = nowNanos;
    }

    /** What waits for the socket. */
    void pending(long nowNanos, boolean some, boolean progressed) {
        if (some && (!pending || progressed)) {
            progressNanos = nowNanos;
            death = null;
        }
        if (!some && (pending || progressed)) {
            clearedNanos = nowNanos;
        }
        pending = some;
    }

    void paused(long nowNanos, boolean on) {
        if (on) {
            pausedNanos = nowNanos;
        } else {
            long passed = nowNanos - pausedNanos;
            partialCoveredNanos = Math.min(nowNanos, partialCoveredNanos + passed);
            partialArmedNanos = nowNanos;
        }
    }

    /** What it says is not to be had, for a cause of the gateway's: none of that time is its silence. */
    void unheard(long nowNanos, boolean on) {
        if (on) {
            unheardNanos = nowNanos;
        } else {
            long passed = nowNanos - unheardNanos;
            lastFrameNanos += passed;
            partialByteNanos += passed;
            probedNanos += wasProbed() ? passed : 0;
            silenceArmedNanos = nowNanos;
            partialCoveredNanos = Math.min(nowNanos, partialCoveredNanos + passed);
            partialArmedNanos = nowNanos;
        }
        unheard = on;
    }

    /** What came of a frame is not all that waits, because reading is paused. */
    void moreWaits(long nowNanos) {
        partialCoveredNanos = nowNanos;
        partialArmedNanos = nowNanos;
    }

    /** @param closeNanos when it has to be gone, {@link Long#MAX_VALUE} if nobody says */
    void sentAway(long closeNanos) {
        stage = Stage.LEAVING;
        leaveNanos = closeNanos;
    }

    /** Somebody may want it closed from now on. */
    void mayBeOrdered(CloseReason why) {
        orders.add(why);
    }

    /** Its loop was told now to close it. */
    void ordered(long nowNanos, CloseReason why) {
        orders.add(why);
        orderedNanos = Math.min(orderedNanos, nowNanos);
    }

    boolean isOrdered(CloseReason why) {
        return orders.contains(why);
    }

    /** @param saidAll whether the last frame was written, or nobody waits until it is because the peer is taken for dead */
    void closed(long nowNanos, CloseReason why, boolean lingers, boolean saidAll) {
        stage = lingers ? Stage.CLOSED : Stage.GONE;
        closedNanos = nowNanos;
        boolean dead = EnumSet.of(
                        CloseReason.HEARTBEAT_TIMEOUT,
                        CloseReason.READ_IDLE,
                        CloseReason.READ_STALLED,
                        CloseReason.HANDSHAKE_TIMEOUT)
                .contains(why);
        owes = !saidAll && !dead;
        quietNanos = nowNanos;
        quietArmedNanos = nowNanos;
        reason = why;
    }

    /** Its peer, which was closed, sends on. */
    void cameAfterTheEnd(long nowNanos) {
        quietNanos = Math.max(quietNanos, nowNanos);
    }

    /** The last frame is written. */
    void saidAll(long nowNanos) {
        owes = false;
        quietNanos = nowNanos;
        quietArmedNanos = nowNanos;
    }

    void gone() {
        stage = Stage.GONE;
    }

    // ------------------------------------------------------------------ what follows

    boolean isEstablished() {
        return stage == Stage.ESTABLISHED || stage == Stage.LEAVING;
    }

    boolean isOpen() {
        return stage.compareTo(Stage.CLOSED) < 0;
    }

    boolean wasProbed() {
        return probedNanos != NEVER;
    }

    /** Whether it was asked, and has had its time to answer. */
    boolean isUnanswering(long nowNanos) {
        return isEstablished()
                && wasProbed()
                && oracle.credit.least(loop, isExact(), probedNanos, Math.max(1_000_000_000L, answerNanos()))
                        <= nowNanos;
    }

    /** Whether this deadline runs. */
    boolean runs(Due due) {
        return switch (due) {
            case HANDSHAKE -> stage == Stage.HANDSHAKE && rules.handshakeNanos() != 0;
            case AUTHENTICATION -> stage == Stage.AUTHENTICATING;
            case CLAIM -> stage == Stage.CLAIMING && rules.handshakeNanos() != 0;
            case EXPIRY -> isEstablished() && expiryNanos != NEVER;
            case WARNING -> isEstablished() && warningNanos != NEVER;
            case READ_PROGRESS -> isOpen() && partialBytes > 0 && rules.readProgressNanos() != 0 && !unheard;
            case WRITE_PROGRESS -> isEstablished() && pending && rules.writeProgressNanos() != 0;
            case PROBE -> silenceCounts() && intervalNanos > 0 && rules.probe() && !wasProbed();
            case HEARTBEAT -> silenceCounts() && intervalNanos > 0 && (!rules.probe() || wasProbed());
            case READER_IDLE -> silenceCounts() && plain;
            case SEND_AWAY -> stage == Stage.ESTABLISHED && rules.ageNanos() != 0;
            case LEAVING -> stage == Stage.LEAVING && leaveNanos != NEVER;
            case KEEP_ALIVE -> isEstablished() && rules.writerIdleNanos() != 0 && !pending;
            case CUT -> stage == Stage.CLOSED;
        };
    }

    private boolean silenceCounts() {
        return isEstablished() && !unheard;
    }

    /** Since when it counts: a frame that ended, or a byte of one that has not. */
    private long silentSinceNanos() {
        boolean underWay = partialBytes > 0 && rules.readProgressNanos() != 0;
        return underWay ? Math.max(lastFrameNanos, partialByteNanos) : lastFrameNanos;
    }

    /** Before this it must not happen. */
    long earliest(Due due) {
        StallCredit credit = oracle.credit;
        boolean exact = isExact();
        return switch (due) {
            case EXPIRY -> expires();
            case WARNING -> warningNanos;
            case AUTHENTICATION ->
                rules.handshakeNanos() == 0
                        ? askedNanos + MOST_ANSWER_NANOS
                        : credit.least(loop, exact, openedNanos, rules.handshakeNanos());
            case HANDSHAKE, CLAIM -> credit.least(loop, exact, openedNanos, rules.handshakeNanos());
            case READ_PROGRESS -> credit.least(loop, exact, partialCoveredNanos, rules.readProgressNanos());
            case WRITE_PROGRESS -> credit.least(loop, exact, progressNanos, rules.writeProgressNanos());
            case PROBE -> silentSinceNanos() + askedAfterNanos();
            case HEARTBEAT -> {
                long silent = credit.least(loop, exact, silentSinceNanos(), silenceNanos());
                yield rules.probe() && wasProbed()
                        ? Math.max(silent, credit.least(loop, exact, probedNanos, answerNanos()))
                        : silent;
            }
            case READER_IDLE -> credit.least(loop, exact, silentSinceNanos(), rules.readerIdleNanos());
            case SEND_AWAY -> openedNanos + rules.aged(-rules.ageJitterHundredths()) - 1_000;
            case LEAVING -> leaveNanos;
            case KEEP_ALIVE -> lastOutNanos + rules.writerIdleNanos();
            case CUT -> {
                long most = credit.least(loop, exact, closedNanos, MOST_LINGER_NANOS);
                yield owes ? most : Math.min(most, credit.least(loop, exact, quietNanos, LINGER_NANOS));
            }
        };
    }

    /** After this it must have happened. */
    long latest(Due due) {
        StallCredit credit = oracle.credit;
        boolean exact = isExact();
        return switch (due) {
            case EXPIRY -> acts(expires(), Math.max(expiryArmedNanos, establishedNanos));
            case WARNING -> acts(warningNanos, Math.max(expiryArmedNanos, establishedNanos));
            case AUTHENTICATION ->
                rules.handshakeNanos() == 0
                        ? acts(askedNanos + MOST_ANSWER_NANOS, askedNanos)
                        : acts(credit.most(loop, exact, openedNanos, rules.handshakeNanos()), openedNanos);
            case HANDSHAKE, CLAIM -> acts(credit.most(loop, exact, openedNanos, rules.handshakeNanos()), openedNanos);
            case READ_PROGRESS ->
                acts(credit.most(loop, exact, partialCoveredNanos, rules.readProgressNanos()), partialArmedNanos);
            case WRITE_PROGRESS -> {
                long seen = acts(progressNanos + rules.writeProgressNanos() / 16, progressNanos);
                yield acts(credit.most(loop, exact, seen, rules.writeProgressNanos()), progressNanos);
            }
            case PROBE -> {
                long slack = Math.min(MOST_SLACK_NANOS, (silenceNanos() - answerNanos() - askedAfterNanos()) / 2);
                yield acts(credit.most(loop, exact, silentSinceNanos(), askedAfterNanos()) + slack, silenceArmedNanos);
            }
            case HEARTBEAT -> {
                long silent = credit.most(loop, exact, silentSinceNanos(), silenceNanos());
                long end = rules.probe() && wasProbed()
                        ? Math.max(silent, credit.most(loop, exact, probedNanos, answerNanos()))
                        : silent;
                yield acts(end, silenceArmedNanos);
            }
            case READER_IDLE ->
                acts(credit.most(loop, exact, silentSinceNanos(), rules.readerIdleNanos()), silenceArmedNanos);
            case SEND_AWAY -> {
                long slack = Math.min(MOST_SLACK_NANOS, rules.ageNanos() / 16);
                yield acts(openedNanos + rules.aged(rules.ageJitterHundredths()) + 1_000 + slack, establishedNanos);
            }
            case LEAVING -> acts(leaveNanos, leaveNanos);
            case KEEP_ALIVE -> {
                long look = rules.writeProgressNanos() == 0 ? rules.writerIdleNanos() : rules.writeProgressNanos();
                long seen = acts(clearedNanos + look / 16, clearedNanos);
                long slack = Math.min(MOST_SLACK_NANOS, rules.writerIdleNanos() / 16);
                yield acts(Math.max(seen, lastOutNanos + rules.writerIdleNanos()) + slack, establishedNanos);
            }
            case CUT -> {
                long most = credit.most(loop, exact, closedNanos, MOST_LINGER_NANOS);
                long end = owes ? most : Math.min(most, credit.most(loop, exact, quietNanos, LINGER_NANOS));
                yield acts(end, quietArmedNanos);
            }
        };
    }

    /** Whether a timeout of where it stands is short, so that its loop looks at its clock often. */
    private boolean isExact() {
        boolean progress = Rules.isShort(rules.readProgressNanos());
        return switch (stage) {
            case HANDSHAKE, AUTHENTICATING, CLAIMING -> progress || Rules.isShort(rules.handshakeNanos());
            case ESTABLISHED, LEAVING -> {
                boolean silence = plain
                        ? Rules.isShort(rules.readerIdleNanos())
                        : intervalNanos > 0
                                && (Rules.isShort(silenceNanos())
                                        || Rules.isShort(2 * (silenceNanos() - intervalNanos)));
                yield progress || silence || Rules.isShort(rules.writeProgressNanos());
            }
            case CLOSED, GONE -> true;
        };
    }

    /** When the connection's loop comes to a deadline at the latest: a tick later, and when the wheel's thread and the loop run. */
    long acts(long deadlineNanos, long armedNanos) {
        // the tick that a deadline falls into ends before a whole one has passed since
        long turned = deadlineNanos > armedNanos ? deadlineNanos + oracle.tickNanos - 1 : armedNanos + oracle.tickNanos;
        long proposed = oracle.wheel.runsAt(turned);
        return loop.runsAt(proposed);
    }

    /** Whether an order to close should have reached the loop by now. */
    boolean orderIsOverdue(long nowNanos) {
        return isOpen() && orderedNanos != NEVER && loop.runsAt(orderedNanos) < nowNanos;
    }

    private long silenceNanos() {
        return intervalNanos / 100 * rules.graceHundredths();
    }

    /** Silence after which it is asked. */
    private long askedAfterNanos() {
        return intervalNanos + (silenceNanos() - intervalNanos) / 100 * rules.probeMarginHundredths();
    }

    // ------------------------------------------------------------------ for devices that live at the edge

    /** When silence would end it, as far as it goes now. */
    long silenceEnds() {
        if (plain) {
            return silentSinceNanos() + rules.readerIdleNanos();
        }
        long end = silentSinceNanos() + silenceNanos();
        return rules.probe() && wasProbed() ? Math.max(end, probedNanos + answerNanos()) : end;
    }

    /** When the frame begun would end it. */
    long partialEnds() {
        return partialCoveredNanos + rules.readProgressNanos();
    }

    /** Whether silence is asked about before it ends the connection. */
    boolean isEverProbed() {
        return intervalNanos > 0 && rules.probe();
    }

    long progressNanos() {
        return progressNanos;
    }

    /** When what is pending would end it. */
    long pendingEnds() {
        return progressNanos + rules.writeProgressNanos();
    }

    /** What it promised; the reader-idle time of one that promised nothing; 0 if nobody waits for it. */
    long beatNanos() {
        return plain ? rules.readerIdleNanos() : intervalNanos;
    }

    /** How long it has to answer a probe that went out late. */
    long answerNanos() {
        return (silenceNanos() - intervalNanos) / 2;
    }
}

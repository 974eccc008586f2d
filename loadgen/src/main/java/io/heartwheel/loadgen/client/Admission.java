package io.heartwheel.loadgen.client;

import org.jspecify.annotations.Nullable;

/**
 * Admission of a device: what it has shown, and the answers to that. Owner: the device's event loop.
 *
 * <pre>
 *   connect -- shown --&gt; welcome -- (warned) --&gt; offered --accepted--&gt; in force again ... or 4008 when it expires
 * </pre>
 */
public final class Admission {

    /** A device that renews early does so after this part of its token's life, and up to twice as much. */
    private static final double EARLIEST_PART = 0.35;

    private static final long TRY_AGAIN_NANOS = 1_000_000_000L;

    private final Credentials.Habit habit;
    private final double luck;

    private Credential shown = new Credential("", Credential.NEVER);
    private @Nullable Credential offered;
    private long offeredNanos;
    private long acceptedNanos;
    private long renewAtNanos = Credential.NEVER;
    private boolean warned;
    private boolean understands;

    /** @param luck 0 to below 1, decides when it renews early */
    Admission(Credentials.Habit habit, double luck) {
        this.habit = habit;
        this.luck = luck;
    }

    /** A connect begins with this. */
    void connecting(Credential credential, boolean renewable) {
        shown = credential;
        offered = null;
        warned = false;
        understands = renewable && habit != Credentials.Habit.OLD;
        renewAtNanos = Credential.NEVER;
    }

    /** What it shows is good from here on. */
    void accepted(long nowNanos) {
        Credential newer = offered;
        if (newer != null) {
            shown = newer;
            offered = null;
        }
        warned = false;
        acceptedNanos = nowNanos;
        boolean early = understands && habit == Credentials.Habit.EARLY && shown.expires();
        renewAtNanos = early
                ? nowNanos + (long) ((shown.expiresNanos() - nowNanos) * EARLIEST_PART * (1 + luck))
                : Credential.NEVER;
    }

    /** The gateway said that it expires soon; whether the device renews now. */
    boolean warned() {
        warned = true;
        return habit == Credentials.Habit.RENEW && offered == null;
    }

    /** It offers a newer one. */
    void offering(Credential newer, long nowNanos) {
        offered = newer;
        offeredNanos = nowNanos;
        renewAtNanos = Credential.NEVER;
    }

    /** The newer one was not taken. */
    void declined(boolean tryAgain, long nowNanos) {
        offered = null;
        renewAtNanos = tryAgain ? nowNanos + TRY_AGAIN_NANOS : Credential.NEVER;
    }

    /** Whether it renews without being asked. */
    boolean renewalDue(long nowNanos) {
        return offered == null && nowNanos - renewAtNanos >= 0;
    }

    /** What it shows with this connection. */
    String token() {
        return shown.token();
    }

    /** Whether it says in HELLO that it understands AUTH. */
    public boolean understands() {
        return understands;
    }

    /** What it does about the end of its token. */
    public Credentials.Habit habit() {
        return habit;
    }

    /** When what is in force expires; {@link Credential#NEVER} if it does not. */
    public long expiresNanos() {
        return shown.expiresNanos();
    }

    /** Since when it is in force, as the device was told. */
    public long acceptedNanos() {
        return acceptedNanos;
    }

    /** Whether the gateway has warned of the end of what is in force. */
    public boolean wasWarned() {
        return warned;
    }

    /** When it sent a newer one that was not answered yet; below 0 if there is none. */
    public long offeredNanos() {
        return offered == null ? -1 : offeredNanos;
    }
}

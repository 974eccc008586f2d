package io.heartwheel.liveness;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;

import io.heartwheel.wheel.TimingWheel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Connection that is nothing but its deadlines: the test is its owner, its peer and its socket. */
final class BareConnection extends MonitoredConnection {
    private final LivenessContext context;
    /** Takes what the wheel finds due; null: nobody does. */
    private final @Nullable ExpiryQueue queue;
    /** Bytes that the socket has not taken. */
    long pending;

    /** When what it was admitted with expires, and when it is to be told. */
    long expiryNanos = NO_DEADLINE;

    long warningNanos = NO_DEADLINE;
    int probes;
    int closes;

    BareConnection(LivenessContext context, @Nullable ExpiryQueue queue) {
        this.context = context;
        this.queue = queue;
    }

    /** What it shares with nobody. */
    record Context(TimingWheel wheel, LivenessPolicy policy, ShadowPolicy shadowPolicy, Stalls stalls)
            implements LivenessContext {
        @Override
        public LivenessObserver observer() {
            return new LivenessObserver() {};
        }

        @Override
        public Suspects suspects() {
            return new Suspects() {
                @Override
                public long patienceNanos() {
                    return 20_000_000_000L;
                }

                @Override
                public void suspected() {}

                @Override
                public void settled(LivenessObserver.SuspectOutcome outcome, long heldNanos) {}
            };
        }

        @Override
        public Location place() {
            return new Location(0, 0, "tcp");
        }
    }

    @Override
    protected LivenessContext livenessContext() {
        return context;
    }

    @Override
    public void expire(long nowNanos) {
        if (queue != null) {
            queue.propose(this, nowNanos);
        }
    }

    @Override
    protected void closeByDeadline(Verdict verdict, String text) {
        closes++;
        state(ConnectionState.CLOSED);
        settle(Objects.requireNonNull(verdict.reason()), 0);
        forgetTroubles();
        unwatch();
    }

    @Override
    protected long expiryNanos() {
        return expiryNanos;
    }

    @Override
    protected long expiryWarningNanos() {
        return warningNanos;
    }

    @Override
    protected void warnOfExpiry(long nowNanos) {
        warningNanos = NO_DEADLINE;
    }

    @Override
    protected void sendProbe() {
        probes++;
    }

    @Override
    protected void sendKeepAlive() {}

    @Override
    protected void claimAgain() {}

    @Override
    protected void sendAwayForAge(long nowNanos) {
        state(ConnectionState.LEAVING);
        phase(nowNanos + policy().goawayLeadNanos());
    }

    @Override
    protected void cut() {}

    @Override
    public byte[] remoteAddress() {
        return new byte[0];
    }

    @Override
    public String deviceId() {
        return "d";
    }

    @Override
    public long pendingBytes() {
        return pending;
    }

    @Override
    protected long currentProgressBytes() {
        return 0;
    }

    @Override
    protected long acknowledgedBytes() {
        return -1;
    }

    @Override
    protected long lastHeardMillisAgo() {
        return -1;
    }

    @Override
    protected void readOnce() {}
}

package io.heartwheel.loadgen.fleet;

/**
 * A look at a run under way.
 *
 * @param silent devices that have fallen silent so far
 * @param closed of them closed by the gateway
 * @param recentP99Nanos round trips since the last look, from the intended send time
 */
public record Progress(
        long elapsedNanos,
        int clients,
        long opened,
        long refused,
        long beatsSent,
        long beatsAnswered,
        long silent,
        long closed,
        long falseKills,
        long violations,
        long recentP99Nanos,
        long pacingP99Nanos) {

    /** Whether every device was welcomed or refused. */
    public boolean rampIsOver() {
        return opened + refused >= clients;
    }
}

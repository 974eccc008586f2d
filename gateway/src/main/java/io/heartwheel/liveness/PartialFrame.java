package io.heartwheel.liveness;

/**
 * A frame whose first bytes are here and whose last are not, and how well it keeps up.
 *
 * <pre>
 *   covered   the time up to which the bytes of this frame are the least that the minimum rate asks for: from its first byte on, each byte moves
 *             it on by 1 / min-rate, and never past the present
 *   stalled   at covered + timeout
 * </pre>
 *
 * So a steady peer lives however long its frame takes, a burst buys no stillness, and a drip slower than the rate falls behind until it ends.
 *
 * <p>Written by the loop; the wheel's thread may read fields of different instants. Each time only moves later while the frame goes on, so that at
 * worst it looks once more.
 */
final class PartialFrame {
    /** When its first bytes came, nanoseconds; later by what was unheard since. */
    long sinceNanos;
    /** When its latest bytes came, nanoseconds; later by what was unheard since. */
    long lastByteNanos;
    /** How many bytes of it are here. */
    int bytes;
    /** Up to when it has kept up with the rate in force, nanoseconds. */
    private long coveredNanos;
    /** The same with the rate of the shadow policy. */
    private long shadowCoveredNanos;

    PartialFrame(long nowNanos, int bytes) {
        begin(nowNanos, bytes);
    }

    /** The frame before has ended, and these are the first bytes of another one. */
    void begin(long nowNanos, int bytes) {
        sinceNanos = nowNanos;
        lastByteNanos = nowNanos;
        this.bytes = bytes;
        coveredNanos = nowNanos;
        shadowCoveredNanos = nowNanos;
    }

    /** More of it has come; so many bytes are here by now. */
    void grow(int bytesNow, long nowNanos, LivenessPolicy policy, LivenessPolicy shadow) {
        long more = Math.max(0, bytesNow - bytes);
        bytes = bytesNow;
        lastByteNanos = nowNanos;
        coveredNanos = earlier(coveredNanos + more * policy.nanosPerByte, nowNanos);
        shadowCoveredNanos = earlier(shadowCoveredNanos + more * shadow.nanosPerByte, nowNanos);
    }

    /** The peer was not heard for so long, and its last frame counts as so much later: it began behind that frame still. */
    void later(long unheardNanos) {
        sinceNanos += unheardNanos;
        lastByteNanos += unheardNanos;
    }

    /** Reading had been paused for so long, in which it could not show what it sends. */
    void excuse(long pausedNanos, long nowNanos) {
        coveredNanos = earlier(coveredNanos + pausedNanos, nowNanos);
        shadowCoveredNanos = earlier(shadowCoveredNanos + pausedNanos, nowNanos);
    }

    long coveredNanos(boolean inForce) {
        return inForce ? coveredNanos : shadowCoveredNanos;
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }
}

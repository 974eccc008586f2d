package io.heartwheel.event;

import io.heartwheel.event.ConnectionEvent.Identity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Evidence of a close, or of a connection that is open: what decided or would decide, and all that led there. A fact, gathered once on the
 * connection's loop; immutable, any thread. Some 500 bytes with all parts.
 *
 * <p>Ages ("millis ago") count back from {@link #atEpochMillis}; {@link #NEVER} stands where nothing ever happened. No deadline is computed from
 * wall-clock time.
 *
 * @param identity whose; the device id is empty if it never was established
 * @param claimedDevice of a connection that never was established: the device id that it said was its own, which nobody has proven; empty if it said none
 * @param protocol {@code heartwheel}, {@code heartwheel.v1}, {@code heartwheel.json.v1}, {@code plain} or {@code handshake}
 * @param remote address and port of the peer; of the device itself where a trusted balancer told it
 * @param via address and port of that balancer; empty if the peer came directly
 * @param clientName what the device calls its software, may be empty
 * @param established whether it ever had a session
 * @param atEpochMillis when this was gathered, for a closed one when it was closed; milliseconds since 1970
 * @param openMillis how long the connection lived, milliseconds
 * @param reason why it ended; null while it is open
 * @param cause the words that went with the decision: those in CLOSE; empty while it is open
 * @param peerClose what the peer said when it left; null if it did not leave by saying so
 * @param certificate the peer's certificate that was not accepted; null if that is not why
 * @param limit the deadline that decided, or while it is open the one that comes first; null if none did or does
 * @param traffic last signs of life either way
 * @param probes what was asked and answered
 * @param path the kernel's view of the connection, with a balancer in between of the way to it; null where the platform tells none
 * @param timing how punctual we were
 * @param successorSessionId the connection that took the device id over; 0 if none did
 * @param successorNode the gateway that it is connected to; empty if it is this one, or none did
 */
public record Evidence(
        Identity identity,
        String claimedDevice,
        String protocol,
        String remote,
        String via,
        String clientName,
        boolean established,
        long atEpochMillis,
        long openMillis,
        @Nullable CloseReason reason,
        String cause,
        @Nullable PeerClose peerClose,
        @Nullable Certificate certificate,
        @Nullable Limit limit,
        Traffic traffic,
        Probes probes,
        @Nullable Path path,
        Timing timing,
        long successorSessionId,
        String successorNode) {

    /** Stands for an age of something that never happened. */
    public static final long NEVER = -1;

    /**
     * A peer's last words: its CLOSE, or its WebSocket close frame.
     *
     * @param code of the wire document or of RFC 6455; 0 if it said none
     * @param text safe to show ({@link SafeText}), at most {@value #MAX_TEXT_BYTES} bytes of UTF-8; may be empty
     */
    public record PeerClose(int code, String text) {
        /** Longest text, bytes: what fits in a close frame. */
        public static final int MAX_TEXT_BYTES = 123;

        /** @param utf8 as it came; what is malformed is replaced */
        public static PeerClose of(int code, byte[] utf8) {
            return new PeerClose(code, SafeText.decode(utf8, MAX_TEXT_BYTES));
        }
    }

    /**
     * A certificate that was not accepted. Who showed it may not be whom it names: that it could not be believed is the point.
     *
     * @param subject whose, as RFC 2253 writes it, safe to show ({@link SafeText}) and bounded
     * @param issuer who is said to have signed it, likewise
     * @param serial its serial number, hexadecimal
     * @param problem what is wrong with it
     */
    public record Certificate(String subject, String issuer, String serial, CertificateProblem problem) {}

    /**
     * A deadline in force.
     *
     * @param kind which
     * @param origin who set it
     * @param timeoutMillis from what it counts from to the deadline, credit not included, milliseconds
     * @param intervalMillis of a heartbeat: the granted interval, milliseconds; else 0
     * @param graceHundredths of a heartbeat: grace in hundredths; else 0
     * @param dueMillis deadline with credit, minus the time of this evidence, milliseconds; negative once it has passed
     */
    public record Limit(
            DeadlineKind kind,
            DeadlineOrigin origin,
            long timeoutMillis,
            long intervalMillis,
            int graceHundredths,
            long dueMillis) {}

    /**
     * Last signs of life.
     *
     * @param lastByteInMillisAgo of any byte of the peer
     * @param lastFrameInMillisAgo of a complete frame
     * @param lastFrameIn its type, empty if none came
     * @param lastFrameOutMillisAgo of the last flush
     * @param lastFrameOut type of the last frame written, empty if none was
     * @param pendingBytes bytes written that the socket has not taken
     * @param unfinishedBytes bytes of a frame begun
     * @param pausedBy why we had stopped reading, each cause at most once; empty if we had not
     */
    public record Traffic(
            long lastByteInMillisAgo,
            long lastFrameInMillisAgo,
            String lastFrameIn,
            long lastFrameOutMillisAgo,
            String lastFrameOut,
            long pendingBytes,
            int unfinishedBytes,
            List<PauseCause> pausedBy) {
        /** Whether we had stopped reading. */
        public boolean readingPaused() {
            return !pausedBy.isEmpty();
        }
    }

    /**
     * Questions to a silent peer.
     *
     * @param sent in this connection's life
     * @param answered of those
     * @param unansweredMillisAgo when the one that waits was sent; {@link #NEVER} if none waits
     * @param roundTripMicros of the latest answered ones, newest first, at most four, microseconds
     */
    public record Probes(int sent, int answered, long unansweredMillisAgo, List<Integer> roundTripMicros) {
        /** Nothing was asked. */
        public static final Probes NONE = new Probes(0, 0, NEVER, List.of());
    }

    /**
     * View of the kernel (TCP_INFO).
     *
     * @param roundTripMicros smoothed, microseconds
     * @param roundTripVarianceMicros microseconds
     * @param retransmits of what is on its way now
     * @param totalRetransmits in this connection's life
     * @param unackedSegments sent and not acknowledged
     * @param unsentBytes taken from us and not sent, because the peer's kernel takes no more; 0 before Linux 4.6
     * @param lastDataInMillisAgo of any byte taken in by the kernel
     * @param lastAckInMillisAgo of any acknowledgement
     * @param acknowledgedBytes of all that was sent in this connection's life
     */
    public record Path(
            long roundTripMicros,
            long roundTripVarianceMicros,
            long retransmits,
            long totalRetransmits,
            long unackedSegments,
            long unsentBytes,
            long lastDataInMillisAgo,
            long lastAckInMillisAgo,
            long acknowledgedBytes) {}

    /**
     * Punctuality of the gateway.
     *
     * @param silentMicros since the last complete frame, or the last byte of one under way; since it was established, or else accepted, if none ever came;
     * microseconds
     * @param latenessMicros decision minus deadline, credit included, microseconds; 0 if no deadline decided
     * @param creditMillis by how much our own stalls had moved the deadline
     * @param loopLagMillis how late the loop ran its latest probe of itself
     * @param scheduledTick tick of the wheel the deadline belongs to; 0 if no deadline decided
     * @param actualTick tick of the wheel when the decision was made
     * @param suspect whether the breaker had held it back
     */
    public record Timing(
            long silentMicros,
            long latenessMicros,
            long creditMillis,
            long loopLagMillis,
            long scheduledTick,
            long actualTick,
            boolean suspect) {}

    /** Whether it ended because a deadline had passed; only then is there a lateness. */
    public boolean endedByDeadline() {
        return reason != null && limit != null;
    }

    /** Whether it was turned away before it was a device: by us, not because the peer left or the gateway went down. */
    public boolean refused() {
        if (established || reason == null) {
            return false;
        }
        return switch (reason) {
            case NORMAL, SHUTDOWN, PEER_CLOSED, PEER_RESET -> false;
            default -> true;
        };
    }

    /** All of it in one sentence. */
    public String text() {
        return EvidenceText.of(this);
    }
}

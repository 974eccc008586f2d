package io.heartwheel.session;

import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.Verdict;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Details of a close beside its reason.
 *
 * @param verdict the deadline's that decided; null if none did
 * @param successorSessionId the connection that took the device id over; 0 if none did
 * @param successorNode the gateway that it is connected to; empty if it is this one, or none did
 * @param peerClose what the peer said when it left; null if it did not say so
 * @param certificate the peer's that was not accepted; null if that is not why
 */
record CloseContext(
        @Nullable Verdict verdict,
        long successorSessionId,
        String successorNode,
        Evidence.@Nullable PeerClose peerClose,
        Evidence.@Nullable Certificate certificate) {
    /** Nothing more is known. */
    static final CloseContext NONE = new CloseContext(null, 0, "", null, null);

    private static final List<CloseContext> OF_VERDICTS = Stream.of(Verdict.values())
            .map(verdict -> new CloseContext(verdict, 0, "", null, null))
            .toList();

    static CloseContext of(Verdict verdict) {
        return OF_VERDICTS.get(verdict.ordinal());
    }

    static CloseContext succeededBy(long sessionId, String node) {
        return new CloseContext(null, sessionId, node, null, null);
    }

    static CloseContext said(Evidence.PeerClose peerClose) {
        return new CloseContext(null, 0, "", peerClose, null);
    }

    static CloseContext showed(Evidence.Certificate certificate) {
        return new CloseContext(null, 0, "", null, certificate);
    }
}

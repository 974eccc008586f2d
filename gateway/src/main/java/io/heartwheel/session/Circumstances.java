package io.heartwheel.session;

import io.heartwheel.event.Evidence;
import org.jspecify.annotations.Nullable;

/**
 * What goes with a close beside its reason.
 *
 * @param verdict the deadline's that decided; null if none did
 * @param successorSessionId the connection that took the device id over; 0 if none did
 * @param peerClose what the peer said when it left; null if it did not say so
 * @param certificate the peer's that was not accepted; null if that is not why
 */
record Circumstances(
        @Nullable Verdict verdict,
        long successorSessionId,
        Evidence.@Nullable PeerClose peerClose,
        Evidence.@Nullable Certificate certificate) {
    /** Nothing more is known. */
    static final Circumstances NONE = new Circumstances(null, 0, null, null);

    static Circumstances of(Verdict verdict) {
        return new Circumstances(verdict, 0, null, null);
    }

    static Circumstances succeededBy(long sessionId) {
        return new Circumstances(null, sessionId, null, null);
    }

    static Circumstances said(Evidence.PeerClose peerClose) {
        return new Circumstances(null, 0, peerClose, null);
    }

    static Circumstances showed(Evidence.Certificate certificate) {
        return new Circumstances(null, 0, null, certificate);
    }
}

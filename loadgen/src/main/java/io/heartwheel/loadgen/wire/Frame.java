package io.heartwheel.loadgen.wire;

import java.nio.ByteBuffer;

/** One frame as a value: for everything but the heartbeat path, which reads and writes bytes directly. */
public sealed interface Frame {

    /**
     * The first frame of a device. Interval in milliseconds, 0..2^32-1; 0 leaves the choice to the gateway. Features: bits of
     * {@link FrameType#FEATURE_AUTH}.
     */
    record Hello(int features, long intervalMillis, long lastEpoch, String deviceId, String token, String clientName)
            implements Frame {}

    /** The gateway's answer: interval in milliseconds, grace in hundredths, limit in bytes of DATA payload. */
    record Welcome(long intervalMillis, int graceHundredths, long sessionId, long epoch, long payloadLimit)
            implements Frame {}

    /** A question for a sign of life. */
    record Ping(ByteBuffer payload) implements Frame {}

    /** The answer to a PING, or a sign of life nobody asked for. */
    record Pong(ByteBuffer payload) implements Frame {}

    /** A message of the application. */
    record Data(long id, boolean ackWanted, boolean text, ByteBuffer payload) implements Frame {}

    /** Answer to a DATA that wanted one; status 0 is accepted. */
    record Ack(long id, int status) implements Frame {}

    /** Leave soon and come back in the window, milliseconds. */
    record Goaway(int code, long retryMinMillis, long retryMaxMillis, String host) implements Frame {}

    /** A newer token of a device. */
    record Renewal(String token) implements Frame {}

    /**
     * Answer of the gateway to a token.
     *
     * @param status one of the constants, or another, which counts as refused
     * @param remainingMillis until it closes unless a newer token is accepted; 0: it does not
     */
    record AuthAnswer(int status, long remainingMillis) implements Frame {

        /** The device may stay. */
        public static final int ACCEPTED = 0;
        /** Nobody asked: the token expires soon. */
        public static final int EXPIRING = 1;
        /** The newer token is not good; the present one stays in force. */
        public static final int REFUSED = 2;
        /** Nobody could check it now. */
        public static final int UNAVAILABLE = 3;
    }

    /** The last frame. */
    record Close(int code, String text) implements Frame {}
}

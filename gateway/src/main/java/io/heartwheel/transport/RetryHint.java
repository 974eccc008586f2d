package io.heartwheel.transport;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.frame.Frames;
import io.heartwheel.session.GoAway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Hint of a listener to a connection that it turns away at accept: made once, in direct memory, and written as it is to each of them.
 *
 * <ul>
 *   <li>{@code heartwheel}: CLOSE 4202, before it a GOAWAY with the window unless that is the one of the protocol anyway (1 to 30 s);
 *   <li>{@code websocket}: HTTP 503 with {@code Retry-After}, {@value #SPREAD} of them in turn, so that clients who take the number at its word do not all
 *       come back in the same second;
 *   <li>{@code auto} and TLS: nothing. What the client speaks is not known yet, and before a TLS handshake nothing can be said.
 * </ul>
 *
 * Owner: one acceptor's loop.
 */
final class RetryHint {
    static final int SPREAD = 16;
    private static final int OF_THE_PROTOCOL_MIN_MILLIS = 1_000;
    private static final int OF_THE_PROTOCOL_MAX_MILLIS = 30_000;

    private final List<ByteBuffer> texts;
    private int turn;

    private RetryHint(List<ByteBuffer> texts) {
        this.texts = texts;
    }

    /** The hint of this listener. */
    static RetryHint of(ListenerSettings listener, AcceptLimitSettings limit) {
        if (listener.tls() != null) {
            return new RetryHint(List.of());
        }
        return new RetryHint(
                switch (listener.protocol()) {
                    case HEARTWHEEL -> List.of(direct(frames(limit)));
                    case WEBSOCKET -> responses(limit);
                    case AUTO -> List.of();
                });
    }

    /** An HTTP response for a client that is to come back after so long. */
    static byte[] response(long afterSeconds) {
        return ("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: "
                        + afterSeconds + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static ByteBuf frames(AcceptLimitSettings limit) {
        long minMillis = limit.retryMin().toMillis();
        long maxMillis = limit.retryMax().toMillis();
        int code = CloseReason.OVERLOADED.wireCode();
        ByteBuf all = Unpooled.buffer();
        if (minMillis != OF_THE_PROTOCOL_MIN_MILLIS || maxMillis != OF_THE_PROTOCOL_MAX_MILLIS) {
            GoAway window = new GoAway(minMillis, maxMillis, "");
            append(all, Frames.goAway(UnpooledByteBufAllocator.DEFAULT, code, window));
        }
        String text = "too many connections come at once, come back in " + seconds(minMillis) + " to "
                + seconds(maxMillis) + " s";
        append(all, Frames.close(UnpooledByteBufAllocator.DEFAULT, code, text));
        return all;
    }

    private static void append(ByteBuf all, ByteBuf frame) {
        all.writeBytes(frame);
        frame.release();
    }

    private static List<ByteBuffer> responses(AcceptLimitSettings limit) {
        long minSeconds = seconds(limit.retryMin().toMillis());
        long maxSeconds = seconds(limit.retryMax().toMillis());
        List<ByteBuffer> all = new ArrayList<>();
        for (int i = 0; i < SPREAD; i++) {
            // seven steps of sixteen at a time, so that neighbours in time are far apart
            long after = minSeconds + (maxSeconds - minSeconds) * (i * 7 % SPREAD) / (SPREAD - 1);
            all.add(direct(Unpooled.wrappedBuffer(response(after))));
        }
        return all;
    }

    /** Whole seconds, rounded up. */
    private static long seconds(long millis) {
        return (millis + 999) / 1_000;
    }

    private static ByteBuffer direct(ByteBuf bytes) {
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.readableBytes());
        bytes.readBytes(direct);
        bytes.release();
        direct.flip();
        return direct;
    }

    /** Whether there is nothing to say. */
    boolean isSilent() {
        return texts.isEmpty();
    }

    /** The next text, of a hint that is not silent: position 0 to its limit, to be left so. */
    ByteBuffer next() {
        turn = (turn + 1) % texts.size();
        return texts.get(turn);
    }
}

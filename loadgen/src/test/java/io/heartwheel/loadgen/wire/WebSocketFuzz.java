package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Any bytes of a WebSocket server: the same in pieces as whole, no frame over its limit. */
public final class WebSocketFuzz {
    private static final int LIMIT = 1_024;

    private WebSocketFuzz() {}

    private record Outcome(List<String> frames, int fault) {}

    public static void fuzzerTestOneInput(byte[] input) {
        Outcome whole = read(input, input.length);
        for (int piece : new int[] {1, 5}) {
            Outcome split = read(input, piece);
            if (!whole.equals(split)) {
                throw new AssertionError("whole: " + whole + ", in pieces of " + piece + ": " + split);
            }
        }
    }

    private static Outcome read(byte[] bytes, int piece) {
        ByteBuf in = Unpooled.buffer();
        WsCursor cursor = new WsCursor();
        List<String> frames = new ArrayList<>();
        try {
            for (int at = 0; at < bytes.length; at += piece) {
                in.writeBytes(bytes, at, Math.min(piece, bytes.length - at));
                while (cursor.next(in, LIMIT)) {
                    if (cursor.payloadLength() > LIMIT
                            || cursor.payloadAt() + cursor.payloadLength() > in.writerIndex()) {
                        throw new AssertionError("a frame of " + cursor.payloadLength() + " bytes");
                    }
                    frames.add(cursor.opcode() + " " + cursor.last() + " " + cursor.payloadLength());
                }
            }
            return new Outcome(frames, 0);
        } catch (WireException fault) {
            return new Outcome(frames, fault.code());
        }
    }
}

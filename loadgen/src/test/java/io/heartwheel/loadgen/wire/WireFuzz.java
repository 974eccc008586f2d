package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** A stream of frames from a server: the same in pieces as whole, and what was read can be written and read again. */
public final class WireFuzz {
    private static final int DATA_LIMIT = 1_024;

    private WireFuzz() {}

    /** Frames in order, and the fault that ended them, 0 for none. */
    private record Outcome(List<Frame> frames, int fault) {}

    public static void fuzzerTestOneInput(byte[] input) {
        Outcome whole = read(input, input.length);
        for (int piece : new int[] {1, 3, 7}) {
            Outcome split = read(input, piece);
            if (!whole.equals(split)) {
                throw new AssertionError("whole: " + whole + ", in pieces of " + piece + ": " + split);
            }
        }
        for (Frame frame : whole.frames) {
            requireSame(frame);
        }
    }

    private static Outcome read(byte[] bytes, int piece) {
        ByteBuf in = Unpooled.buffer();
        FrameCursor cursor = new FrameCursor();
        List<Frame> frames = new ArrayList<>();
        try {
            for (int at = 0; at < bytes.length; at += piece) {
                in.writeBytes(bytes, at, Math.min(piece, bytes.length - at));
                while (cursor.next(in, DATA_LIMIT)) {
                    frames.add(decode(cursor, in));
                }
            }
            return new Outcome(frames, 0);
        } catch (WireException fault) {
            return new Outcome(frames, fault.code());
        }
    }

    private static Frame decode(FrameCursor cursor, ByteBuf in) {
        return cursor.type() == FrameType.HELLO ? GatewayCodec.decode(cursor, in) : FrameCodec.decode(cursor, in);
    }

    private static void requireSame(Frame frame) {
        ByteBuf out = Unpooled.buffer();
        if (frame instanceof Frame.Hello hello) {
            FrameCodec.hello(hello, out);
        } else {
            GatewayCodec.encode(frame, new byte[0], out);
        }
        FrameCursor cursor = new FrameCursor();
        if (!cursor.next(out, DATA_LIMIT) || !frame.equals(decode(cursor, out)) || out.isReadable()) {
            throw new AssertionError(frame + " is not read as it was written");
        }
    }
}

package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Any bytes of an MQTT server, in both versions: the same in pieces as whole, no packet over its limit, no field over its packet. */
public final class MqttFuzz {
    private static final int LIMIT = 1_024;

    private MqttFuzz() {}

    private record Outcome(List<String> packets, int fault) {}

    public static void fuzzerTestOneInput(byte[] input) {
        for (boolean version5 : new boolean[] {false, true}) {
            Outcome whole = read(input, input.length, version5);
            for (int piece : new int[] {1, 5}) {
                Outcome split = read(input, piece, version5);
                if (!whole.equals(split)) {
                    throw new AssertionError("whole: " + whole + ", in pieces of " + piece + ": " + split);
                }
            }
        }
    }

    private static Outcome read(byte[] bytes, int piece, boolean version5) {
        ByteBuf in = Unpooled.buffer();
        MqttCursor cursor = new MqttCursor();
        List<String> packets = new ArrayList<>();
        try {
            for (int at = 0; at < bytes.length; at += piece) {
                in.writeBytes(bytes, at, Math.min(piece, bytes.length - at));
                while (cursor.next(in, version5, LIMIT)) {
                    if (cursor.left() > LIMIT || cursor.at() + cursor.left() > in.writerIndex()) {
                        throw new AssertionError("a packet of " + cursor.left() + " bytes");
                    }
                    packets.add(cursor.name() + " " + fields(cursor, in, version5));
                }
            }
            return new Outcome(packets, 0);
        } catch (WireException e) {
            return new Outcome(packets, e.code());
        } finally {
            in.release();
        }
    }

    private static String fields(MqttCursor cursor, ByteBuf in, boolean version5) {
        int end = in.readerIndex();
        if (cursor.type() == MqttCursor.PUBLISH) {
            cursor.skipField(in);
        } else if (cursor.left() >= 2) {
            cursor.skip(2);
        }
        String text = "";
        if (version5 && cursor.left() > 0) {
            MqttProperties properties = cursor.readProperties(in);
            text = properties.receiveMaximum() + properties.reason(in) + properties.assignedClientId(in);
        }
        if (cursor.at() + cursor.left() != end || in.readerIndex() != end) {
            throw new AssertionError("a field over the end of its packet");
        }
        return text + " " + cursor.left();
    }
}

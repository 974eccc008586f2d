package io.heartwheel.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Header of a request or an answer of the API on its way between gateways. Immutable; any thread. */
public record ApiHeader(String name, String value) {
    private static final int MOST = 255;

    /** The bytes of a text behind its length, 2. */
    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static void write(ByteBuffer to, byte[] text) {
        to.putShort((short) text.length).put(text);
    }

    /** @throws RuntimeException if there is none */
    static String readText(ByteBuffer from) {
        byte[] text = new byte[Short.toUnsignedInt(from.getShort())];
        from.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    /** {@code count, 1 | (length, 2 | name | length, 2 | value)*}. */
    static byte[] encode(List<ApiHeader> all) {
        if (all.size() > MOST) {
            throw new IllegalArgumentException(all.size() + " headers: need at most " + MOST);
        }
        int length = 1;
        List<byte[]> texts = new ArrayList<>();
        for (ApiHeader each : all) {
            texts.add(text(each.name));
            texts.add(text(each.value));
        }
        for (byte[] text : texts) {
            length += Short.BYTES + text.length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length).put((byte) all.size());
        texts.forEach(text -> write(bytes, text));
        return bytes.array();
    }

    /** @throws RuntimeException if there are none */
    static List<ApiHeader> decode(ByteBuffer from) {
        List<ApiHeader> all = new ArrayList<>();
        for (int left = Byte.toUnsignedInt(from.get()); left > 0; left--) {
            all.add(new ApiHeader(readText(from), readText(from)));
        }
        return List.copyOf(all);
    }
}

package io.heartwheel.protocol.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A server's frame read in the plainest way; what no server may send is refused. */
record ServerFrame(int first, byte[] payload) {

    static ServerFrame close(int code, String text) {
        byte[] bytes = ClientFrame.close(code, text).payload();
        return new ServerFrame(0x88, bytes);
    }

    static ServerFrame of(int first, String text) {
        return new ServerFrame(first, text.getBytes(StandardCharsets.UTF_8));
    }

    /** All frames sent so far. */
    static List<ServerFrame> drain(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            all.writeBytes(out);
            out.release();
        }
        List<ServerFrame> frames = new ArrayList<>();
        while (all.isReadable()) {
            frames.add(read(all));
        }
        return frames;
    }

    private static ServerFrame read(ByteBuf in) {
        int first = in.readUnsignedByte();
        int length = in.readUnsignedByte();
        if ((length & 0x80) != 0) {
            throw new AssertionError("a server's frame is masked");
        }
        int payload = length;
        if (length == 126) {
            payload = in.readUnsignedShort();
        } else if (length == 127) {
            payload = Math.toIntExact(in.readLong());
        }
        boolean shortest = length < 126 || (length == 126 ? payload > 125 : payload > 65_535);
        if (!shortest) {
            throw new AssertionError("length not minimal");
        }
        byte[] bytes = new byte[payload];
        in.readBytes(bytes);
        return new ServerFrame(first, bytes);
    }

    /** The code of a close frame, -1 if it has none, -2 if it is none. */
    int closeCode() {
        if (first != 0x88) {
            return -2;
        }
        return payload.length == 0 ? -1 : (payload[0] & 0xFF) << 8 | (payload[1] & 0xFF);
    }

    String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ServerFrame that && first == that.first && Arrays.equals(payload, that.payload);
    }

    @Override
    public int hashCode() {
        return first;
    }

    @Override
    public String toString() {
        return Integer.toHexString(first) + ":" + HexFormat.of().formatHex(payload);
    }
}

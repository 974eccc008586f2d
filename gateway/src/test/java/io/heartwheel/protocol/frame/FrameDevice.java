package io.heartwheel.protocol.frame;

import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/** A device on a channel without a socket, for tests. */
final class FrameDevice {
    private static final AtomicLong IDS = new AtomicLong();

    final FrameConnection connection;
    final EmbeddedChannel channel = new EmbeddedChannel();
    private final String id;
    private String lastHex = "";

    FrameDevice(VirtualGateway gateway, String id) {
        this(gateway, gateway.sessionContext, id);
    }

    FrameDevice(VirtualGateway gateway, SessionContext sessionContext, String id) {
        this.id = id;
        connection = new FrameConnection(sessionContext, 65_536);
        channel.pipeline().addLast(connection);
        connection.start(IDS.incrementAndGet(), gateway.now());
    }

    FrameDevice hello() {
        return hello(0);
    }

    FrameDevice hello(long wantedMillis) {
        byte[] name = id.getBytes(StandardCharsets.UTF_8);
        ByteBuf hello = Unpooled.buffer();
        hello.writeByte(FrameType.HELLO).writeByte(0).writeShort(20 + name.length);
        hello.writeShort(0x4857)
                .writeByte(1)
                .writeByte(0)
                .writeInt((int) wantedMillis)
                .writeLong(0);
        hello.writeByte(name.length).writeBytes(name).writeShort(0).writeByte(0);
        channel.writeInbound(hello);
        return this;
    }

    void ping() {
        send(ByteBufUtil.decodeHexDump("03000000"));
    }

    static ByteBuf pings(int count) {
        ByteBuf bytes = Unpooled.buffer(4 * count);
        for (int i = 0; i < count; i++) {
            bytes.writeInt(FrameType.PING << 24);
        }
        return bytes;
    }

    /** PINGs that its connection has taken in. */
    long pingsTaken() {
        return connection.sessionContext().stats().framesIn(FrameType.PING);
    }

    /** An ACK, as hex. */
    static String ack(long messageId, int status) {
        return String.format("06000009%016x%02x", messageId, status);
    }

    /** DATA of a byte that wants an ACK, as hex. */
    static String wanting(long messageId) {
        return String.format("05010009%016xff", messageId);
    }

    /** The peer ends its stream, and reads on. */
    void endStream() {
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        channel.runPendingTasks();
    }

    void pong() {
        send(ByteBufUtil.decodeHexDump("04000000"));
    }

    byte[] dataFrame(long messageId, byte[] payload) {
        ByteBuf frame = Frames.data(UnpooledByteBufAllocator.DEFAULT, messageId, false, false, payload);
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        return bytes;
    }

    void send(byte[] bytes) {
        send(bytes, 0, bytes.length);
    }

    void send(byte[] bytes, int from, int length) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, from, length));
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** The last frame that came, as hex; the ones before it are dropped. */
    String lastHexOut() {
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            lastHex = ByteBufUtil.hexDump(out);
            out.release();
        }
        return lastHex;
    }

    int lastTypeOut() {
        return Integer.parseInt(lastHexOut().substring(0, 2), 16);
    }
}

package io.heartwheel.loadgen.fake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small gateway that can be wrong in chosen ways: the proof that the verdict sees it. Speaks Heartwheel over TCP and, with
 * Netty's own WebSocket codec, over WebSocket; and plain WebSocket.
 */
public final class FakeGateway extends FakeServer {

    static final long HANDSHAKE_MILLIS = 2_000;
    static final long PROGRESS_MILLIS = 1_000;
    static final int PROGRESS_BYTES_PER_SECOND = 128;
    static final long WRITE_MILLIS = 1_000;

    // The loop's.
    final Map<String, FakePeer> byId = new HashMap<>();
    final Map<String, PlainPeer> plainById = new HashMap<>();
    /** Ids of devices that were sent away. */
    final Set<String> away = new HashSet<>();

    final AtomicInteger silentClosed = new AtomicInteger();
    private final Channel tcp;
    private final Channel webSocket;
    private final Channel plain;

    /** Listens on three free loopback ports. */
    public FakeGateway(Fault fault) throws InterruptedException {
        this(List.of(fault), null);
    }

    /** The same with faults that connections take in turn, through TLS unless that is null. */
    public FakeGateway(List<Fault> faults, SslContext tls) throws InterruptedException {
        tcp = listen(0, tls, (pipeline, number) -> pipeline.addLast(new Framing())
                .addLast(new FakePeer(this, turn(faults, number), number, false)));
        plain = listen(0, tls, (pipeline, number) -> PlainPeer.install(pipeline, this, turn(faults, number)));
        WebSocketServerProtocolConfig config = WebSocketServerProtocolConfig.newBuilder()
                .websocketPath("/ws")
                .checkStartsWith(true)
                .subprotocols("heartwheel.v1")
                .sendCloseFrame(null)
                .dropPongFrames(false)
                .build();
        webSocket = listen(0, tls, (pipeline, number) -> pipeline.addLast(new HttpServerCodec())
                .addLast(new HttpObjectAggregator(8_192))
                .addLast(new WebSocketServerProtocolHandler(config))
                .addLast(new FakePeer(this, turn(faults, number), number, true)));
    }

    /** Frames over TCP; tells the peer of those that are not whole. */
    private static final class Framing extends LengthFieldBasedFrameDecoder {
        Framing() {
            super(65_543, 2, 2);
        }

        @Override
        protected Object decode(ChannelHandlerContext ctx, ByteBuf in) throws Exception {
            Object frame = super.decode(ctx, in);
            if (frame == null && in.isReadable()) {
                ctx.pipeline().get(FakePeer.class).unfinished(in.readableBytes());
            }
            return frame;
        }
    }

    /** How many it has closed for their silence. */
    public int silentClosed() {
        return silentClosed.get();
    }

    /** Where it speaks Heartwheel over TCP. */
    public InetSocketAddress tcp() {
        return (InetSocketAddress) tcp.localAddress();
    }

    /** Where it speaks WebSocket. */
    public InetSocketAddress webSocket() {
        return (InetSocketAddress) webSocket.localAddress();
    }

    /** Where it speaks plain WebSocket. */
    public InetSocketAddress plain() {
        return (InetSocketAddress) plain.localAddress();
    }

    @Override
    public void restart(int leastMillis, int mostMillis) {
        onLoop(() -> {
            List.copyOf(byId.values()).forEach(peer -> peer.goAway(leastMillis, mostMillis));
            return true;
        });
    }

    @Override
    public CompletableFuture<Boolean> deliver(String id, byte[] message) {
        return onLoop(() -> {
            FakePeer peer = byId.get(id);
            PlainPeer plainPeer = plainById.get(id);
            if (peer != null) {
                peer.push(message);
            } else if (plainPeer != null) {
                plainPeer.push(message);
            }
            return peer != null || plainPeer != null;
        });
    }

    @Override
    public CompletableFuture<Boolean> deliver(String id, long messageId, byte[] message) {
        return onLoop(() -> byId.get(id))
                .thenCompose(peer -> peer == null
                        ? CompletableFuture.completedFuture(false)
                        : onLoop(() -> peer.push(messageId, message)).thenCompose(waiting -> waiting));
    }

    @Override
    public CompletableFuture<List<String>> ids() {
        return onLoop(() -> {
            List<String> ids = new ArrayList<>(byId.keySet());
            ids.addAll(plainById.keySet());
            return ids;
        });
    }

    /** A frame of the wire document. */
    static ByteBuf frame(int type, ByteBuf payload) {
        ByteBuf frame = Unpooled.buffer(4 + payload.readableBytes());
        frame.writeByte(type).writeByte(0).writeShort(payload.readableBytes()).writeBytes(payload);
        payload.release();
        return frame;
    }
}

package io.heartwheel.loadgen.fake;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A small server of a protocol that is not Heartwheel's, that can be wrong in chosen ways. It
 * closes with a FIN after one and a half intervals of silence; what it speaks is a {@link FramedWire}'s matter.
 */
public final class FramedServer extends FakeServer {

    /** How long a device may be silent. */
    public static final long SILENCE_MILLIS = 1_500;

    static final long HANDSHAKE_MILLIS = 2_000;
    static final long PROGRESS_MILLIS = 1_000;
    private static final int PORT = 7611;

    private final Map<String, FramedPeer> byId = new HashMap<>();
    private final Channel channel;

    /**
     * Listens on a loopback port, or a free one where it is 0, for devices that may be silent so long.
     *
     * @param faults which connections take in turn
     * @param webSocket lines in text messages of a WebSocket at {@code /devices/ID?key=k-ID}, for who shows the header {@code X-Device: ID}
     */
    public FramedServer(
            Supplier<FramedWire> wire, List<FramedFault> faults, int port, long silenceMillis, boolean webSocket)
            throws InterruptedException {
        channel = listen(port, null, (pipeline, number) -> {
            FramedFault fault = turn(faults, number);
            if (webSocket) {
                LinesOverWebSocket.install(pipeline, fault);
            }
            pipeline.addLast(new FramedPeer(wire.get(), fault, byId, silenceMillis));
        });
    }

    /**
     * A JT/T 808 server to try a scenario on: on port 7611 of the loopback interface until it is interrupted.
     *
     * @param args the allowed silence in milliseconds, then a fault if it is to have one
     */
    public static void main(String... args) throws InterruptedException {
        long silence = args.length > 0 ? Long.parseLong(args[0]) : 6_000;
        FramedFault fault = args.length > 1 ? FramedFault.valueOf(args[1]) : FramedFault.NONE;
        FramedServer server = new FramedServer(FramedWire.Jt808::new, List.of(fault), PORT, silence, false);
        System.out.println(
                "JT/T 808 on 127.0.0.1:" + server.port() + ", " + silence + " ms of silence allowed, " + fault);
        server.channel.closeFuture().sync();
    }

    /** Where it listens. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }
}

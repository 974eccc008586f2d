package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ten thousand connections that say nothing. */
@Tag("timed")
class SilentCrowdIT {
    private static final int CROWD = 10_000;
    private static final int EACH_ADDRESS = 2_500;

    @Test
    void crowd_thatSaysNothing_isGoneByTheHandshakeDeadline() throws Exception {
        try (GatewayProcess gateway =
                GatewayProcess.with("handshake.timeout", "3s").start()) {
            long descriptorsBefore = gateway.descriptors();
            List<SocketChannel> crowd = new ArrayList<>();
            try (WireClient device = WireClient.hello(gateway.tcp(), "steady")) {
                for (int i = 0; i < CROWD; i++) {
                    crowd.add(connect(gateway.tcp(), "127.0.7." + (1 + i / EACH_ADDRESS)));
                }
                for (SocketChannel silent : crowd) {
                    assertEquals(4006, closeCode(silent));
                }
                device.roundTrip(1);
            } finally {
                for (SocketChannel silent : crowd) {
                    silent.close();
                }
            }
            Await.until(
                    () -> "descriptors back",
                    Duration.ofSeconds(20),
                    () -> gateway.descriptors() <= descriptorsBefore + 5);
            MetricsPage metrics = gateway.metrics();
            assertEquals(CROWD, metrics.closes("handshake_timeout"));
            assertEquals(0, metrics.connections());
            assertTrue(gateway.log(" WARN ").size() < 5, gateway.log(" WARN ")::toString);
        }
    }

    private static SocketChannel connect(InetSocketAddress gateway, String from) throws Exception {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        channel.bind(new InetSocketAddress(from, 0));
        channel.connect(gateway);
        return channel;
    }

    /** The code of the CLOSE that is all this peer ever hears, before an orderly end. */
    private static int closeCode(SocketChannel channel) throws Exception {
        channel.socket().setSoTimeout((int) Await.LONG.toMillis());
        byte[] heard = channel.socket().getInputStream().readAllBytes();
        assertEquals(8, heard[0]);
        return ByteBuffer.wrap(heard).getShort(4) & 0xFFFF;
    }
}

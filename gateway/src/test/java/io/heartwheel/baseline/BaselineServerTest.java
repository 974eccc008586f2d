package io.heartwheel.baseline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.baseline.BaselineServer.Engine;
import io.netty.handler.codec.http.websocketx.Utf8FrameValidator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The baseline does what it is measured for: it answers, it closes the silent, and its pipeline is what Netty leaves. */
@Timeout(30)
class BaselineServerTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(150);

    @ParameterizedTest
    @EnumSource(value = Engine.class, names = "IO_URING", mode = EnumSource.Mode.EXCLUDE)
    void beat_overTcp_comesBack(Engine engine) throws Exception {
        try (BaselineServer server = new BaselineServer(engine, 1, LONG, false);
                Socket device = connect(server.tcp())) {
            byte[] twice = {0, 3, 1, 2, 3, 0, 1, 9};
            device.getOutputStream().write(twice);
            assertArrayEquals(twice, device.getInputStream().readNBytes(twice.length));
        }
    }

    @Test
    void beat_overWebSocket_comesBack() throws Exception {
        try (BaselineServer server = new BaselineServer(Engine.EPOLL, 1, LONG, false);
                Socket device = upgraded(server, Wire.WS_ECHO, "dev-1")) {
            device.getOutputStream().write(Wire.WS_ECHO.beat());
            assertArrayEquals(
                    new byte[] {(byte) 0x82, 4, 3, 0, 0, 0},
                    device.getInputStream().readNBytes(6));
            device.getOutputStream().write(Wire.WS_PING.beat());
            assertArrayEquals(
                    new byte[] {(byte) 0x8a, 4, 3, 0, 0, 0},
                    device.getInputStream().readNBytes(6));
        }
    }

    @Test
    void silence_pastTheIdleTime_closes() throws Exception {
        try (BaselineServer server = new BaselineServer(Engine.EPOLL, 1, SHORT, false);
                Socket tcp = connect(server.tcp());
                Socket webSocket = upgraded(server, Wire.WS_ECHO, "dev-1")) {
            long beganNanos = System.nanoTime();
            tcp.getOutputStream().write(new byte[] {0, 1, 9});
            assertEquals(3, tcp.getInputStream().readNBytes(3).length);
            assertEquals(-1, tcp.getInputStream().read());
            long silentMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
            assertTrue(silentMillis >= SHORT.toMillis(), () -> "closed after " + silentMillis + " ms");
            byte[] rest = webSocket.getInputStream().readAllBytes();
            assertEquals((byte) 0x88, rest[0], "a close frame, then the end");
        }
    }

    @Test
    void registry_deviceThatSaidWhoItIs_isKnownWhileItStays() throws Exception {
        try (BaselineServer server = new BaselineServer(Engine.EPOLL, 1, LONG, true)) {
            try (Socket tcp = connect(server.tcp());
                    Socket webSocket = upgraded(server, Wire.WS_ECHO, "dev-2")) {
                byte[] hello = Wire.PREFIXED.hello("dev-1", 0);
                tcp.getOutputStream().write(hello);
                assertArrayEquals(hello, tcp.getInputStream().readNBytes(hello.length));
                webSocket.getOutputStream().write(Wire.WS_ECHO.beat());
                assertEquals(6, webSocket.getInputStream().readNBytes(6).length);
                assertEquals(
                        List.of(
                                "IdleStateHandler#0",
                                "LengthFieldBasedFrameDecoder#0",
                                "RegisteringBeatHandler#0",
                                "DefaultChannelPipeline$TailContext#0"),
                        server.registry().get("dev-1").pipeline().names());
                assertEquals(
                        List.of(
                                "IdleStateHandler#0",
                                "wsencoder",
                                "wsdecoder",
                                Utf8FrameValidator.class.getName(),
                                "WebSocketServerProtocolHandler#0",
                                "RegisteringBeatHandler#0",
                                "DefaultChannelPipeline$TailContext#0"),
                        server.registry().get("dev-2").pipeline().names());
            }
            while (!server.registry().isEmpty()) {
                Thread.onSpinWait();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Wire.class,
            names = {"PREFIXED", "WS_ECHO", "WS_PING"})
    void crowd_beating_isAnswered(Wire wire) throws Exception {
        try (BaselineServer server = new BaselineServer(Engine.EPOLL, 1, LONG, false);
                Crowd crowd = new Crowd(wire, 60_000, wire.upgrades() ? server.webSocket() : server.tcp(), null)) {
            assertEquals(20, crowd.gather(20, 2_000));
            Crowd.Round round = crowd.beat(1_000, 0.1);
            assertEquals(100, round.sent());
            assertEquals(100, round.answered());
            assertEquals(0, crowd.lost());
        }
    }

    private static Socket connect(InetSocketAddress server) throws IOException {
        Socket socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static Socket upgraded(BaselineServer server, Wire wire, String deviceId) throws IOException {
        Socket socket = connect(server.webSocket());
        socket.getOutputStream().write(wire.upgradeRequest(deviceId, 60_000));
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append(new String(socket.getInputStream().readNBytes(1), StandardCharsets.US_ASCII));
        }
        assertTrue(head.toString().startsWith("HTTP/1.1 101 "), head::toString);
        return socket;
    }
}

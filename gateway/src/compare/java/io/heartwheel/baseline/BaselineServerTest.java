package io.heartwheel.baseline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The baseline does what it is measured for: it answers, and it closes the silent. */
@Timeout(30)
class BaselineServerTest {
    private static final int LONG_MILLIS = 60_000;
    private static final int SHORT_MILLIS = 150;

    private static final byte[] HELLO = {1, 0, 0, 1, 9};
    private static final byte[] WELCOME = {2, 0, 0, 1, 9};

    @Test
    void frames_overTcp_areAnswered() throws Exception {
        try (BaselineServer server = new BaselineServer(LONG_MILLIS, null);
                Socket device = connect(server.tcp())) {
            device.getOutputStream().write(new byte[] {1, 0, 0, 1, 9, 3, 0, 0, 2, 7, 8});
            byte[] answers = {2, 0, 0, 1, 9, 4, 0, 0, 2, 7, 8};
            assertArrayEquals(answers, device.getInputStream().readNBytes(answers.length));
        }
    }

    @Test
    void silence_pastTheIdleTime_closes() throws Exception {
        try (BaselineServer server = new BaselineServer(SHORT_MILLIS, null);
                Socket tcp = connect(server.tcp());
                Socket webSocket = upgraded(server)) {
            tcp.getOutputStream().write(HELLO);
            assertArrayEquals(WELCOME, tcp.getInputStream().readNBytes(WELCOME.length));
            assertEquals(-1, tcp.getInputStream().read());
            byte[] rest = webSocket.getInputStream().readAllBytes();
            assertEquals((byte) 0x88, rest[0], "a close frame, then the end");
        }
    }

    private static Socket connect(InetSocketAddress server) throws IOException {
        Socket socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static Socket upgraded(BaselineServer server) throws IOException {
        Socket socket = connect(server.webSocket());
        socket.getOutputStream()
                .write(("GET /ws/a HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append(new String(socket.getInputStream().readNBytes(1), StandardCharsets.US_ASCII));
        }
        assertTrue(head.toString().startsWith("HTTP/1.1 101 "), head::toString);
        return socket;
    }
}

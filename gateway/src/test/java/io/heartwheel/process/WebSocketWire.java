package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A WebSocket client on a blocking socket, written from RFC 6455. It answers nothing by itself. */
final class WebSocketWire implements AutoCloseable {
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
    private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    private static final int MASK = 0x37fa213d;

    private final Socket socket;
    private final DataInputStream in;

    /** An HTTP answer. */
    record Answer(int status, Map<String, String> headers) {}

    /** A whole frame. */
    record Frame(int opcode, byte[] payload) {
        String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }

        int code() {
            return ByteBuffer.wrap(payload).getShort() & 0xFFFF;
        }

        /** The one Heartwheel frame in this message. */
        WireFrame frame() {
            assertEquals(BINARY, opcode);
            ByteBuffer bytes = ByteBuffer.wrap(payload);
            int type = bytes.get();
            int flags = bytes.get();
            byte[] content = new byte[bytes.getShort() & 0xFFFF];
            bytes.get(content);
            assertTrue(!bytes.hasRemaining(), "one frame a message");
            return new WireFrame(type, flags, content);
        }
    }

    WebSocketWire(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) Await.LONG.toMillis());
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    static WebSocketWire connect(InetSocketAddress gateway) throws IOException {
        return new WebSocketWire(new Socket(gateway.getAddress(), gateway.getPort()));
    }

    /** A plain peer, upgraded. */
    static WebSocketWire plain(InetSocketAddress gateway, String target) throws IOException {
        return connect(gateway).upgraded(target, "");
    }

    /** A peer with frames in messages, upgraded; HELLO not said. */
    static WebSocketWire frames(InetSocketAddress gateway) throws IOException {
        return connect(gateway).upgraded("/ws", "Sec-WebSocket-Protocol: heartwheel.v1\r\n");
    }

    WebSocketWire upgraded(String target, String moreHeaders) throws IOException {
        Answer answer = request(target, moreHeaders);
        assertEquals(101, answer.status(), answer::toString);
        assertEquals(ACCEPT, answer.headers().get("sec-websocket-accept"));
        return this;
    }

    Answer request(String target, String moreHeaders) throws IOException {
        return send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + KEY + "\r\n" + moreHeaders + "\r\n")
                .answer();
    }

    // ------------------------------------------------------------------ saying

    WebSocketWire send(String bytes) throws IOException {
        return send(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    WebSocketWire send(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /** A whole masked frame. */
    WebSocketWire send(int opcode, byte... payload) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(0x80 | opcode);
        if (payload.length < 126) {
            frame.write(0x80 | payload.length);
        } else {
            frame.write(0x80 | 126);
            frame.write(payload.length >>> 8);
            frame.write(payload.length);
        }
        frame.writeBytes(ByteBuffer.allocate(4).putInt(MASK).array());
        for (int i = 0; i < payload.length; i++) {
            frame.write(payload[i] ^ (MASK >>> (24 - 8 * (i & 3))));
        }
        return send(frame.toByteArray());
    }

    WebSocketWire text(String text) throws IOException {
        return send(TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    // ------------------------------------------------------------------ hearing

    /** The head of an HTTP answer. */
    Answer answer() throws IOException {
        String status = line();
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new Answer(Integer.parseInt(status.split(" ", 3)[1]), headers);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int octet = in.readUnsignedByte(); octet != '\n'; octet = in.readUnsignedByte()) {
            if (octet != '\r') {
                line.append((char) octet);
            }
        }
        return line.toString();
    }

    /** The next frame; null at the end of the stream. */
    Frame read() throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        int second = in.readUnsignedByte();
        assertEquals(0, second & 0x80, "a server does not mask");
        long length = second;
        if (second == 126) {
            length = in.readUnsignedShort();
        } else if (second == 127) {
            length = in.readLong();
        }
        byte[] payload = new byte[(int) length];
        in.readFully(payload);
        return new Frame(first & 0x0F, payload);
    }

    /** The next frame, which is of this kind. */
    Frame expect(int opcode) throws IOException {
        Frame frame = read();
        assertNotNull(frame, () -> "the stream ended, opcode " + opcode + " was expected");
        assertEquals(opcode, frame.opcode(), frame::text);
        return frame;
    }

    /** The next frame is a close with this code; it is answered, and then the stream ends orderly. */
    void expectClose(int code) throws IOException {
        Frame frame = expect(CLOSE);
        assertEquals(
                code,
                frame.code(),
                () -> new String(frame.payload(), 2, frame.payload().length - 2, StandardCharsets.UTF_8));
        send(CLOSE, (byte) (code >>> 8), (byte) code);
        expectEnd();
    }

    /** What is left of an HTTP answer, until the stream ends without a reset. */
    void drainToEnd() throws IOException {
        in.transferTo(java.io.OutputStream.nullOutputStream());
    }

    /** The stream ends, without a reset. */
    void expectEnd() throws IOException {
        assertNull(read(), "after the end");
    }

    Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

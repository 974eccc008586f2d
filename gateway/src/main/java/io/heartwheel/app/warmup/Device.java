package io.heartwheel.app.warmup;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Device of the warm-up, on one connection. It reads no frame, only whether something came: less of the time goes into code that no gateway needs. One thread.
 */
final class Device implements AutoCloseable {
    private static final byte[] PING = {3, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    private static final byte[] DATA = {5, 1, 0, 12, 0, 0, 0, 0, 0, 0, 0, 1, 'd', 'a', 't', 'a'};
    private static final byte[] CLOSE = {8, 0, 0, 2, 0x0f, (byte) 0xa0};
    /** Masked by zeros. */
    private static final byte[] NATIVE_PING = {(byte) 0x89, (byte) 0x84, 0, 0, 0, 0, 1, 2, 3, 4};

    private static final byte[] NATIVE_DATA = {(byte) 0x82, (byte) 0x84, 0, 0, 0, 0, 'd', 'a', 't', 'a'};
    private static final byte[] NATIVE_CLOSE = {(byte) 0x88, (byte) 0x82, 0, 0, 0, 0, 0x03, (byte) 0xe8};
    private static final long LOOK_AGAIN_NANOS = 20_000;
    /** Payload of a HELLO beside id and token. */
    private static final int HELLO_BYTES = 20;

    private static final String UPGRADE =
            " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    + "Authorization: Bearer ";

    private final SocketChannel channel;
    private final boolean webSocket;
    private final ByteBuffer buffer;
    private TlsClient.@Nullable Link tls;
    private boolean ended;

    /**
     * Connects as long as it may. Its port stays free for the real listeners, also while it is in TIME_WAIT.
     *
     * @param buffer for its use, large enough for a record of TLS
     */
    Device(InetSocketAddress address, boolean webSocket, ByteBuffer buffer, BooleanSupplier goesOn) throws IOException {
        this.webSocket = webSocket;
        this.buffer = buffer;
        channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            boolean connected = channel.connect(address) || channel.finishConnect();
            while (!connected && goesOn.getAsBoolean()) {
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
                connected = channel.finishConnect();
            }
            ended = !connected;
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    /** TLS from now on. */
    void secure(TlsClient client, BooleanSupplier goesOn) throws IOException {
        tls = client.connect(channel, goesOn);
    }

    /** HELLO or the request for an upgrade, and a message. */
    void greet(String id, byte[] token, int wantedMillis) throws IOException {
        byte[] name = id.getBytes(StandardCharsets.US_ASCII);
        buffer.clear();
        if (webSocket) {
            String request = "GET " + PrivateGateway.PATH + "/" + id + "?heartbeat_ms=" + wantedMillis + UPGRADE;
            buffer.put(request.getBytes(StandardCharsets.US_ASCII)).put(token);
            buffer.put((byte) '\r')
                    .put((byte) '\n')
                    .put((byte) '\r')
                    .put((byte) '\n')
                    .put(NATIVE_DATA);
        } else {
            buffer.put((byte) 1).put((byte) 0).putShort((short) (HELLO_BYTES + name.length + token.length));
            buffer.put((byte) 'H').put((byte) 'W').put((byte) 1).put((byte) 0);
            buffer.putInt(wantedMillis).putLong(0);
            buffer.put((byte) name.length).put(name);
            buffer.putShort((short) token.length).put(token);
            buffer.put((byte) 0).put(DATA);
        }
        send();
    }

    /** A heartbeat that is answered. */
    void beat() throws IOException {
        send(webSocket ? NATIVE_PING : PING);
    }

    /** Says that it leaves. */
    void leave() throws IOException {
        send(webSocket ? NATIVE_CLOSE : CLOSE);
    }

    private void send(byte[] frame) throws IOException {
        buffer.clear();
        buffer.put(frame);
        send();
    }

    private void send() throws IOException {
        buffer.flip();
        if (ended) {
            return;
        }
        if (tls != null) {
            tls.encipher(buffer);
        }
        try {
            channel.write(buffer);
        } catch (IOException reset) {
            ended = true;
        }
    }

    /** Whether anything came since the last call, or nothing will. */
    boolean isAnswered() {
        return read() != 0;
    }

    /** Whether the gateway has ended the connection. Drops what came. */
    boolean isEnded() {
        int read;
        do {
            read = read();
        } while (read > 0);
        return read < 0;
    }

    private int read() {
        buffer.clear();
        int read = -1;
        try {
            read = ended ? -1 : channel.read(buffer);
        } catch (IOException reset) {
            // so it has ended
        }
        ended = read < 0;
        return read;
    }

    @Override
    public void close() {
        if (tls != null) {
            tls.close();
        }
        try {
            channel.close();
        } catch (IOException e) {
            // as good as closed
        }
    }
}

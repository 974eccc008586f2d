package io.heartwheel.app.warmup;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** Device of the warm-up: one connection. It reads no frames, only whether anything came. One thread. */
final class Device implements AutoCloseable {
    private static final int HELLO_BYTES = 24;
    private static final byte[] FRAME_BEAT = {3, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    private static final byte[] FRAME_DATA = {5, 1, 0, 12, 0, 0, 0, 0, 0, 0, 0, 1, 'd', 'a', 't', 'a'};
    private static final byte[] FRAME_CLOSE = {8, 0, 0, 2, 0x0f, (byte) 0xa0};
    private static final byte[] SOCKET_BEAT = {(byte) 0x89, (byte) 0x84, 0, 0, 0, 0, 1, 2, 3, 4};
    private static final byte[] SOCKET_DATA = {(byte) 0x82, (byte) 0x84, 0, 0, 0, 0, 'd', 'a', 't', 'a'};
    private static final byte[] SOCKET_CLOSE = {(byte) 0x88, (byte) 0x82, 0, 0, 0, 0, 0x03, (byte) 0xe8};

    private final SocketChannel channel;
    private final boolean webSocket;
    private final ByteBuffer bytes;
    private @Nullable SSLEngine tls;
    private boolean ended;

    Device(InetSocketAddress address, boolean webSocket, ByteBuffer bytes) throws IOException {
        this.webSocket = webSocket;
        this.bytes = bytes;
        channel = SocketChannel.open(address);
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    void secure(SSLEngine engine, BooleanSupplier goesOn) throws IOException {
        tls = engine;
        engine.beginHandshake();
        ByteBuffer in = ByteBuffer.allocateDirect(1 << 15);
        ByteBuffer none = ByteBuffer.allocate(0);
        ByteBuffer plain = ByteBuffer.allocateDirect(1 << 15);
        in.flip();
        while (goesOn.getAsBoolean()) {
            switch (engine.getHandshakeStatus()) {
                case NEED_WRAP -> {
                    bytes.clear();
                    engine.wrap(none, bytes);
                    write();
                }
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_UNWRAP -> {
                    plain.clear();
                    int before = in.remaining();
                    engine.unwrap(in, plain);
                    if (in.remaining() == before) {
                        in.compact();
                        if (channel.read(in) <= 0) {
                            LockSupport.parkNanos(50_000);
                        }
                        in.flip();
                    }
                }
                default -> {
                    return;
                }
            }
        }
    }

    void greet(String id, String token, int intervalMillis) throws IOException {
        byte[] name = id.getBytes(StandardCharsets.US_ASCII);
        byte[] secret = token.getBytes(StandardCharsets.US_ASCII);
        bytes.clear();
        if (webSocket) {
            bytes.put(("GET " + PrivateGateway.PATH + "/" + id + "?heartbeat_ms=" + intervalMillis
                            + " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                            + "Authorization: Bearer " + token + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        } else {
            bytes.put((byte) 1)
                    .put((byte) 0)
                    .putShort((short) (HELLO_BYTES - 4 + name.length + secret.length + 4))
                    .put((byte) 'H')
                    .put((byte) 'W')
                    .put((byte) 1)
                    .put((byte) 0)
                    .putInt(intervalMillis)
                    .putLong(0)
                    .put((byte) name.length)
                    .put(name)
                    .putShort((short) secret.length)
                    .put(secret)
                    .put((byte) 0);
        }
        bytes.put(webSocket ? SOCKET_DATA : FRAME_DATA);
        send();
    }

    void beat() throws IOException {
        send(webSocket ? SOCKET_BEAT : FRAME_BEAT);
    }

    void leave() throws IOException {
        send(webSocket ? SOCKET_CLOSE : FRAME_CLOSE);
    }

    private void send(byte[] frame) throws IOException {
        bytes.clear();
        bytes.put(frame);
        send();
    }

    private void send() throws IOException {
        SSLEngine engine = tls;
        if (engine != null) {
            bytes.flip();
            ByteBuffer plain = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
            bytes.clear();
            engine.wrap(plain, bytes);
        }
        write();
    }

    private void write() throws IOException {
        bytes.flip();
        if (!ended) {
            try {
                channel.write(bytes);
            } catch (IOException reset) {
                ended = true;
            }
        }
    }

    boolean isAnswered() {
        int read = read();
        return read != 0;
    }

    boolean isEnded() {
        while (!ended && read() > 0) {}
        return ended;
    }

    private int read() {
        if (ended) {
            return -1;
        }
        bytes.clear();
        try {
            int read = channel.read(bytes);
            ended = read < 0;
            return read;
        } catch (IOException reset) {
            ended = true;
            return -1;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // as good as closed
        }
        if (tls instanceof io.netty.util.ReferenceCounted counted) {
            counted.release();
        }
        tls = null;
    }
}

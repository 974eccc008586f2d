package io.heartwheel.app.warmup;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLEngine;

/**
 * TLS of the devices of the warm-up, by BoringSSL. They trust whatever the gateway shows, for it is their own. What it sends after the handshake they do not
 * decipher. One thread.
 */
final class TlsClient implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 15;
    private static final long LOOK_AGAIN_NANOS = 50_000;

    private final SslContext context = SslContextBuilder.forClient()
            .sslProvider(SslProvider.OPENSSL_REFCNT)
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .build();
    private final ByteBuffer none = ByteBuffer.allocate(0);
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer plain = ByteBuffer.allocateDirect(BUFFER_BYTES);

    /** @throws IOException if BoringSSL will not */
    TlsClient() throws IOException {}

    /** A connection's. */
    final class Link implements AutoCloseable {
        private final SSLEngine engine = context.newEngine(ByteBufAllocator.DEFAULT);

        private void shakeHands(SocketChannel channel, BooleanSupplier goesOn) throws IOException {
            in.clear().flip();
            engine.beginHandshake();
            while (goesOn.getAsBoolean()) {
                switch (engine.getHandshakeStatus()) {
                    case NEED_WRAP -> {
                        out.clear();
                        engine.wrap(none, out);
                        channel.write(out.flip());
                    }
                    case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> unwrap(channel);
                    case NEED_TASK -> {
                        Runnable task = engine.getDelegatedTask();
                        if (task != null) {
                            task.run();
                        }
                    }
                    default -> {
                        return;
                    }
                }
            }
        }

        private void unwrap(SocketChannel channel) throws IOException {
            plain.clear();
            int before = in.remaining();
            engine.unwrap(in, plain);
            if (in.remaining() == before) {
                in.compact();
                int read = channel.read(in);
                in.flip();
                if (read < 0) {
                    throw new IOException("TLS: the private gateway has ended the connection");
                }
                if (read == 0) {
                    LockSupport.parkNanos(LOOK_AGAIN_NANOS);
                }
            }
        }

        /** Exchanges the bytes between position and limit for a record of them. */
        void encipher(ByteBuffer bytes) throws IOException {
            out.clear();
            engine.wrap(bytes, out);
            bytes.clear().put(out.flip()).flip();
        }

        @Override
        public void close() {
            ReferenceCountUtil.release(engine);
        }
    }

    /** Shakes hands as long as it may. */
    Link connect(SocketChannel channel, BooleanSupplier goesOn) throws IOException {
        Link link = new Link();
        try {
            link.shakeHands(channel, goesOn);
            return link;
        } catch (IOException | RuntimeException failed) {
            link.close();
            throw failed;
        }
    }

    @Override
    public void close() {
        ReferenceCountUtil.release(context);
    }
}

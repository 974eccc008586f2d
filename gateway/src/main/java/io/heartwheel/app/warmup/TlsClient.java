package io.heartwheel.app.warmup;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import javax.net.ssl.SSLEngine;

/** TLS of the devices of the warm-up. They trust whatever is shown: it is their own. */
final class TlsClient implements AutoCloseable {
    private final SslContext context;

    TlsClient() throws IOException {
        context = SslContextBuilder.forClient()
                .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .build();
    }

    SSLEngine engine() {
        return context.newEngine(ByteBufAllocator.DEFAULT);
    }

    @Override
    public void close() {
        ReferenceCountUtil.release(context);
    }
}

package io.heartwheel.transport;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds the TLS side of a listener: BoringSSL where its library loads, else the JDK's provider, which is said at start. */
final class TlsContexts {
    private static final Logger LOG = LoggerFactory.getLogger(TlsContexts.class);

    private TlsContexts() {}

    static SslContext build(String listener, TlsSettings settings) throws SSLException {
        boolean boring = OpenSsl.isAvailable();
        if (!boring) {
            LOG.warn(
                    "listener {}: BoringSSL does not load ({}); TLS runs on the JDK's provider, slower and larger",
                    listener,
                    OpenSsl.unavailabilityCause().toString());
        }
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(
                            settings.certificateFile().toFile(),
                            settings.keyFile().toFile())
                    .sslProvider(boring ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .clientAuth(clientAuth(settings));
            if (settings.clientCaFile() != null) {
                builder.trustManager(settings.clientCaFile().toFile());
            }
            SslContext context = builder.build();
            KeyMatch.require(settings.certificateFile(), settings.keyFile());
            return context;
        } catch (IllegalArgumentException broken) {
            throw new SSLException(
                    "listeners." + listener + ".tls: certificate " + settings.certificateFile() + " with key "
                            + settings.keyFile() + " cannot be used: " + reason(broken),
                    broken);
        }
    }

    private static String reason(Throwable broken) {
        Throwable cause = broken.getCause();
        return String.valueOf(cause == null ? broken.getMessage() : cause.getMessage());
    }

    private static io.netty.handler.ssl.ClientAuth clientAuth(TlsSettings settings) {
        return switch (settings.clientAuth()) {
            case NONE -> io.netty.handler.ssl.ClientAuth.NONE;
            case OPTIONAL -> io.netty.handler.ssl.ClientAuth.OPTIONAL;
            case REQUIRED -> io.netty.handler.ssl.ClientAuth.REQUIRE;
        };
    }
}

package io.heartwheel.transport.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.ReferenceCountedOpenSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.KeyManagerFactoryWrapper;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;

/** Factory of the TLS contexts of a listener. Reads no file: all bytes are handed in. Any thread but an event loop. */
final class TlsContexts {
    private static final String NO_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";
    /** Sessions that the JDK's provider may hold for a listener; its own tickets need none. */
    private static final int JDK_SESSIONS = 1_024;
    /** Each connection has as much for what BoringSSL writes while it reads; 2,048 is Netty's default. A longer flight goes in parts. */
    private static final int WRITTEN_WHILE_READING = 512;

    private TlsContexts() {}

    /**
     * A context and what stands in it.
     *
     * @param context for its owner to release
     */
    record Built(SslContext context, List<Credential> credentials, TlsFiles files) {
        boolean isBoring() {
            return context.sessionContext() instanceof OpenSslServerSessionContext;
        }
    }

    /**
     * Whether BoringSSL is to be used.
     *
     * @throws TlsFault if it must be and does not load
     */
    private static boolean boring(TlsSettings settings) {
        if (settings.provider() == TlsSettings.Provider.BORINGSSL && !OpenSsl.isAvailable()) {
            throw new TlsFault("provider", "boringssl", "its library does not load: " + OpenSsl.unavailabilityCause());
        }
        return settings.provider() != TlsSettings.Provider.JDK && OpenSsl.isAvailable();
    }

    /**
     * Builds a context.
     *
     * @param http whether peers may speak HTTP, so that ALPN is of use
     * @param wallMillis milliseconds since 1970
     * @throws SSLException naming what will not do
     */
    static Built build(TlsSettings settings, TlsFiles files, boolean http, LongSupplier wallMillis)
            throws SSLException {
        try {
            boolean boring = boring(settings);
            List<Credential> credentials = new ArrayList<>();
            for (CertificateFiles each : settings.certificates()) {
                credentials.add(Credential.of(each, files));
            }
            List<String> ciphers = ciphers(settings, credentials);
            KeyManagerFactory keys =
                    new KeyManagerFactoryWrapper(new CredentialChoice(credentials, boring, wallMillis));
            SslContextBuilder builder = SslContextBuilder.forServer(
                            boring ? new OpenSslCachingX509KeyManagerFactory(keys) : keys)
                    .sslProvider(boring ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
                    .protocols(protocols(settings))
                    .ciphers(ciphers)
                    .clientAuth(clientAuth(settings))
                    .enableOcsp(boring && credentials.stream().anyMatch(each -> each.staple() != null));
            if (http) {
                builder.applicationProtocolConfig(alpn());
            }
            if (settings.clientCaFile() != null) {
                builder.trustManager(
                        DeviceTrust.in(files.certificates("client-ca-file", settings.clientCaFile()), boring));
            }
            if (!boring && System.getProperty(NO_RENEGOTIATION) == null) {
                System.setProperty(NO_RENEGOTIATION, "true");
            }
            Built built = new Built(builder.build(), credentials, files);
            if (built.context() instanceof ReferenceCountedOpenSslContext context) {
                context.setBioNonApplicationBufferSize(WRITTEN_WHILE_READING);
            }
            limitSessions(built, settings, files);
            return built;
        } catch (IllegalArgumentException broken) {
            throw new SSLException(broken.getMessage(), broken);
        }
    }

    private static String[] protocols(TlsSettings settings) {
        return Stream.of(TlsSettings.Version.V1_3, TlsSettings.Version.V1_2)
                .filter(version -> version.compareTo(settings.oldest()) >= 0)
                .map(TlsSettings.Version::javaName)
                .toArray(String[]::new);
    }

    private static List<String> ciphers(TlsSettings settings, List<Credential> credentials) {
        if (settings.oldest() == TlsSettings.Version.V1_3) {
            return TlsCiphers.OF_1_3;
        }
        List<String> named = settings.ciphers().isEmpty() ? TlsCiphers.OURS : settings.ciphers();
        for (Credential credential : credentials) {
            if (!TlsCiphers.fit(named, credential.keyAlgorithm())) {
                throw new TlsFault(
                        "ciphers",
                        named,
                        "need one for the " + credential.keyAlgorithm() + " key of "
                                + credential.files().certificateFile());
            }
        }
        return Stream.concat(TlsCiphers.OF_1_3.stream(), named.stream()).toList();
    }

    /** Who offers other protocols is served as if it had offered none: it may be a device that always offers its own. */
    private static ApplicationProtocolConfig alpn() {
        return new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                ApplicationProtocolNames.HTTP_1_1);
    }

    private static io.netty.handler.ssl.ClientAuth clientAuth(TlsSettings settings) {
        return switch (settings.clientAuth()) {
            case NONE -> io.netty.handler.ssl.ClientAuth.NONE;
            case OPTIONAL -> io.netty.handler.ssl.ClientAuth.OPTIONAL;
            case REQUIRED -> io.netty.handler.ssl.ClientAuth.REQUIRE;
        };
    }

    /**
     * No sessions are kept here: devices carry them in tickets. A ticket counts only where devices are asked for certificates in the same way and
     * the same authorities are believed, or one from a listener that asks for none would open one that does.
     */
    private static void limitSessions(Built built, TlsSettings settings, TlsFiles files) throws SSLException {
        SSLSessionContext sessions = built.context().sessionContext();
        if (sessions instanceof OpenSslServerSessionContext boring) {
            MessageDigest digest = TlsFiles.sha256();
            digest.update(settings.clientAuth().name().getBytes(StandardCharsets.US_ASCII));
            if (settings.clientCaFile() != null) {
                digest.update(files.bytes(settings.clientCaFile()));
            }
            boring.setSessionCacheEnabled(false);
            if (!boring.setSessionIdContext(digest.digest())) {
                ReferenceCountUtil.release(built.context());
                throw new SSLException("BoringSSL takes no session id context");
            }
        } else {
            sessions.setSessionCacheSize(JDK_SESSIONS);
        }
    }
}

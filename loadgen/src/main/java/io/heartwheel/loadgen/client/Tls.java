package io.heartwheel.loadgen.client;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS settings of the devices of one target. Immutable; any thread.
 *
 * @param trustFile PEM certificates that the server's must come from; null: those the JDK trusts
 * @param insecure whether any certificate will do, whatever name stands in it; has to be said
 * @param certificateFile PEM certificates the devices show; null: none. All devices show the same
 * @param keyFile PEM private key (PKCS #8, no password) of it
 * @param serverName expected in the certificate, and asked for (SNI) unless it is an address; empty: the target's host
 */
public record Tls(
        @Nullable Path trustFile,
        boolean insecure,
        @Nullable Path certificateFile,
        @Nullable Path keyFile,
        String serverName) {

    /** Trusts whom the JDK trusts, shows no certificate. */
    public static final Tls DEFAULT = new Tls(null, false, null, null, "");

    /** @throws IllegalArgumentException for settings that contradict each other */
    public Tls {
        if (insecure && trustFile != null) {
            throw new IllegalArgumentException("tls.insecure = true: need no trust-file beside it");
        }
        if ((certificateFile == null) != (keyFile == null)) {
            throw new IllegalArgumentException(
                    certificateFile == null
                            ? "tls.key-file = " + keyFile + ": need a certificate-file beside it"
                            : "tls.certificate-file = " + certificateFile + ": need a key-file beside it");
        }
    }

    /**
     * What stands in front of the devices of one target: built once, for the run; to be closed after its event loops. BoringSSL where its library
     * loads, else the JDK's provider. Each device makes a full handshake, as a device of its own would; the JDK's provider alone resumes sessions
     * among them.
     *
     * @throws IllegalArgumentException naming the file that cannot be used, and why
     */
    public TlsFront front() {
        return front(null);
    }

    /** The same; each device shows what these say, if that is a certificate. */
    public TlsFront front(@Nullable Credentials credentials) {
        return new TlsFront(context(null), serverName, index -> {
            Identity identity = credentials == null ? null : credentials.identity(index);
            return identity == null ? null : context(identity);
        });
    }

    private SslContext context(@Nullable Identity identity) {
        SslContextBuilder builder =
                SslContextBuilder.forClient().sslProvider(provider()).protocols("TLSv1.3", "TLSv1.2");
        trust(builder);
        if (identity == null) {
            show(builder);
        } else {
            builder.keyManager(identity.key(), identity.certificate());
        }
        try {
            SslContext context = builder.build();
            if (context.sessionContext() instanceof OpenSslSessionContext sessions) {
                sessions.setSessionCacheEnabled(false);
            }
            return context;
        } catch (SSLException e) {
            throw new IllegalArgumentException("tls: " + reason(e), e);
        }
    }

    private void trust(SslContextBuilder builder) {
        if (insecure) {
            builder.trustManager(InsecureTrustManagerFactory.INSTANCE).endpointIdentificationAlgorithm(null);
            return;
        }
        if (trustFile == null) {
            return;
        }
        File trusted = readable("trust-file", trustFile);
        try {
            builder.trustManager(trusted);
        } catch (IllegalArgumentException e) {
            throw unusable("trust-file = " + trustFile, "PEM certificates", e);
        }
    }

    private void show(SslContextBuilder builder) {
        if (certificateFile == null || keyFile == null) {
            return;
        }
        File certificate = readable("certificate-file", certificateFile);
        File key = readable("key-file", keyFile);
        try {
            builder.keyManager(certificate, key);
        } catch (IllegalArgumentException e) {
            throw unusable(
                    "certificate-file = " + certificateFile, "PEM certificates, and their PEM key in " + keyFile, e);
        }
    }

    private static File readable(String name, Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("tls." + name + " = " + file + ": need a file that can be read");
        }
        return file.toFile();
    }

    private static IllegalArgumentException unusable(String setting, String need, IllegalArgumentException cause) {
        return new IllegalArgumentException("tls." + setting + ": need " + need + " (" + reason(cause) + ")", cause);
    }

    private static String reason(Throwable broken) {
        Throwable cause = broken.getCause();
        return String.valueOf(cause == null ? broken.getMessage() : cause.getMessage());
    }

    private static SslProvider provider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;
    }
}

package io.heartwheel.net;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS of the gateway's own clients: whom they trust and what they show, from files in PEM. Any thread that may block on files. */
public final class ClientTls {
    private ClientTls() {}

    /**
     * Reads the files.
     *
     * @param caFile authorities; null: those of the JDK
     * @param certificateFile what is shown to a server that asks, with those above it; null: nothing
     * @param keyFile its key; null: likewise
     * @throws IOException if one of them cannot be used, naming it
     */
    public static SSLContext context(@Nullable Path caFile, @Nullable Path certificateFile, @Nullable Path keyFile)
            throws IOException {
        try {
            KeyManager @Nullable [] shown =
                    certificateFile == null || keyFile == null ? null : shown(certificateFile, keyFile);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    shown, caFile == null ? null : trust(certificates(caFile)).getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS: " + e.getMessage(), e);
        }
    }

    /**
     * Trust in these authorities alone.
     *
     * @throws GeneralSecurityException if they will not do
     */
    public static TrustManagerFactory trust(List<X509Certificate> authorities)
            throws IOException, GeneralSecurityException {
        KeyStore trusted = empty();
        for (int i = 0; i < authorities.size(); i++) {
            trusted.setCertificateEntry("authority-" + i, authorities.get(i));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return trust;
    }

    /** What is wrong with a file of authorities; empty: nothing. */
    public static Optional<String> authoritiesProblem(Path caFile) {
        try {
            Pem.certificates(Pem.bytesOf(caFile));
            return Optional.empty();
        } catch (IllegalArgumentException unusable) {
            return Optional.of(String.valueOf(unusable.getMessage()));
        }
    }

    private static List<X509Certificate> certificates(Path file) throws IOException {
        try {
            return Pem.certificates(Pem.bytesOf(file));
        } catch (IllegalArgumentException unusable) {
            throw new IOException(file + ": " + unusable.getMessage(), unusable);
        }
    }

    private static KeyManager[] shown(Path certificateFile, Path keyFile) throws IOException, GeneralSecurityException {
        List<X509Certificate> chain = certificates(certificateFile);
        KeyStore keys = empty();
        char[] password = new char[0];
        try {
            keys.setKeyEntry(
                    "own",
                    Pem.key(Pem.bytesOf(keyFile), chain.get(0).getPublicKey()),
                    password,
                    chain.toArray(new Certificate[0]));
        } catch (IllegalArgumentException unusable) {
            throw new IOException(keyFile + ": " + unusable.getMessage(), unusable);
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, password);
        return factory.getKeyManagers();
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }
}

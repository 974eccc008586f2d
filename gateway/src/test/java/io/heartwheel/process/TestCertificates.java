package io.heartwheel.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.Key;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;

/**
 * A certificate authority of our own and what it signed: {@code gateway}, {@code other} for {@code other.example}, {@code device},
 * {@code expired}, {@code early} and {@code server-only}; {@code stranger} signed itself. All are made by {@code keys.sh} beside the key store.
 */
final class TestCertificates {
    private static final char[] PASSWORD = "heartwheel".toCharArray();

    private final Path directory;
    private final KeyStore keys = KeyStore.getInstance("PKCS12");

    /** Files go to this directory. */
    TestCertificates(Path directory) throws Exception {
        this.directory = directory;
        try (InputStream in = TestCertificates.class.getResourceAsStream("keys.p12")) {
            keys.load(in, PASSWORD);
        }
    }

    /** A PEM file with the certificate and those above it. */
    Path certificate(String alias) throws Exception {
        StringBuilder text = new StringBuilder();
        for (Certificate each : keys.getCertificateChain(alias)) {
            text.append(pem("CERTIFICATE", each.getEncoded()));
        }
        return written(alias + ".crt", text);
    }

    /** A PEM file with the private key. */
    Path key(String alias) throws Exception {
        Key key = keys.getKey(alias, PASSWORD);
        return written(alias + ".key", pem("PRIVATE KEY", key.getEncoded()));
    }

    /** Whole or not at all: another gateway may be reading the file of this name. */
    private Path written(String name, CharSequence text) throws IOException {
        Path fresh = Files.writeString(Files.createTempFile(directory, name, ".new"), text);
        return Files.move(fresh, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String pem(String kind, byte[] content) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
                + "\n-----END " + kind + "-----\n";
    }

    /** A client that trusts the authority, and shows the certificate of this alias; none for null. */
    SSLContext client(String alias) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, PASSWORD);
        trusted.setCertificateEntry("ca", keys.getCertificate("ca"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyManager[] shown = alias == null ? null : new KeyManager[] {insistent(alias)};
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(shown, trust.getTrustManagers(), null);
        return context;
    }

    /** TLS on this connection, whose client trusts the authority and shows nothing. */
    Socket secured(Socket plain) throws Exception {
        String host = plain.getInetAddress().getHostAddress();
        return client(null).getSocketFactory().createSocket(plain, host, plain.getPort(), true);
    }

    /** Shows this certificate whoever the server believes; the JDK's own would show none to who does not believe it. */
    private X509ExtendedKeyManager insistent(String alias) throws Exception {
        KeyManagerFactory factory = KeyManagerFactory.getInstance("SunX509");
        factory.init(keys, PASSWORD);
        X509KeyManager all = (X509KeyManager) factory.getKeyManagers()[0];
        return new X509ExtendedKeyManager() {
            @Override
            public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
                return alias;
            }

            @Override
            public X509Certificate[] getCertificateChain(String of) {
                return all.getCertificateChain(of);
            }

            @Override
            public PrivateKey getPrivateKey(String of) {
                return all.getPrivateKey(of);
            }

            @Override
            public String[] getClientAliases(String keyType, Principal[] issuers) {
                return new String[] {alias};
            }

            @Override
            public String[] getServerAliases(String keyType, Principal[] issuers) {
                return null;
            }

            @Override
            public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
                return null;
            }
        };
    }
}

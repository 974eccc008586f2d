package io.heartwheel.auth.http;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Certificates of the tests of TLS, for a service. */
final class TlsResources {
    private TlsResources() {}

    static Path file(String name) throws Exception {
        return Path.of(TlsResources.class
                .getResource("/io/heartwheel/transport/tls/" + name)
                .toURI());
    }

    /** Of a server with this key, an elliptic one as PKCS #8, and its certificates. */
    static SSLContext server(String name) throws Exception {
        String pem = Files.readString(file(name + ".key")).replaceAll("-----[^-]*-----", "");
        byte[] key = Base64.getMimeDecoder().decode(pem);
        Certificate[] chain;
        try (InputStream in = Files.newInputStream(file(name + ".pem"))) {
            chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .toArray(Certificate[]::new);
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "own", KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)), new char[0], chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }
}

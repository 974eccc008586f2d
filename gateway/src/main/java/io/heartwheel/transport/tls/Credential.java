package io.heartwheel.transport.tls;

import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Certificate with its chain, its key, its hosts and its OCSP staple. Immutable; any thread.
 *
 * @param chain the certificate first
 * @param staple null: none is there, or none that will do
 * @param stapleFault why there is none though a file was named; empty: no fault
 */
record Credential(
        CertificateFiles files,
        List<X509Certificate> chain,
        PrivateKey key,
        List<String> hosts,
        @Nullable OcspStaple staple,
        String stapleFault) {
    private static final int DNS_NAME = 2;

    /** @throws IllegalArgumentException naming the file and what is wrong with it; a bad staple is no reason */
    static Credential of(CertificateFiles files, TlsFiles seen) {
        List<X509Certificate> chain;
        try {
            chain = Pem.certificates(seen.bytes(files.certificateFile()));
        } catch (IllegalArgumentException broken) {
            throw new TlsFault("certificate-file", files.certificateFile(), broken);
        }
        PrivateKey key;
        try {
            key = KeyMatch.read(chain.get(0).getPublicKey(), seen.bytes(files.keyFile()));
        } catch (IllegalArgumentException broken) {
            String value = files.keyFile() + " (certificate-file = " + files.certificateFile() + ")";
            throw new TlsFault("key-file", value, broken);
        }
        List<String> hosts = files.hosts().isEmpty() ? hostsOf(chain.get(0)) : files.hosts();
        if (files.ocspFile() == null) {
            return new Credential(files, chain, key, hosts, null, "");
        }
        try {
            OcspStaple staple =
                    OcspStaple.of(seen.bytes(files.ocspFile()), chain.get(0).getSerialNumber());
            return new Credential(files, chain, key, hosts, staple, "");
        } catch (IllegalArgumentException broken) {
            return new Credential(files, chain, key, hosts, null, String.valueOf(broken.getMessage()));
        }
    }

    /** The DNS names in it; what is no host name is passed over. */
    private static List<String> hostsOf(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            if (names == null) {
                return List.of();
            }
            return names.stream()
                    .filter(name -> Objects.equals(name.get(0), DNS_NAME))
                    .map(name -> String.valueOf(name.get(1)).toLowerCase(Locale.ROOT))
                    .filter(HostNames::isPattern)
                    .toList();
        } catch (CertificateParsingException broken) {
            return List.of();
        }
    }

    String name() {
        return files.name();
    }

    X509Certificate[] chainArray() {
        return chain.toArray(new X509Certificate[0]);
    }

    String keyAlgorithm() {
        return key.getAlgorithm();
    }

    long notBeforeMillis() {
        return chain.get(0).getNotBefore().getTime();
    }

    long notAfterMillis() {
        return chain.get(0).getNotAfter().getTime();
    }

    /** Holds a key: says only what file it is of. */
    @Override
    public String toString() {
        return files.certificateFile() + " " + hosts;
    }
}

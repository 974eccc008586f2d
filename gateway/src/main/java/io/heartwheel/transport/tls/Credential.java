package io.heartwheel.transport.tls;

import io.heartwheel.net.Pem;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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
    /** How long before its end a certificate is spoken of. */
    static final long AHEAD_MILLIS = Duration.ofDays(14).toMillis();

    private static final int DNS_NAME = 2;

    /** @throws IllegalArgumentException naming the file and what is wrong with it; a bad staple is no reason */
    static Credential of(CertificateFiles files, TlsFiles seen) {
        List<X509Certificate> chain = seen.certificates("certificate-file", files.certificateFile());
        PrivateKey key;
        try {
            key = Pem.key(seen.bytes(files.keyFile()), chain.get(0).getPublicKey());
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

    /** What an operator is to know of a listener's before devices fail, a line each; the same words as long as nothing changes. */
    static List<String> notices(String listener, List<Credential> credentials, long nowMillis) {
        List<String> notices = new ArrayList<>();
        for (Credential credential : credentials) {
            String which = "listener " + listener + ": certificate " + credential.files.certificateFile();
            if (nowMillis >= credential.notAfterMillis()) {
                notices.add(which + " expired on " + Instant.ofEpochMilli(credential.notAfterMillis())
                        + ": devices that look at it stay away");
            } else if (nowMillis >= credential.notAfterMillis() - AHEAD_MILLIS) {
                notices.add(which + " expires on " + Instant.ofEpochMilli(credential.notAfterMillis()));
            }
            if (nowMillis < credential.notBeforeMillis()) {
                notices.add(which + " is not valid before " + Instant.ofEpochMilli(credential.notBeforeMillis()));
            }
            staple(which, credential, nowMillis, notices);
        }
        return notices;
    }

    private static void staple(String which, Credential credential, long nowMillis, List<String> notices) {
        OcspStaple staple = credential.staple;
        if (!credential.stapleFault.isEmpty()) {
            notices.add(which + " goes without a staple: ocsp-file = " + credential.files.ocspFile() + ": "
                    + credential.stapleFault);
        } else if (staple != null && !staple.holds(nowMillis)) {
            notices.add(which + " goes without a staple: ocsp-file = "
                    + credential.files.ocspFile() + " held until "
                    + Instant.ofEpochMilli(staple.nextUpdateMillis()));
        }
    }

    /** Holds a key: says only what file it is of. */
    @Override
    public String toString() {
        return files.certificateFile() + " " + hosts;
    }
}

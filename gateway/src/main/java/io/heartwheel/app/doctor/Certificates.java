package io.heartwheel.app.doctor;

import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.tls.CertificateFiles;
import io.heartwheel.transport.tls.TlsSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What devices are shown: whether it can be read, still holds, names a host, and belongs to its key. */
final class Certificates {
    private static final String AREA = "certificates";
    private static final Duration SOON = Duration.ofDays(30);
    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final String RENEW = "renew it, put it into the same file, and reload: systemctl reload heartwheel";

    private final Instant now;
    private final List<Finding> found = new ArrayList<>();

    private Certificates(Instant now) {
        this.now = now;
    }

    static List<Finding> of(Patient patient) {
        Certificates certificates = new Certificates(patient.probes().now());
        for (ListenerSettings listener : patient.settings().listeners()) {
            TlsSettings tls = listener.tls();
            if (tls != null) {
                for (CertificateFiles files : tls.certificates()) {
                    certificates.look(listener.name(), files.certificateFile(), files.keyFile());
                }
            }
        }
        return certificates.found;
    }

    private void look(String listener, Path file, Path keyFile) {
        String name = "listener " + listener + ", " + file;
        List<X509Certificate> chain;
        try {
            chain = read(file);
        } catch (IOException | GeneralSecurityException broken) {
            found.add(unusable(name + ": cannot be read as PEM certificates: " + broken.getMessage()));
            return;
        }
        if (chain.isEmpty()) {
            found.add(unusable(name + ": holds no certificate"));
            return;
        }
        int before = found.size();
        chain.forEach(each -> validity(name, each));
        order(name, chain);
        names(name, chain.get(0));
        key(name, chain.get(0).getPublicKey(), keyFile);
        if (found.size() == before) {
            found.add(Finding.ok(
                    AREA,
                    name + ": good until " + chain.get(0).getNotAfter().toInstant() + ", chain of " + chain.size()));
        }
    }

    private static Finding unusable(String what) {
        return Finding.fail(AREA, what, "the gateway does not start", "openssl x509 -noout -text -in FILE tells more");
    }

    private static List<X509Certificate> read(Path file) throws IOException, GeneralSecurityException {
        List<X509Certificate> chain = new ArrayList<>();
        try (InputStream in = Files.newInputStream(file)) {
            for (var each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                chain.add((X509Certificate) each);
            }
        }
        return chain;
    }

    private void validity(String name, X509Certificate certificate) {
        Instant from = certificate.getNotBefore().toInstant();
        Instant until = certificate.getNotAfter().toInstant();
        String who = name + ": " + certificate.getSubjectX500Principal();
        if (until.isBefore(now)) {
            found.add(Finding.fail(AREA, who + " ended " + until, "devices turn it down", RENEW));
        } else if (from.isAfter(now)) {
            found.add(Finding.fail(
                    AREA, who + " begins only " + from, "devices turn it down", "wait, or set this machine's clock"));
        } else if (until.isBefore(now.plus(SOON))) {
            long days = Duration.between(now, until).toDays();
            found.add(Finding.warn(AREA, who + " ends in " + days + " days", "then devices turn it down", RENEW));
        }
    }

    private void order(String name, List<X509Certificate> chain) {
        for (int i = 1; i < chain.size(); i++) {
            X509Certificate below = chain.get(i - 1);
            if (!signed(below, chain.get(i))) {
                found.add(Finding.fail(
                        AREA,
                        name + ": certificate " + (i + 1) + " has not signed the one before it",
                        "devices that do not know the missing one turn it down",
                        "order the file: the gateway's own first, then whoever signed it, and so on up"));
                return;
            }
        }
    }

    private static boolean signed(X509Certificate below, X509Certificate above) {
        try {
            below.verify(above.getPublicKey());
            return below.getIssuerX500Principal().equals(above.getSubjectX500Principal());
        } catch (GeneralSecurityException no) {
            return false;
        }
    }

    private void names(String name, X509Certificate own) {
        try {
            var names = own.getSubjectAlternativeNames();
            if (names == null || names.isEmpty()) {
                found.add(Finding.warn(
                        AREA,
                        name + ": names no host (subjectAltName)",
                        "whoever checks the host, as nearly all do, turns it down",
                        "have it issued with subjectAltName=DNS:your.host"));
            }
        } catch (GeneralSecurityException broken) {
            found.add(unusable(name + ": its names cannot be read: " + broken.getMessage()));
        }
    }

    private void key(String name, PublicKey certified, Path keyFile) {
        String problem;
        try {
            Matcher pem = PKCS8.matcher(Files.readString(keyFile, StandardCharsets.ISO_8859_1));
            String algorithm = signature(certified.getAlgorithm());
            boolean looked = pem.find() && !algorithm.isEmpty();
            problem = !looked || matches(certified, pem.group(1), algorithm) ? "" : "is not that of the certificate";
        } catch (IOException | GeneralSecurityException | IllegalArgumentException broken) {
            problem = "is not that of the certificate, or broken: " + broken.getMessage();
        }
        if (!problem.isEmpty()) {
            found.add(unusable(name + ": key " + keyFile + " " + problem));
        }
    }

    private static boolean matches(PublicKey certified, String base64, String algorithm)
            throws GeneralSecurityException {
        PrivateKey key = KeyFactory.getInstance(certified.getAlgorithm())
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64)));
        byte[] text = "heartwheel".getBytes(StandardCharsets.US_ASCII);
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(text);
        return signature.verify(signed);
    }

    /** Empty for a kind of key that is not looked at. */
    private static String signature(String keyAlgorithm) {
        return switch (keyAlgorithm) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "";
        };
    }
}

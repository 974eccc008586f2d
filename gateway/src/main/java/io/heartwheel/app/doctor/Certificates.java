package io.heartwheel.app.doctor;

import io.heartwheel.transport.tls.TlsCheck;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Check of the certificates that devices see: readable, still valid, with a host name, and matching their keys. */
final class Certificates {
    private static final Duration SOON = Duration.ofDays(30);
    private static final String RENEW = "renew it, put it into the same file, and reload: systemctl reload heartwheel";

    private final Instant now;
    private final List<Finding> found = new ArrayList<>();

    private Certificates(Instant now) {
        this.now = now;
    }

    static List<Finding> of(CheckContext context) {
        Certificates certificates = new Certificates(context.probes().now());
        context.tlsByListener().forEach((listener, tls) -> tls.certificates()
                .forEach(files -> certificates.look(listener, files.certificateFile(), files.keyFile())));
        return certificates.found;
    }

    private void look(String listener, Path file, Path keyFile) {
        String name = "listener " + listener + ", " + file;
        List<X509Certificate> chain;
        try {
            chain = TlsCheck.chain(file);
        } catch (IllegalArgumentException broken) {
            found.add(unusable(name + ": " + broken.getMessage()));
            return;
        }
        int before = found.size();
        chain.forEach(each -> validity(name, each));
        order(name, chain);
        names(name, chain.get(0));
        TlsCheck.keyMistakes(chain.get(0).getPublicKey(), keyFile)
                .forEach(mistake -> found.add(unusable(name + ": key " + keyFile + ": " + mistake.what())));
        if (found.size() == before) {
            found.add(Finding.ok(
                    name + ": good until " + chain.get(0).getNotAfter().toInstant() + ", chain of " + chain.size()));
        }
    }

    private static Finding unusable(String what) {
        return Finding.fail(what, "the gateway does not start", "openssl x509 -noout -text -in FILE tells more");
    }

    private void validity(String name, X509Certificate certificate) {
        Instant from = certificate.getNotBefore().toInstant();
        Instant until = certificate.getNotAfter().toInstant();
        String who = name + ": " + certificate.getSubjectX500Principal();
        if (until.isBefore(now)) {
            found.add(Finding.fail(who + " ended " + until, "devices turn it down", RENEW));
        } else if (from.isAfter(now)) {
            found.add(Finding.fail(
                    who + " begins only " + from, "devices turn it down", "wait, or set this machine's clock"));
        } else if (until.isBefore(now.plus(SOON))) {
            long days = Duration.between(now, until).toDays();
            found.add(Finding.warn(who + " ends in " + days + " days", "then devices turn it down", RENEW));
        }
    }

    private void order(String name, List<X509Certificate> chain) {
        for (int i = 1; i < chain.size(); i++) {
            X509Certificate below = chain.get(i - 1);
            if (!signed(below, chain.get(i))) {
                found.add(Finding.fail(
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
                        name + ": names no host (subjectAltName)",
                        "whoever checks the host, as nearly all do, turns it down",
                        "have it issued with subjectAltName=DNS:your.host"));
            }
        } catch (GeneralSecurityException broken) {
            found.add(unusable(name + ": its names cannot be read: " + broken.getMessage()));
        }
    }
}

package io.heartwheel.auth.certificate;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.WatchedFiles;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Method {@code certificate}: the device's certificate names it, and HELLO has to claim one of these names. TLS has checked the chain already; here it is
 * looked up in the lists of revoked ones, as are those above it, sent by the device or known as authorities. Answers at once, on the caller's thread. A device
 * is admitted until its certificate expires.
 *
 * <p>Any thread asks; one at a time refreshes. They share the lists, which are exchanged by one volatile write.
 */
final class CertificateAuthenticator implements Authenticator {
    /** Of a chain: as many as the JDK takes; BoringSSL takes hundreds, each of which would be looked up. */
    private static final int MOST_CERTIFICATES = 10;

    private final CertificateNames names;
    private final @Nullable Path crlFile;
    private final List<Path> authorities;
    private final LongSupplier wallMillis;
    private final WatchedFiles watched;
    private volatile RevokedSerials revoked;

    /** @throws BrokenFile telling what is wrong with the CRL file */
    CertificateAuthenticator(CertificateSettings settings, LongSupplier wallMillis) throws BrokenFile {
        names = new CertificateNames(settings.from(), settings.pattern());
        crlFile = settings.crlFile();
        authorities = settings.authorities();
        this.wallMillis = wallMillis;
        List<Path> files = new ArrayList<>(authorities);
        if (crlFile != null) {
            files.add(crlFile);
        }
        watched = new WatchedFiles(files);
        revoked = CrlFile.read(crlFile, authorities);
    }

    @Override
    public String name() {
        return CertificateSettings.METHOD;
    }

    @Override
    public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
        answer.accept(request.certificates().isEmpty() ? AuthResult.NOT_MINE : decide(request));
    }

    private AuthResult decide(AuthRequest request) {
        List<X509Certificate> chain = request.certificates();
        if (chain.size() > MOST_CERTIFICATES) {
            return new AuthResult.Refused(
                    AuthCause.MALFORMED, "a chain of " + chain.size() + ": need at most " + MOST_CERTIFICATES);
        }
        X509Certificate own = chain.get(0);
        List<String> ids;
        try {
            ids = names.of(own);
        } catch (IllegalArgumentException broken) {
            return new AuthResult.Refused(AuthCause.MALFORMED, String.valueOf(broken.getMessage()));
        }
        if (!ids.contains(request.deviceName())) {
            return new AuthResult.Refused(
                    AuthCause.OTHER_DEVICE,
                    ids.isEmpty() ? "the certificate names no device" : "the certificate names another device");
        }
        RevokedSerials lists = revoked;
        for (X509Certificate each : chain) {
            if (lists.contains(each)) {
                return new AuthResult.Refused(
                        AuthCause.REVOKED,
                        "serial number " + each.getSerialNumber().toString(16));
            }
            if (lists.isOfRevoked(each)) {
                return new AuthResult.Refused(
                        AuthCause.REVOKED,
                        "its authority " + each.getIssuerX500Principal().getName());
            }
        }
        long expiresAtMillis = own.getNotAfter().getTime();
        return expiresAtMillis <= wallMillis.getAsLong()
                ? new AuthResult.Refused(AuthCause.EXPIRED, "the certificate has expired")
                : new AuthResult.Admitted(null, expiresAtMillis);
    }

    /** What is wrong with the file, and which lists should have been replaced. */
    @Override
    public List<String> refresh() {
        if (crlFile == null) {
            return List.of();
        }
        List<String> all = new ArrayList<>(watched.refresh(() -> take(crlFile)));
        all.addAll(revoked.overdue(CrlFile.name(crlFile), wallMillis.getAsLong()));
        return all;
    }

    /** A list that should have been replaced does not forbid the rest of a reload. */
    @Override
    public List<String> reload() {
        return crlFile == null ? List.of() : watched.reload(() -> take(crlFile));
    }

    private List<String> take(Path file) {
        try {
            RevokedSerials fresh = CrlFile.read(file, authorities);
            List<String> problems = fresh.takingBack(revoked, CrlFile.name(file));
            revoked = problems.isEmpty() ? fresh : revoked;
            return problems;
        } catch (BrokenFile bad) {
            return bad.problems();
        }
    }
}

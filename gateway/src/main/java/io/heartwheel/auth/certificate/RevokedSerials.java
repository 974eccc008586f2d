package io.heartwheel.auth.certificate;

import java.math.BigInteger;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.x500.X500Principal;

/**
 * Revoked certificates by issuer and serial number. Nobody changes what it is made of; any thread.
 *
 * @param byIssuer serial numbers; an issuer with several lists has all of theirs
 * @param nextUpdates when the next list of an issuer was promised, for those that said so
 * @param thisUpdates when the latest list was made, by issuer and distribution point
 */
record RevokedSerials(
        Map<X500Principal, Set<BigInteger>> byIssuer,
        Map<X500Principal, Date> nextUpdates,
        Map<Source, Date> thisUpdates) {
    static final RevokedSerials NONE = new RevokedSerials(Map.of(), Map.of(), Map.of());

    /**
     * Source of a list; a later one of the same source replaces it.
     *
     * @param point extension of the distribution point, in hexadecimal digits; empty without one
     */
    record Source(X500Principal issuer, String point) {}

    boolean contains(X509Certificate certificate) {
        Set<BigInteger> serials = byIssuer.get(certificate.getIssuerX500Principal());
        return serials != null && serials.contains(certificate.getSerialNumber());
    }

    /** What forbids to use these in place of earlier ones: a list that is older than that of its source. It may be replayed, to take back a revocation. */
    List<String> olderThan(RevokedSerials earlier, String name) {
        List<String> older = new ArrayList<>();
        thisUpdates.forEach((source, made) -> {
            Date before = earlier.thisUpdates.get(source);
            if (before != null && made.before(before)) {
                older.add(name + ": the list of " + source.issuer().getName() + " of " + made.toInstant()
                        + " is older than that in use, of " + before.toInstant());
            }
        });
        return older;
    }

    /** What an operator has to hear of lists that should have been replaced. */
    List<String> overdue(String name, long nowMillis) {
        List<String> overdue = new ArrayList<>();
        nextUpdates.forEach((issuer, next) -> {
            if (next.getTime() < nowMillis) {
                overdue.add(name + ": the list of " + issuer.getName() + " should have been replaced by "
                        + next.toInstant() + "; it is still used, and what was revoked since is not known");
            }
        });
        return overdue;
    }
}

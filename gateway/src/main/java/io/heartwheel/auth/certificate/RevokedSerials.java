package io.heartwheel.auth.certificate;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.security.auth.x500.X500Principal;

/**
 * Revoked certificates by issuer and serial number. Nobody changes what it is made of; any thread.
 *
 * @param byIssuer serial numbers; an issuer with several lists has all of theirs
 * @param nextUpdates when the next list of an issuer was promised, for those that said so
 * @param thisUpdates when the latest list was made, by issuer and distribution point
 * @param authorities by subject: those that devices may leave out of their chains
 * @param revokedAuthorities those of them that are revoked, or are of revoked ones
 */
record RevokedSerials(
        Map<X500Principal, Set<BigInteger>> byIssuer,
        Map<X500Principal, Date> nextUpdates,
        Map<Source, Date> thisUpdates,
        Map<X500Principal, List<X509Certificate>> authorities,
        Set<X509Certificate> revokedAuthorities) {
    static final RevokedSerials NONE = of(Map.of(), Map.of(), Map.of(), List.of());

    /**
     * Source of a list; a later one of the same source replaces it.
     *
     * @param point extension of the distribution point, in hexadecimal digits; empty without one
     */
    record Source(X500Principal issuer, String point) {}

    /** Looks the authorities up, as far as one revokes the next. */
    static RevokedSerials of(
            Map<X500Principal, Set<BigInteger>> byIssuer,
            Map<X500Principal, Date> nextUpdates,
            Map<Source, Date> thisUpdates,
            List<X509Certificate> authorities) {
        Set<X509Certificate> revoked = new HashSet<>();
        RevokedSerials all = new RevokedSerials(
                byIssuer,
                nextUpdates,
                thisUpdates,
                authorities.stream()
                        .distinct()
                        .collect(Collectors.groupingBy(X509Certificate::getSubjectX500Principal)),
                revoked);
        while (revoked.addAll(authorities.stream()
                .filter(each -> all.contains(each) || all.isOfRevoked(each))
                .toList())) {
            // once more: for those below
        }
        return all;
    }

    boolean contains(X509Certificate certificate) {
        Set<BigInteger> serials = byIssuer.get(certificate.getIssuerX500Principal());
        return serials != null && serials.contains(certificate.getSerialNumber());
    }

    /**
     * Whether an authority has signed it, and all that have are revoked. Of several under one name, such as that before a change of keys, the signature tells
     * which; it is looked at only where one of them is revoked.
     */
    boolean isOfRevoked(X509Certificate certificate) {
        List<X509Certificate> named = authorities.getOrDefault(certificate.getIssuerX500Principal(), List.of());
        boolean found = false;
        if (!revokedAuthorities.isEmpty() && named.stream().anyMatch(revokedAuthorities::contains)) {
            for (X509Certificate each : named) {
                if (!each.equals(certificate) && hasSigned(each, certificate)) {
                    if (!revokedAuthorities.contains(each)) {
                        return false;
                    }
                    found = true;
                }
            }
        }
        return found;
    }

    private static boolean hasSigned(X509Certificate authority, X509Certificate certificate) {
        try {
            certificate.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException another) {
            return false;
        }
    }

    /**
     * What forbids to use these in place of earlier ones, because it may take back a revocation: a list that is older than that of its source, which may be
     * replayed, and a source without a list, unless its authority is gone too.
     */
    List<String> takingBack(RevokedSerials earlier, String name) {
        List<String> problems = new ArrayList<>();
        earlier.thisUpdates.forEach((source, before) -> {
            Date made = thisUpdates.get(source);
            String list = name + ": the list of " + source.issuer().getName();
            if (made != null && made.before(before)) {
                problems.add(list + " of " + made.toInstant() + " is older than that in use, of " + before.toInstant());
            } else if (made == null && authorities.containsKey(source.issuer())) {
                problems.add(list + (source.point().isEmpty() ? "" : " for a distribution point")
                        + " is missing: need it, or no certificate of that authority in a client-ca-file");
            }
        });
        return problems;
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

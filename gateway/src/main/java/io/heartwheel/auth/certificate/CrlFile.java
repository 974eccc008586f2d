package io.heartwheel.auth.certificate;

import io.heartwheel.auth.BrokenFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a file of certificate revocation lists (RFC 5280, section 5): one list as DER, or any number as PEM. Each has to be signed by a certificate of
 * the authorities, for such files come over plain HTTP more often than not: who could write one without that could take back a revocation, or revoke a
 * fleet. Delta and indirect lists, and those for some reasons only, are refused: taken for whole ones they would admit what is revoked.
 *
 * <p>One thread, once; only serial numbers are kept.
 */
final class CrlFile {
    /** No file is larger; its serial numbers take some ten times as much heap while they are read. */
    static final int MOST_BYTES = 16 << 20;

    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]++)-----([^-]*+)-----END \\1-----");
    private static final String CRL_NUMBER = "2.5.29.20";
    private static final String DELTA = "2.5.29.27";
    private static final String DISTRIBUTION_POINT = "2.5.29.28";
    private static final String CERTIFICATE_ISSUER = "2.5.29.29";
    private static final String AUTHORITY_KEY = "2.5.29.35";
    private static final Set<String> UNDERSTOOD = Set.of(CRL_NUMBER, DISTRIBUTION_POINT, AUTHORITY_KEY);
    private static final int SIGNS_LISTS = 6;
    private static final int ONLY_SOME_REASONS = 0x83;
    private static final int INDIRECT = 0x84;

    private final List<X509Certificate> authorities;
    private final Map<X500Principal, Set<BigInteger>> serials = new HashMap<>();
    private final Map<X500Principal, Date> nextUpdates = new HashMap<>();
    private final Map<RevokedSerials.Source, Date> thisUpdates = new HashMap<>();

    private CrlFile(List<X509Certificate> authorities) {
        this.authorities = authorities;
    }

    /**
     * Reads a file and those of the authorities.
     *
     * @param file null: nothing is revoked
     * @throws BrokenFile telling what is wrong with the first that will not do
     */
    static RevokedSerials read(@Nullable Path file, List<Path> authorityFiles) throws BrokenFile {
        if (file == null) {
            return RevokedSerials.NONE;
        }
        String name = name(file);
        List<X509Certificate> authorities = new ArrayList<>();
        try {
            for (Path each : authorityFiles) {
                authorities.addAll(certificates(each));
            }
            CrlFile lists = new CrlFile(authorities);
            for (byte[] list : blocks("X509 CRL", bytes(file))) {
                lists.add(parsed(list));
            }
            if (lists.serials.isEmpty()) {
                throw new IllegalArgumentException("need an X509 CRL block, or a list as DER");
            }
            return RevokedSerials.of(lists.serials, lists.nextUpdates, lists.thisUpdates, authorities);
        } catch (IllegalArgumentException bad) {
            throw new BrokenFile(List.of(name + ": " + bad.getMessage()));
        }
    }

    /** Of the key, for errors. */
    static String name(Path file) {
        return "auth.certificate.crl-file = " + file;
    }

    // ------------------------------------------------------------------ one list

    private void add(X509CRL list) {
        X500Principal issuer = list.getIssuerX500Principal();
        requireWhole(list, issuer);
        requireSigned(list, issuer);
        Set<BigInteger> revoked = serials.computeIfAbsent(issuer, first -> new HashSet<>());
        Set<? extends X509CRLEntry> entries = list.getRevokedCertificates();
        if (entries != null) {
            for (X509CRLEntry entry : entries) {
                if (entry.getExtensionValue(CERTIFICATE_ISSUER) != null) {
                    throw notWhole(issuer, "an indirect one");
                }
                revoked.add(entry.getSerialNumber());
            }
        }
        Date next = list.getNextUpdate();
        if (next != null) {
            nextUpdates.merge(issuer, next, (one, other) -> one.before(other) ? one : other);
        }
        byte[] point = list.getExtensionValue(DISTRIBUTION_POINT);
        RevokedSerials.Source source = new RevokedSerials.Source(
                issuer, point == null ? "" : HexFormat.of().formatHex(point));
        thisUpdates.merge(source, list.getThisUpdate(), (one, other) -> one.after(other) ? one : other);
    }

    private static void requireWhole(X509CRL list, X500Principal issuer) {
        if (list.getExtensionValue(DELTA) != null) {
            throw notWhole(issuer, "a delta");
        }
        byte[] point = list.getExtensionValue(DISTRIBUTION_POINT);
        if (point != null && has(point, INDIRECT)) {
            throw notWhole(issuer, "an indirect one");
        }
        if (point != null && has(point, ONLY_SOME_REASONS)) {
            throw notWhole(issuer, "one for some reasons only");
        }
        Set<String> critical = list.getCriticalExtensionOIDs();
        if (critical != null && !UNDERSTOOD.containsAll(critical)) {
            throw notWhole(issuer, "one with a critical extension that is not understood");
        }
    }

    private static IllegalArgumentException notWhole(X500Principal issuer, String what) {
        return new IllegalArgumentException(
                "the list of " + issuer.getName() + " is " + what + ": need a complete list of the issuer's own");
    }

    private void requireSigned(X509CRL list, X500Principal issuer) {
        boolean known = false;
        for (X509Certificate each : authorities) {
            boolean[] usage = each.getKeyUsage();
            boolean signsLists = usage == null || (usage.length > SIGNS_LISTS && usage[SIGNS_LISTS]);
            if (each.getSubjectX500Principal().equals(issuer) && signsLists) {
                known = true;
                try {
                    list.verify(each.getPublicKey());
                    return;
                } catch (GeneralSecurityException another) {
                    // an authority may have several keys under its name
                }
            }
        }
        throw new IllegalArgumentException(
                known
                        ? "the list of " + issuer.getName() + " is not signed with its key"
                        : "the list of " + issuer.getName()
                                + " cannot be checked: need the certificate of that issuer, with the right to sign lists,"
                                + " in a client-ca-file");
    }

    /** Whether the sequence within these octets has an element with this tag; each length in it is below 2^16, else it counts as having it. */
    private static boolean has(byte[] octets, int tag) {
        int at = content(octets, content(octets, 0));
        while (at < octets.length) {
            if ((octets[at] & 0xff) == tag) {
                return true;
            }
            int content = content(octets, at);
            int digits = content - at - 2;
            int length = octets[at + 1] & 0xff;
            if (digits > 0) {
                length = 0;
                for (int i = at + 2; i < content; i++) {
                    length = length << 8 | (octets[i] & 0xff);
                }
            }
            at = content + length;
        }
        return false;
    }

    /** Where the content of the element here begins. */
    private static int content(byte[] der, int at) {
        int length = at + 1 < der.length ? der[at + 1] & 0xff : 0;
        int digits = length < 0x80 ? 0 : length & 0x7f;
        if (digits > 2 || at + 2 + digits > der.length) {
            throw new IllegalArgumentException("a list in it is broken");
        }
        return at + 2 + digits;
    }

    // ------------------------------------------------------------------ files

    private static X509CRL parsed(byte[] der) {
        try {
            return (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(der));
        } catch (GeneralSecurityException broken) {
            throw new IllegalArgumentException("a list in it is broken", broken);
        }
    }

    private static List<X509Certificate> certificates(Path file) {
        try {
            List<X509Certificate> found = new ArrayList<>();
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (byte[] each : blocks("CERTIFICATE", bytes(file))) {
                found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(each)));
            }
            return found;
        } catch (GeneralSecurityException | IllegalArgumentException broken) {
            throw new IllegalArgumentException("the authorities of " + file + " cannot be read", broken);
        }
    }

    /** The blocks of this kind, if all in the file are whole; a file that is not PEM is one. */
    private static List<byte[]> blocks(String kind, byte[] file) {
        String text = new String(file, StandardCharsets.ISO_8859_1);
        int begun = text.split("-----BEGIN ", -1).length - 1;
        if (begun == 0) {
            return file.length == 0 ? List.of() : List.of(file);
        }
        List<byte[]> found = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text);
        if (blocks.results().count() < begun) {
            throw new IllegalArgumentException("a block in it is cut off");
        }
        blocks.reset();
        while (blocks.find()) {
            if (kind.equals(blocks.group(1))) {
                found.add(decoded(blocks.group(2)));
            }
        }
        return found;
    }

    private static byte[] decoded(@Nullable String base64) {
        return Base64.getMimeDecoder().decode(base64 == null ? "" : base64);
    }

    private static byte[] bytes(Path file) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException("it cannot be read", unreadable);
        }
        if (bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException("need at most 16 MiB");
        }
        return bytes;
    }
}

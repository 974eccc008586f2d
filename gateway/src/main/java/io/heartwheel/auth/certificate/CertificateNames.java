package io.heartwheel.auth.certificate;

import io.heartwheel.auth.certificate.CertificateSettings.From;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.InvalidNameException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Names of devices in a certificate. The value of a SAN is taken as it stands, that of a CN after RFC 2253 has been undone: {@code CN=a\,b} is {@code a,b}. A
 * value longer than {@value #LONGEST_VALUE} characters names nobody.
 *
 * <p>A pattern that doubles its work with every character would hold an event loop, so all values of a certificate may cost it {@value #MOST_READS} reads of
 * a character together. Immutable; any thread.
 */
final class CertificateNames {
    /** Alternative names of one certificate. */
    static final int MOST_NAMES = 100;

    private static final int LONGEST_VALUE = 1_024;
    private static final int MOST_READS = 100_000;

    private final From from;
    private final @Nullable Pattern pattern;

    CertificateNames(From from, String pattern) {
        this.from = from;
        this.pattern = pattern.isEmpty() ? null : Pattern.compile(pattern);
    }

    /**
     * The ids that this certificate proves, as text.
     *
     * @throws IllegalArgumentException telling what is wrong with it
     */
    List<String> of(X509Certificate certificate) {
        List<String> values =
                from == From.CN ? commonName(certificate.getSubjectX500Principal()) : alternatives(certificate);
        List<String> ids = new ArrayList<>(values.size());
        int[] reads = {MOST_READS};
        for (String value : values) {
            String id = value.length() > LONGEST_VALUE ? null : id(value, reads);
            if (id != null && !id.isEmpty()) {
                ids.add(id);
            }
        }
        return ids;
    }

    private @Nullable String id(String value, int[] reads) {
        if (pattern == null) {
            return value;
        }
        Matcher matcher = pattern.matcher(new CountedText(value, 0, value.length(), reads));
        return matcher.matches() ? matcher.group(1) : null;
    }

    private List<String> alternatives(X509Certificate certificate) {
        int wanted =
                switch (from) {
                    case SAN_EMAIL -> 1;
                    case SAN_DNS -> 2;
                    default -> 6; // RFC 5280, section 4.2.1.6
                };
        Collection<List<?>> names;
        try {
            names = certificate.getSubjectAlternativeNames();
        } catch (CertificateParsingException broken) {
            throw new IllegalArgumentException("subject alternative names that cannot be read", broken);
        }
        if (names == null) {
            return List.of();
        }
        if (names.size() > MOST_NAMES) {
            throw new IllegalArgumentException(names.size() + " subject alternative names: need at most " + MOST_NAMES);
        }
        return names.stream()
                .filter(name -> name.get(0).equals(wanted))
                .map(name -> String.valueOf(name.get(1)))
                .toList();
    }

    // ------------------------------------------------------------------ the common name

    /** None or one: of several nobody could say which names the device. */
    private static List<String> commonName(X500Principal subject) {
        List<String> found = new ArrayList<>(1);
        try {
            for (Rdn rdn : new LdapName(subject.getName(X500Principal.RFC2253)).getRdns()) {
                Attribute names = rdn.toAttributes().get("cn"); // of one RDN there may be several
                if (names != null) {
                    NamingEnumeration<?> values = names.getAll();
                    while (values.hasMore()) {
                        found.add(text(values.next()));
                    }
                }
            }
        } catch (InvalidNameException broken) {
            throw new IllegalArgumentException("a subject that cannot be read", broken);
        } catch (NamingException impossible) {
            throw new IllegalStateException(impossible);
        }
        if (found.size() > 1) {
            throw new IllegalArgumentException(found.size() + " common names: need one");
        }
        return found;
    }

    private static String text(Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("a common name that is no text");
    }

    /** Text whose characters may be read so many times. */
    private static final class CountedText implements CharSequence {
        private final String text;
        private final int from;
        private final int to;
        /** How many are left, shared by all texts of a certificate. */
        private final int[] reads;

        CountedText(String text, int from, int to, int[] reads) {
            this.text = text;
            this.from = from;
            this.to = to;
            this.reads = reads;
        }

        @Override
        public char charAt(int index) {
            if (--reads[0] < 0) {
                throw new IllegalArgumentException("auth.certificate.pattern takes too many steps");
            }
            return text.charAt(from + index);
        }

        @Override
        public int length() {
            return to - from;
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new CountedText(text, from + start, from + end, reads);
        }

        @Override
        public String toString() {
            return text.substring(from, to);
        }
    }
}

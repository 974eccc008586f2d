package io.heartwheel.auth.certificate;

import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.MethodSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the method {@code certificate}. Immutable; any thread.
 *
 * @param from which part of the certificate names the device
 * @param pattern regular expression that the whole value matches, its one group being the id; empty: the value is the id
 * @param crlFile lists of revoked certificates; null for none
 * @param authorities files with the certificates whose keys sign these lists
 */
public record CertificateSettings(From from, String pattern, @Nullable Path crlFile, List<Path> authorities)
        implements MethodSettings {
    /** Name of the method and of its block. */
    public static final String METHOD = "certificate";
    /** What a pattern has to be, for errors. */
    public static final String PATTERN_NEED =
            "need a regular expression with exactly one group, at most 256 characters, or nothing";

    private static final int LONGEST_PATTERN = 256;

    /** Part of a certificate that names a device. */
    public enum From {
        /** Subject alternative names that are names of hosts. */
        SAN_DNS,
        /** Subject alternative names that are URIs. */
        SAN_URI,
        /** Subject alternative names that are addresses of mail. */
        SAN_EMAIL,
        /** The common name of the subject. */
        CN
    }

    /** @throws IllegalArgumentException if the pattern will not do */
    public CertificateSettings {
        authorities = List.copyOf(authorities);
        if (!isPattern(pattern)) {
            throw new IllegalArgumentException("auth.certificate.pattern: " + PATTERN_NEED);
        }
    }

    /** Whether it is a regular expression with one group, or nothing. */
    public static boolean isPattern(String pattern) {
        try {
            return pattern.isEmpty()
                    || (pattern.length() <= LONGEST_PATTERN
                            && Pattern.compile(pattern).matcher("").groupCount() == 1);
        } catch (PatternSyntaxException broken) {
            return false;
        }
    }

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public List<String> fileProblems() {
        try {
            CrlFile.read(crlFile, authorities);
            return List.of();
        } catch (BrokenFile bad) {
            return bad.problems();
        }
    }

    @Override
    public Authenticator open(AuthContext context) throws IOException {
        return new CertificateAuthenticator(this, context.wallMillis());
    }
}

package io.heartwheel.transport.tls;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Table of hosts and their certificates: exact names first, then {@code *.example.com}, which stands for exactly one label (RFC 6125, section
 * 6.4.3). Immutable once filled; any thread.
 */
public final class HostNames {
    private static final int MAX_LENGTH = 253;
    private static final String LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
    private static final Pattern PATTERN = Pattern.compile("(\\*\\.)?" + LABEL + "(\\." + LABEL + ")*");

    private final Map<String, String> certificates = new HashMap<>();

    HostNames() {}

    /** Whether it is a host name in lower case, or {@code *.} before one. */
    public static boolean isPattern(String text) {
        return text.length() <= MAX_LENGTH && PATTERN.matcher(text).matches();
    }

    /** Adds what this certificate is for; of two for one host the first is taken. */
    void add(List<String> patterns, String certificate) {
        patterns.forEach(pattern -> certificates.putIfAbsent(pattern, certificate));
    }

    /** The certificate for this host, as a peer wrote it; {@code otherwise} if there is none. */
    String find(String host, String otherwise) {
        String name = host.toLowerCase(Locale.ROOT);
        String open = name.replaceFirst("^[^.]+", "*");
        return certificates.getOrDefault(name, certificates.getOrDefault(open, otherwise));
    }
}

package io.heartwheel.protocol.websocket;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The origin of the web page that opens a WebSocket, from the header that every browser sends and no page can forge (RFC 6454 section 7). Pure functions; any
 * thread.
 *
 * <p>A page may speak to the host it came from: its origin has the host and port of the request's Host header, where a port that is not named is the
 * default of the page's scheme. The scheme itself is not compared, since whether TLS ends here or in front is not known.
 */
final class PageOrigin {
    /** In the list of accepted origins: every one. */
    static final String ANY = "*";

    private static final Pattern FORM =
            Pattern.compile("(https?)://([^/:\\s\\[\\]]+|\\[[0-9a-f:.]+])(?::([0-9]{1,5}))?");
    private static final Pattern HOST = Pattern.compile("([^/:\\s\\[\\]]+|\\[[0-9a-f:.]+])(?::([0-9]{0,5}))?");

    private PageOrigin() {}

    /**
     * Whether a page of this origin may connect.
     *
     * @param origin the header's value
     * @param listed what the operator accepts, in the form of {@link #canonical}; empty: the host itself
     * @param hosts under which the page's browser may have reached us
     */
    static boolean isAccepted(String origin, List<String> listed, List<String> hosts) {
        if (listed.isEmpty()) {
            return hosts.stream().anyMatch(host -> isOf(origin, host));
        }
        return listed.contains(ANY) || listed.contains(canonical(origin));
    }

    /** In lower case, without a port that is the default of its scheme. */
    static String canonical(String origin) {
        String lower = origin.toLowerCase(Locale.ROOT);
        Matcher parts = FORM.matcher(lower);
        if (!parts.matches() || parts.group(3) == null) {
            return lower;
        }
        boolean isDefault = port(parts.group(3), parts.group(1)) == defaultPort(parts.group(1));
        return isDefault ? lower.substring(0, parts.start(3) - 1) : lower;
    }

    private static boolean isOf(String origin, String host) {
        Matcher page = FORM.matcher(origin.toLowerCase(Locale.ROOT));
        Matcher here = HOST.matcher(host.toLowerCase(Locale.ROOT));
        return page.matches()
                && here.matches()
                && page.group(2).equals(here.group(1))
                && port(page.group(3), page.group(1)) == port(here.group(2), page.group(1));
    }

    private static int port(@Nullable String digits, String scheme) {
        return digits == null || digits.isEmpty() ? defaultPort(scheme) : Integer.parseInt(digits);
    }

    private static int defaultPort(String scheme) {
        return scheme.equals("https") ? 443 : 80;
    }
}

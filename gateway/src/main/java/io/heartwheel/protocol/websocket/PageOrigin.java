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
 * <pre>
 *   null, file://, scheme://host, scheme://host:port       what a browser can send: must be listed, or of the requested host
 *   ws://host, host:port, https://host/path, nothing, ...  what none can send: passes, it is no page's
 * </pre>
 *
 * <p>The check is there against pages alone (RFC 6455 section 10.2). Whoever is no browser can write what it likes, so nothing is lost with those who write what
 * no browser would, as the libraries of many devices do. What is doubtful counts as a browser's.
 *
 * <p>A page may speak to the host it came from: its origin has the host and port of the request's Host header, where a port that is not named is the
 * default of the page's scheme. The scheme itself is not compared, since whether TLS ends here or in front is not known. Some libraries name the right host and
 * leave the port out, whatever it is. A browser does so only for a page of port 80 or 443, which is another page if we listen elsewhere. The two differ in
 * User-Agent: every browser begins it with {@code Mozilla/}, and no page can change that of a WebSocket. Without that the port may be absent.
 */
final class PageOrigin {
    /** In the list of accepted origins: every one. */
    static final String ANY = "*";

    /** What a browser may send, and a list of such (RFC 6454 section 7.1). No page comes by {@code ws}; one of a file has no host. */
    private static final Pattern PAGE =
            Pattern.compile("(?:null|file:[^ ]*|(?!wss?:)[a-z][a-z0-9+.-]*://[^/?# ]*)(?: .*)?");

    /** In the list: pages of files, as some browsers name them. */
    private static final String FILE = "file://";

    private static final Pattern FORM =
            Pattern.compile("(https?)://([^/:\\s\\[\\]]+|\\[[0-9a-f:.]+])(?::([0-9]{1,5}))?");
    private static final Pattern HOST = Pattern.compile("([^/:\\s\\[\\]]+|\\[[0-9a-f:.]+])(?::([0-9]{0,5}))?");

    private PageOrigin() {}

    /**
     * Whether a request with this origin may connect.
     *
     * @param origin the header's value
     * @param listed what the operator accepts, in the form of {@link #canonical}; empty: the host itself
     * @param hosts under which the page's browser may have reached us
     * @param userAgent the header's value, empty without
     */
    static boolean isAccepted(String origin, List<String> listed, List<String> hosts, String userAgent) {
        String lower = origin.toLowerCase(Locale.ROOT);
        if (!PAGE.matcher(lower).matches() || listed.contains(ANY)) {
            return true;
        }
        if (!listed.isEmpty()) {
            return listed.contains(canonical(origin));
        }
        boolean browser = userAgent.toLowerCase(Locale.ROOT).startsWith("mozilla/");
        return hosts.stream().anyMatch(host -> isOf(lower, host, browser));
    }

    /** In lower case, without a port that is the default of its scheme, and without the path of a file. */
    static String canonical(String origin) {
        String lower = origin.toLowerCase(Locale.ROOT);
        if (lower.startsWith(FILE)) {
            return FILE;
        }
        Matcher parts = FORM.matcher(lower);
        if (!parts.matches() || parts.group(3) == null) {
            return lower;
        }
        boolean isDefault = port(parts.group(3), parts.group(1)) == defaultPort(parts.group(1));
        return isDefault ? lower.substring(0, parts.start(3) - 1) : lower;
    }

    private static boolean isOf(String origin, String host, boolean browser) {
        Matcher page = FORM.matcher(origin);
        Matcher here = HOST.matcher(host.toLowerCase(Locale.ROOT));
        return page.matches()
                && here.matches()
                && page.group(2).equals(here.group(1))
                && ((page.group(3) == null && !browser)
                        || port(page.group(3), page.group(1)) == port(here.group(2), page.group(1)));
    }

    private static int port(@Nullable String digits, String scheme) {
        return digits == null || digits.isEmpty() ? defaultPort(scheme) : Integer.parseInt(digits);
    }

    private static int defaultPort(String scheme) {
        return scheme.equals("https") ? 443 : 80;
    }
}

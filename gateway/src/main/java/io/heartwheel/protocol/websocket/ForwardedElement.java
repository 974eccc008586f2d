package io.heartwheel.protocol.websocket;

import org.jspecify.annotations.Nullable;

/**
 * Element of a {@code Forwarded} header (RFC 7239, section 4), written by one balancer.
 *
 * <pre>
 *   for="[2001:db8::7]:5000";proto=https;host="a, \"b\"", for=10.0.0.2
 *   |   |                   |                           +-- the next balancer's
 *   |   |                   +-- other parameters: must be well-formed; host is what was asked for, the rest means nothing here
 *   |   +-- a node, quoted if it has a colon
 *   +-- at most once; names in any case
 * </pre>
 *
 * <p>A list of elements is taken apart from its right end, where the balancers that are believed wrote: a quote that a device opened and did not close
 * reaches no further to the right than the device's own text.
 */
final class ForwardedElement {
    /** Longest, in characters. */
    static final int MAX_LENGTH = 1_024;

    private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

    private final String text;
    private int at;
    private @Nullable String node;
    private @Nullable String host;

    private ForwardedElement(String text) {
        this.text = text;
    }

    /** Where the comma stands in front of the last element of what ends here; -1 if there is none that is not within quotes. */
    static int commaBefore(String list, int end) {
        boolean quoted = false;
        for (int i = end - 1; i >= 0; i--) {
            char c = list.charAt(i);
            if (c == ',' && !quoted) {
                return i;
            }
            if (c == '"') {
                quoted = !quoted || isEscaped(list, i);
            }
        }
        return -1;
    }

    private static boolean isEscaped(String list, int index) {
        int first = index;
        while (first > 0 && list.charAt(first - 1) == '\\') {
            first--;
        }
        return (index - first) % 2 == 1;
    }

    /** Whom the balancer saw; unnamed if it does not say; null if the element is malformed. */
    static @Nullable ForwardedHop hop(String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            return null;
        }
        ForwardedElement element = new ForwardedElement(text);
        if (!element.read()) {
            return null;
        }
        ForwardedHop hop = element.node == null ? ForwardedHop.UNNAMED : ForwardedHop.node(element.node);
        return hop == null ? null : hop.askedFor(element.host);
    }

    /** Pairs between semicolons, where a pair may be missing. */
    private boolean read() {
        while (true) {
            skipBlanks();
            if (at < text.length() && text.charAt(at) != ';' && !readPair()) {
                return false;
            }
            skipBlanks();
            if (at == text.length()) {
                return true;
            }
            if (text.charAt(at++) != ';') {
                return false;
            }
        }
    }

    private boolean readPair() {
        String name = token();
        if (name.isEmpty() || at == text.length() || text.charAt(at++) != '=') {
            return false;
        }
        String value = at < text.length() && text.charAt(at) == '"' ? quoted() : token();
        if (value == null || (value.isEmpty() && text.charAt(at - 1) != '"')) {
            return false;
        }
        if (name.equalsIgnoreCase("for")) {
            if (node != null) {
                return false;
            }
            node = value;
        } else if (name.equalsIgnoreCase("host")) {
            host = value;
        }
        return true;
    }

    private void skipBlanks() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
    }

    private String token() {
        int begin = at;
        while (at < text.length() && mayStandInToken(text.charAt(at))) {
            at++;
        }
        return text.substring(begin, at);
    }

    private static boolean mayStandInToken(char c) {
        return (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || TOKEN_MARKS.indexOf(c) >= 0;
    }

    /** What stands in quotes, without them and without escapes; null if they do not end. */
    private @Nullable String quoted() {
        StringBuilder value = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                at++;
                return value.toString();
            }
            if (c == '\\' && ++at == text.length()) {
                return null;
            }
            c = text.charAt(at);
            if ((c < ' ' && c != '\t') || c == 0x7f) {
                return null;
            }
            value.append(c);
        }
        return null;
    }
}

package io.heartwheel.protocol.websocket;

import org.jspecify.annotations.Nullable;

/** Cursor over the value of a header: tokens, quoted strings and what stands between them (RFC 9110, section 5.6). One thread. */
final class HeaderScanner {
    private final String text;
    private int at;

    HeaderScanner(String text) {
        this.text = text;
    }

    /** Whether this is a token. */
    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(HeaderScanner::isTokenChar);
    }

    private static boolean isTokenChar(int c) {
        return (c >= '0' && c <= '9')
                || (c >= 'A' && c <= 'Z')
                || (c >= 'a' && c <= 'z')
                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }

    boolean isAtEnd() {
        return at == text.length();
    }

    HeaderScanner skipBlanks() {
        while (!isAtEnd() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
        return this;
    }

    /** Steps over this character, if it is the next. */
    boolean take(char wanted) {
        boolean there = !isAtEnd() && text.charAt(at) == wanted;
        at += there ? 1 : 0;
        return there;
    }

    /** The token that begins here; null if none does. */
    @Nullable
    String token() {
        int begin = at;
        while (!isAtEnd() && isTokenChar(text.charAt(at))) {
            at++;
        }
        return at == begin ? null : text.substring(begin, at);
    }

    /** The token or the quoted string that begins here, without quotes and escapes; null if there is none, or the quotes do not end. */
    @Nullable
    String value() {
        if (!take('"')) {
            return token();
        }
        StringBuilder value = new StringBuilder();
        while (!take('"')) {
            take('\\');
            char c = isAtEnd() ? 0 : text.charAt(at++);
            if ((c < ' ' && c != '\t') || c == 0x7F) {
                return null;
            }
            value.append(c);
        }
        return value.toString();
    }
}

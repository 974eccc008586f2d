package io.heartwheel.auth;

/** Text for the operator of why a device did not come in; the device itself is told the same words whatever the cause. */
public final class AuthText {
    private static final int MOST_DETAIL = 200;

    private AuthText() {}

    /**
     * Method, cause and detail in one line: {@code jwt: expired (exp was 12 s ago)}.
     *
     * @param method who said so; empty: nobody did
     * @param detail shortened to {@value #MOST_DETAIL} characters, what cannot be printed becomes a question mark; may be empty
     */
    public static String of(String method, AuthCause cause, String detail) {
        StringBuilder text = new StringBuilder();
        if (!method.isEmpty()) {
            text.append(method).append(": ");
        }
        text.append(cause.label().replace('_', ' '));
        if (!detail.isEmpty()) {
            text.append(" (").append(line(detail, MOST_DETAIL)).append(')');
        }
        return text.toString();
    }

    /** Text from outside, shortened to so many characters; what cannot be printed becomes a question mark. */
    public static String line(String text, int most) {
        StringBuilder line = new StringBuilder();
        int end = Math.min(text.length(), most);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            line.append(Character.isISOControl(c) ? '?' : c);
        }
        return line.append(end < text.length() ? "..." : "").toString();
    }
}

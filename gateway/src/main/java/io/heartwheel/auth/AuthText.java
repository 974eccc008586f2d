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
            text.append(" (");
            int end = Math.min(detail.length(), MOST_DETAIL);
            for (int i = 0; i < end; i++) {
                char c = detail.charAt(i);
                text.append(Character.isISOControl(c) ? '?' : c);
            }
            text.append(end < detail.length() ? "...)" : ")");
        }
        return text.toString();
    }
}

package io.heartwheel.event;

import java.nio.charset.StandardCharsets;

/**
 * Text from outside, made fit for a line of a log, for an event and for a terminal: nothing in it can end a line, steer a terminal or show what
 * follows in another order. Pure functions; any thread.
 */
public final class SafeText {
    /** Stands for a character that was taken out. */
    private static final char REPLACED = '?';

    private SafeText() {}

    /**
     * Decodes UTF-8; what is malformed becomes U+FFFD.
     *
     * @param maxBytes of UTF-8 at most, cut between two characters
     */
    public static String decode(byte[] utf8, int maxBytes) {
        return of(new String(utf8, StandardCharsets.UTF_8), maxBytes);
    }

    /**
     * The text without characters that do harm.
     *
     * @param maxBytes of UTF-8 at most, cut between two characters
     */
    public static String of(String text, int maxBytes) {
        StringBuilder safe = new StringBuilder(Math.min(text.length(), maxBytes));
        int bytes = 0;
        for (int at = 0; at < text.length(); ) {
            int read = text.codePointAt(at);
            int shown = isHarmful(read) ? REPLACED : read;
            bytes += utf8Bytes(shown);
            if (bytes > maxBytes) {
                break;
            }
            safe.appendCodePoint(shown);
            at += Character.charCount(read);
        }
        return safe.toString();
    }

    /** Control characters, line and paragraph separators, those of Unicode's property Bidi_Control, and halves of a character. */
    public static boolean isHarmful(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                true;
            default ->
                c == 0x061C
                        || c == 0x200E
                        || c == 0x200F
                        || (c >= 0x202A && c <= 0x202E)
                        || (c >= 0x2066 && c <= 0x2069);
        };
    }

    private static int utf8Bytes(int c) {
        if (c < 0x80) {
            return 1;
        }
        if (c < 0x800) {
            return 2;
        }
        return c < 0x1_0000 ? 3 : 4;
    }
}

package io.heartwheel.loadgen.report;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Writes elements that are well-formed as XML and mean the same as HTML: every element is closed, every text and attribute
 * escaped, no entity used that only HTML knows. One thread.
 */
final class Markup {

    /** HTML closes these by itself; all others get an end tag even when empty, as HTML wants it. */
    private static final Set<String> VOID = Set.of("meta", "br", "hr", "link", "img");

    private final StringBuilder text = new StringBuilder(1 << 16);
    private final Deque<String> open = new ArrayDeque<>();

    /** Begins an element; attributes are names and values by turns. */
    Markup open(String tag, String... attributes) {
        text.append('<').append(tag);
        for (int i = 0; i + 1 < attributes.length; i += 2) {
            text.append(' ').append(attributes[i]).append("=\"");
            escape(attributes[i + 1]);
            text.append('"');
        }
        if (VOID.contains(tag)) {
            text.append("/>");
        } else {
            text.append('>');
            open.push(tag);
        }
        return this;
    }

    /** Ends the element begun last. */
    Markup close() {
        text.append("</").append(open.pop()).append('>');
        return this;
    }

    /** An element with nothing but text in it. */
    Markup leaf(String tag, String content, String... attributes) {
        return open(tag, attributes).text(content).close();
    }

    /** Text as it is to be read. */
    Markup text(String content) {
        escape(content);
        return this;
    }

    /** A new line in the file; browsers make nothing of it between blocks. */
    Markup line() {
        text.append('\n');
        return this;
    }

    /** Text of our own that is markup already. */
    Markup verbatim(String markup) {
        text.append(markup);
        return this;
    }

    private void escape(String content) {
        for (int i = 0; i < content.length(); ) {
            int point = content.codePointAt(i);
            i += Character.charCount(point);
            switch (point) {
                case '<' -> text.append("&lt;");
                case '>' -> text.append("&gt;");
                case '&' -> text.append("&amp;");
                case '"' -> text.append("&quot;");
                case '\'' -> text.append("&#39;");
                default -> text.appendCodePoint(isShown(point) ? point : 0xFFFD);
            }
        }
    }

    /**
     * The characters of XML 1.0, section 2.2, less those that show nothing but change what is shown: controls, and format
     * characters that turn the direction of writing.
     */
    private static boolean isShown(int point) {
        boolean xml = (point >= 0x20 && point <= 0xD7FF) || (point >= 0xE000 && point <= 0xFFFD) || point >= 0x10000;
        int type = Character.getType(point);
        return point == '\t' || point == '\n' || (xml && type != Character.CONTROL && type != Character.FORMAT);
    }

    /** All of it. */
    String finish() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("not closed: " + open);
        }
        return text.toString();
    }
}

package io.heartwheel.loadgen.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Size of a terminal, and text made to fit it. A line is measured in the columns that a terminal gives it: two for a wide
 * character, none for a mark that is written over the one before.
 *
 * @param columns taken for 40 below that and for 200 above
 * @param rows 0 where it is not known
 */
public record Screen(int columns, int rows) {

    /** Narrower is not served: figures would lose their names. */
    static final int LEAST_COLUMNS = 40;

    /** Wider is not used: lines would be hard to follow. */
    static final int MOST_COLUMNS = 200;

    /** Below this the name of a row has a line of its own. */
    private static final int ROOMY_COLUMNS = 60;

    private static final char RULE = '-';
    private static final int MOST_NAME_COLUMNS = 24;

    /** First and last code points, by turns, that fill two columns, as terminals have it (East Asian width W and F). */
    private static final int[] WIDE = {
        0x1100, 0x115F, 0x2E80, 0x303E, 0x3041, 0xA4CF, 0xAC00, 0xD7A3, 0xF900, 0xFAFF, 0xFE30, 0xFE6F, 0xFF00, 0xFF60,
        0xFFE0, 0xFFE6, 0x1F300, 0x1F64F, 0x1F900, 0x1F9FF, 0x20000, 0x3FFFD
    };

    /** Keeps the columns within what is served. */
    public Screen {
        columns = Math.max(LEAST_COLUMNS, Math.min(MOST_COLUMNS, columns));
        rows = Math.max(0, rows);
    }

    /** Columns that a text fills. */
    static int columnsOf(String text) {
        return text.codePoints().map(Screen::columnsOf).sum();
    }

    private static int columnsOf(int point) {
        int type = Character.getType(point);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        for (int i = 0; i < WIDE.length; i += 2) {
            if (point >= WIDE[i] && point <= WIDE[i + 1]) {
                return 2;
            }
        }
        return 1;
    }

    /** How many characters from the beginning fill at most these columns. */
    private static int fitting(String text, int columns) {
        int room = columns;
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            room -= columnsOf(point);
            if (room < 0) {
                break;
            }
            at += Character.charCount(point);
        }
        return at;
    }

    /**
     * A line as the lines it takes here, broken between words and in a word only where that is wider than a line. What
     * follows a name and two spaces stays in its column.
     */
    public List<String> fit(String line) {
        int width = columns - 1;
        if (columnsOf(line) <= width) {
            return List.of(line);
        }
        if (line.chars().allMatch(c -> c == RULE)) {
            return List.of(line.substring(0, width));
        }
        List<String> fitted = new ArrayList<>();
        int text = textOf(line);
        String name = line.substring(0, text);
        if (columns < ROOMY_COLUMNS && text > 2) {
            int indent = name.length() - name.stripLeading().length();
            if (!name.isBlank()) {
                fitted.add(name.stripTrailing());
            }
            name = " ".repeat((name.isBlank() ? 0 : Math.min(2, indent)) + 2);
        }
        String indent = " ".repeat(columnsOf(name));
        String start = name;
        for (String part : broken(line.substring(text), width - indent.length())) {
            fitted.add(start + part);
            start = indent;
        }
        return fitted;
    }

    /** Where the text begins behind a name and at least two spaces; behind the line's own indent where there is none. */
    private static int textOf(String line) {
        int indent = line.length() - line.stripLeading().length();
        int gap = line.indexOf("  ", indent);
        if (gap < 0 || gap > MOST_NAME_COLUMNS) {
            return Math.min(indent, MOST_NAME_COLUMNS);
        }
        int text = gap;
        while (line.charAt(text) == ' ') {
            text++;
        }
        return text;
    }

    /** Breaks where the last space stands that leaves a part narrow enough. */
    static List<String> broken(String text, int width) {
        List<String> parts = new ArrayList<>();
        String rest = text.strip();
        while (columnsOf(rest) > width) {
            int most = fitting(rest, width);
            int space = rest.lastIndexOf(' ', most);
            int end = space > 0 ? space : most;
            parts.add(rest.substring(0, end).stripTrailing());
            rest = rest.substring(end).stripLeading();
        }
        parts.add(rest);
        return parts;
    }
}

package io.heartwheel.loadgen.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text with places that each device fills in: {@code /ws/{id}?token={token}}. Compiled once; immutable, any thread.
 *
 * <pre>
 *   {id}          the device id: id-prefix and number
 *   {number}      its number in the run, from 0
 *   {number:12}   the same in 12 digits
 *   {token}       the scenario's token
 *   {interval-ms} {interval-s}   the heartbeat interval it asks for
 * </pre>
 */
public final class Template {

    /** What may stand between braces. */
    public static final String PLACES = "{id}, {number}, {number:DIGITS}, {token}, {interval-ms} and {interval-s}";

    private static final int MOST_CHARS = 4_096;
    private static final long SECOND_MILLIS = 1_000;
    private static final Pattern PLACE = Pattern.compile("\\{([^{}]*)}");
    private static final Pattern NUMBER = Pattern.compile("number:([1-9]|1[0-9]|20)");

    private final String text;
    private final List<Piece> pieces = new ArrayList<>();

    /** Something that each device has. */
    private interface Piece {

        void append(StringBuilder out, Line line);
    }

    private Template(String text) {
        this.text = text;
    }

    /**
     * Compiles a template.
     *
     * @throws IllegalArgumentException saying what is needed instead
     */
    public static Template of(String text) {
        if (text.length() > MOST_CHARS) {
            throw new IllegalArgumentException("need at most " + MOST_CHARS + " characters");
        }
        Template template = new Template(text);
        Matcher matcher = PLACE.matcher(text);
        int from = 0;
        while (matcher.find()) {
            template.literal(text.substring(from, matcher.start()));
            template.pieces.add(place(matcher.group(1)));
            from = matcher.end();
        }
        template.literal(text.substring(from));
        return template;
    }

    private void literal(String part) {
        if (part.indexOf('{') >= 0 || part.indexOf('}') >= 0) {
            throw new IllegalArgumentException("a brace without its other one: need places " + PLACES);
        }
        if (!part.isEmpty()) {
            pieces.add((out, line) -> out.append(part));
        }
    }

    private static Piece place(String name) {
        Matcher number = NUMBER.matcher(name);
        if (number.matches()) {
            String form = "%0" + number.group(1) + "d";
            return (out, line) -> out.append(String.format(Locale.ROOT, form, line.index()));
        }
        return switch (name) {
            case "id" -> (out, line) -> out.append(line.id());
            case "number" -> (out, line) -> out.append(line.index());
            case "token" -> (out, line) -> out.append(line.crew().habits.token());
            case "interval-ms" -> (out, line) -> out.append(line.wantedMillis());
            case "interval-s" -> (out, line) -> out.append(line.wantedMillis() / SECOND_MILLIS);
            default -> throw new IllegalArgumentException("{" + name + "} is unknown: need " + PLACES);
        };
    }

    /** The text of one device. */
    String of(Line line) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        for (Piece piece : pieces) {
            piece.append(out, line);
        }
        return out.toString();
    }

    /** Whether it says nothing. */
    public boolean isEmpty() {
        return pieces.isEmpty();
    }

    /** As it was written. */
    @Override
    public String toString() {
        return text;
    }
}

package io.heartwheel.loadgen.client;

import java.util.ArrayList;
import java.util.List;
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

        void append(StringBuilder out, int number, DeviceDefaults deviceDefaults, long wantedMillis);
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
            pieces.add((out, number, deviceDefaults, wanted) -> out.append(part));
        }
    }

    private static Piece place(String name) {
        Matcher digits = NUMBER.matcher(name);
        if (digits.matches()) {
            int width = Integer.parseInt(digits.group(1));
            return (out, number, deviceDefaults, wanted) -> padded(out, number, width);
        }
        return switch (name) {
            case "id" -> (out, number, deviceDefaults, wanted) -> deviceDefaults.appendId(out, number);
            case "number" -> (out, number, deviceDefaults, wanted) -> out.append(number);
            case "token" -> (out, number, deviceDefaults, wanted) -> out.append(deviceDefaults.token());
            case "interval-ms" -> (out, number, deviceDefaults, wanted) -> out.append(wanted);
            case "interval-s" -> (out, number, deviceDefaults, wanted) -> out.append(wanted / SECOND_MILLIS);
            default -> throw new IllegalArgumentException("{" + name + "} is unknown: need " + PLACES);
        };
    }

    private static void padded(StringBuilder out, int number, int width) {
        int from = out.length();
        out.append(number);
        for (int more = width - (out.length() - from); more > 0; more--) {
            out.insert(from, '0');
        }
    }

    /** The text of one device. */
    String of(DeviceConnection connection) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        DeviceDefaults deviceDefaults = connection.loopContext().deviceDefaults.showing(connection.token());
        append(out, connection.index(), deviceDefaults, connection.wantedMillis());
        return out.toString();
    }

    /** The text of the device with this number, without what it shows to be admitted. */
    String of(int number, DeviceDefaults deviceDefaults) {
        StringBuilder out = new StringBuilder();
        append(out, number, deviceDefaults.showing("***"), deviceDefaults.wantedMillis());
        return out.toString();
    }

    /** Whether each device has a text of its own. */
    boolean isIndividual() {
        return text.contains("{id}") || text.contains("{number");
    }

    /** Appends the text of the device with this number; makes nothing anew. */
    void append(StringBuilder out, int number, DeviceDefaults deviceDefaults, long wantedMillis) {
        for (Piece piece : pieces) {
            piece.append(out, number, deviceDefaults, wantedMillis);
        }
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

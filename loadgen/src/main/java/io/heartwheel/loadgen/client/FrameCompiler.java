package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.client.FramedPart.NumberForm;
import io.heartwheel.loadgen.client.FramedPart.Numeral.What;
import io.heartwheel.loadgen.wire.Checksum;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compiler of the messages of one description: hexadecimal bytes, {@code 'text'} and {@code {fields}}, with spaces between them
 * or not. One thread; what was captured in one message is known in the next.
 *
 * <pre>
 *   {type} {length:u16:body} {id:bcd:6} {counter:u16} {body} {xor}      the frame: what all messages have in common
 *   0102 | {auth}                                                       a message: its type, and its body
 *   8001 | {counter:u16} 0102 00                                        an answer
 * </pre>
 */
public final class FrameCompiler {

    /** Most values a connection may remember. */
    public static final int MOST_CAPTURES = 16;

    private static final int MOST_CHARS = 8_192;
    private static final int MOST_BYTES = 65_536;
    private static final Pattern NUMBER =
            Pattern.compile("(?:u(8|16|24|32|48|64)(le)?|(text|hex|bcd)(?::([0-9]{1,5}))?)");
    private static final Pattern SIZE = Pattern.compile("[0-9]{1,5}");
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    private static final Pattern SPAN = Pattern.compile("(.+?)(?::(body|rest|frame))?([+-][0-9]{1,5})?");
    private static final String NUMBERS =
            "u8, u16, u24, u32, u48 or u64, with le behind it or not, text, text:N, hex, hex:N or bcd:N";
    private static final Map<String, What> NUMERALS = Arrays.stream(What.values())
            .collect(Collectors.toMap(
                    what -> what.name().toLowerCase(Locale.ROOT).replace('_', '-'), what -> what));
    /** A bar, a text in quotes, a field, or bytes in hexadecimal; spaces before it. */
    private static final Pattern TOKEN =
            Pattern.compile("(?s)\\G\\s*(\\||'(?:[^'\\\\]++|\\\\.)*+'|\\{[^}]*}|(?:[0-9a-fA-F]{2})++(?![0-9a-fA-F]))");

    private static final Pattern QUOTED_FIELD = Pattern.compile("\\{([a-z][a-z0-9-]*)(?::[^{}']*|=(?:any|[0-9]+))?}");
    private static final Set<String> FIELDS = Set.of("id", "time", "payload", "any", "length", "type", "body");

    private final Map<String, Integer> slots = new HashMap<>();

    /** What may stand in braces. */
    public static String need() {
        String sums = Arrays.stream(Checksum.values()).map(Checksum::label).collect(Collectors.joining(", "));
        return "bytes in hex, 'text' or fields: {counter:FORM}, {number:FORM}, {length:FORM}, {seconds:FORM}, {millis:FORM}, "
                + "{interval-s:FORM}, {interval-ms:FORM}, {code:FORM}, {id:text|bcd|hex:N}, {time:bcd}, {payload}, "
                + "{payload:hex}, {any:N}, {any}, {NAME=N}, {NAME=any}, {NAME}, {"
                + sums.replace(", ", "}, {") + "}; FORM: " + NUMBERS;
    }

    /**
     * Compiles one message.
     *
     * @param frame what all messages have in common, or empty
     * @param incoming whether the server sends it: values may be captured
     * @throws IllegalArgumentException saying what is needed instead
     */
    public FrameTemplate compile(String frame, String message, boolean incoming) {
        if (frame.length() + message.length() > MOST_CHARS) {
            throw new IllegalArgumentException("need at most " + MOST_CHARS + " characters");
        }
        List<String> tokens = tokens(message);
        int bar = tokens.indexOf("|");
        List<String> type = bar < 0 ? List.of() : tokens.subList(0, bar);
        List<String> body = bar < 0 ? tokens : tokens.subList(bar + 1, tokens.size());
        if (body.contains("|") || (bar >= 0 && frame.isEmpty())) {
            throw new IllegalArgumentException("need one | at most, between type and body, and a frame with both");
        }
        List<FramedPart> parts = new ArrayList<>();
        if (frame.isEmpty()) {
            body(parts, body, incoming);
        }
        for (String token : tokens(frame)) {
            switch (token) {
                case "{type}" -> type.forEach(each -> add(parts, each, incoming));
                case "{body}" -> body(parts, body, incoming);
                default -> add(parts, token, incoming);
            }
        }
        FrameTemplate template = new FrameTemplate(message, List.copyOf(parts));
        return incoming ? template.readable() : template;
    }

    private void body(List<FramedPart> parts, List<String> body, boolean incoming) {
        parts.add(new FramedPart.Body(true));
        body.forEach(each -> add(parts, each, incoming));
        parts.add(new FramedPart.Body(false));
    }

    /** Literals side by side become one, so that a search finds all of it. */
    private void add(List<FramedPart> parts, String token, boolean incoming) {
        FramedPart part = part(token, incoming);
        int last = parts.size() - 1;
        if (part instanceof FramedPart.Literal next
                && last >= 0
                && parts.get(last) instanceof FramedPart.Literal before) {
            byte[] both = Arrays.copyOf(before.bytes(), before.bytes().length + next.bytes().length);
            System.arraycopy(next.bytes(), 0, both, before.bytes().length, next.bytes().length);
            parts.set(last, new FramedPart.Literal(both));
        } else {
            parts.add(part);
        }
    }

    // ---- tokens

    private static List<String> tokens(String text) {
        List<String> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(text);
        int end = 0;
        while (matcher.find()) {
            tokens.add(matcher.group(1));
            end = matcher.end();
        }
        String rest = text.substring(end).strip();
        if (!rest.isEmpty()) {
            String need =
                    switch (rest.charAt(0)) {
                        case '\'' -> "its closing '";
                        case '{' -> "its closing }";
                        default -> need();
                    };
            throw new IllegalArgumentException("at \"" + shortened(rest) + "\": need " + need);
        }
        return tokens;
    }

    private static String shortened(String text) {
        return text.length() > 30 ? text.substring(0, 30) + "..." : text;
    }

    // ---- parts

    private FramedPart part(String token, boolean incoming) {
        return switch (token.charAt(0)) {
            case '\'' -> {
                needNoField(token);
                yield new FramedPart.Literal(quoted(token.substring(1, token.length() - 1)));
            }
            case '{' -> field(token.substring(1, token.length() - 1), incoming);
            default -> new FramedPart.Literal(HexFormat.of().parseHex(token));
        };
    }

    /** Between quotes a field would go out as its letters. */
    private void needNoField(String quoted) {
        Matcher matcher = QUOTED_FIELD.matcher(quoted);
        while (matcher.find()) {
            String name = String.valueOf(matcher.group(1));
            boolean field = NUMERALS.containsKey(name)
                    || FIELDS.contains(name)
                    || slots.containsKey(name)
                    || matcher.group().indexOf('=') > 0
                    || Arrays.stream(Checksum.values())
                            .anyMatch(sum -> sum.label().equals(name));
            String place = matcher.group();
            require(
                    !field,
                    "at " + shortened(quoted) + ": between quotes " + place + " is text: need "
                            + quoted.replace(place, "'" + place + "'").replace("''", "") + ", or for the text '{' '"
                            + place.substring(1) + "'");
        }
    }

    private static byte[] quoted(String text) {
        StringBuilder plain = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char next = text.charAt(at);
            if (next == '\\') {
                at++;
                int escape = "rnt0\\'".indexOf(text.charAt(at));
                require(escape >= 0, "\\" + text.charAt(at) + ": need \\r, \\n, \\t, \\0, \\\\ or \\'");
                next = "\r\n\t\0\\'".charAt(escape);
            }
            plain.append(next);
        }
        return plain.toString().getBytes(StandardCharsets.UTF_8);
    }

    private FramedPart field(String field, boolean incoming) {
        int colon = field.indexOf(':');
        String name = colon < 0 ? field : field.substring(0, colon);
        String rest = colon < 0 ? "" : field.substring(colon + 1);
        What what = NUMERALS.get(name);
        if (what != null) {
            return new FramedPart.Numeral(what, form(field, rest));
        }
        FramedPart.@Nullable Check check = check(name, rest);
        if (check != null) {
            return check;
        }
        return switch (name) {
            case "length" -> length(rest);
            case "id" -> id(rest);
            case "time" -> {
                require(rest.equals("bcd"), "{" + field + "}: need {time:bcd}, {seconds:FORM} or {millis:FORM}");
                yield new FramedPart.Clock();
            }
            case "payload" -> {
                require(rest.isEmpty() || rest.equals("hex"), "{" + field + "}: need {payload} or {payload:hex}");
                yield new FramedPart.Payload(rest.equals("hex"));
            }
            case "any" -> {
                require(
                        incoming || !rest.isEmpty(),
                        "{any}: need a number of bytes in what is sent, for example {any:2}");
                yield new FramedPart.Any(rest.isEmpty() ? FramedPart.VARIABLE : size(field, rest));
            }
            default -> capture(field, incoming);
        };
    }

    private static void require(boolean holds, String need) {
        if (!holds) {
            throw new IllegalArgumentException(need);
        }
    }

    private static int size(String field, String text) {
        int size = SIZE.matcher(text).matches() ? Integer.parseInt(text) : 0;
        require(size >= 1 && size <= MOST_BYTES, "{" + field + "}: need a number of bytes, 1.." + MOST_BYTES);
        return size;
    }

    private static NumberForm form(String field, String text) {
        Matcher matcher = NUMBER.matcher(text);
        require(matcher.matches(), "{" + field + "}: need a form: " + NUMBERS);
        if (matcher.group(1) != null) {
            return new NumberForm(
                    NumberForm.Kind.BINARY, Integer.parseInt(matcher.group(1)) / 8, matcher.group(2) != null);
        }
        int width = matcher.group(4) == null ? 0 : Integer.parseInt(matcher.group(4));
        NumberForm.Kind kind = NumberForm.Kind.valueOf(matcher.group(3).toUpperCase(Locale.ROOT));
        int most = kind == NumberForm.Kind.BCD ? 9 : 18;
        require(
                width <= most && (width > 0 || kind != NumberForm.Kind.BCD),
                "{" + field + "}: need a width of 1.." + most);
        return new NumberForm(kind, width, false);
    }

    private static FramedPart length(String rest) {
        Matcher matcher = SPAN.matcher(rest);
        require(
                matcher.matches(),
                "{length:" + rest + "}: need {length:FORM:body|rest|frame}, with +N or -N behind it or not");
        String of = matcher.group(2) == null ? "rest" : matcher.group(2);
        int plus = matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3));
        NumberForm form = form("length:" + rest, matcher.group(1));
        return new FramedPart.Length(form, FramedPart.Length.Of.valueOf(of.toUpperCase(Locale.ROOT)), plus);
    }

    private static FramedPart.@Nullable Check check(String name, String rest) {
        String[] at = (rest.isEmpty() ? name : name + ":" + rest).split("@", -1);
        String[] words = at[0].split(":", -1);
        for (Checksum sum : Checksum.values()) {
            if (sum.label().equals(words[0])) {
                String form = words.length > 1 ? words[1] : "be";
                boolean known = words.length <= 2 && List.of("be", "le", "hex").contains(form) && at.length <= 2;
                boolean placed = at.length == 1 || SIZE.matcher(at[1]).matches();
                require(
                        known && placed,
                        "{" + name + ":" + rest + "}: need {" + words[0] + "}, with :le or :hex, with @FIRST or not");
                NumberForm number = form.equals("hex")
                        ? new NumberForm(NumberForm.Kind.HEX, 2 * sum.bytes(), false)
                        : new NumberForm(NumberForm.Kind.BINARY, sum.bytes(), form.equals("le"));
                return new FramedPart.Check(sum, number, at.length == 1 ? 0 : Integer.parseInt(at[1]));
            }
        }
        return null;
    }

    private static FramedPart id(String rest) {
        String[] words = rest.split(":", -1);
        String form = words[0].isEmpty() ? "text" : words[0];
        require(
                words.length <= 2
                        && List.of("text", "bcd", "hex").contains(form)
                        && (words.length == 2 || form.equals("text")),
                "{id:" + rest + "}: need {id}, {id:text:N}, {id:bcd:N} or {id:hex:N}");
        int bytes = words.length == 2 ? size("id:" + rest, words[1]) : 0;
        return new FramedPart.Id(FramedPart.Id.Form.valueOf(form.toUpperCase(Locale.ROOT)), bytes);
    }

    private FramedPart capture(String field, boolean incoming) {
        int equal = field.indexOf('=');
        String name = equal < 0 ? field : field.substring(0, equal);
        require(NAME.matcher(name).matches(), "{" + field + "}: need " + need());
        if (equal < 0) {
            Integer slot = slots.get(name);
            require(slot != null, "{" + name + "} is neither a field nor captured in an answer before: need " + need());
            return new FramedPart.Capture(slot == null ? 0 : slot, FramedPart.VARIABLE, false);
        }
        require(incoming, "{" + field + "}: only what the server sends can be captured");
        String length = field.substring(equal + 1);
        int bytes = length.equals("any") ? FramedPart.VARIABLE : size(field, length);
        require(
                bytes <= FramedPart.Capture.MOST,
                "{" + field + "}: need at most " + FramedPart.Capture.MOST + " bytes");
        slots.putIfAbsent(name, slots.size());
        require(slots.size() <= MOST_CAPTURES, "{" + field + "}: need at most " + MOST_CAPTURES + " captured values");
        return new FramedPart.Capture(slots.getOrDefault(name, 0), bytes, true);
    }
}

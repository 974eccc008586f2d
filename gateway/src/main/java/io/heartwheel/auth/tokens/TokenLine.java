package io.heartwheel.auth.tokens;

import io.heartwheel.auth.Grant;
import io.heartwheel.auth.HashedToken;
import io.heartwheel.event.SafeText;
import io.heartwheel.net.HttpError;
import io.heartwheel.net.PercentCoding;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Line of a file of tokens: {@code DEVICE-ID HASH [HASH] [groups=a,b] [rate-class=NAME] [interval=5s..60s] [NAME=VALUE ...]}. Ids, and values of attributes,
 * are percent-encoded where they hold white space, control characters or a percent sign; ids also where they hold a {@code #}. No error repeats a hash.
 *
 * <p>Pure functions; any thread.
 *
 * @param deviceId UTF-8 bytes; none for {@code *}
 * @param hashes one or two
 * @param grant words of the grant as they stand, separated by one space; empty for nothing special
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record TokenLine(byte[] deviceId, List<HashedToken> hashes, String grant) {
    /** In place of an id: every device without a line of its own. */
    static final String ANY_DEVICE = "*";
    /** Hashes of one device: the old token and the new one. */
    static final int MOST_HASHES = 2;
    /** What is needed, for errors. */
    static final String NEED =
            "DEVICE-ID HASH [HASH] [groups=A,B] [rate-class=NAME] [interval=5s..60s] [NAME=VALUE ...]";

    private static final int LONGEST_ID = 128;
    private static final Pattern INTERVAL = Pattern.compile("([0-9]{1,8})(ms|s|m|h)\\.\\.([0-9]{1,8})(ms|s|m|h)");
    private static final int LEAST_INTERVAL_MILLIS = 100;
    private static final int GREATEST_INTERVAL_MILLIS = 86_400_000;

    /**
     * Reads one.
     *
     * @param line characters are bytes (ISO 8859-1); neither empty nor a comment
     * @throws IllegalArgumentException telling what is needed
     */
    static TokenLine parse(String line) {
        List<String> words = words(line);
        List<HashedToken> hashes = new ArrayList<>(MOST_HASHES);
        int at = 1;
        while (at < words.size() && words.get(at).startsWith("sha256:")) {
            hashes.add(HashedToken.parse(words.get(at++)));
        }
        if (hashes.isEmpty()) {
            throw new IllegalArgumentException("need " + NEED + ", HASH being " + HashedToken.NEED);
        }
        if (hashes.size() > MOST_HASHES) {
            throw new IllegalArgumentException(hashes.size() + " hashes: need at most " + MOST_HASHES);
        }
        return new TokenLine(id(words.get(0)), hashes, String.join(" ", words.subList(at, words.size())));
    }

    /** Up to a comment. */
    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        int from = 0;
        for (int at = 0; at <= line.length(); at++) {
            if (at == line.length() || line.charAt(at) == ' ' || line.charAt(at) == '\t') {
                if (at > from && line.charAt(from) == '#') {
                    return words;
                }
                if (at > from) {
                    words.add(line.substring(from, at));
                }
                from = at + 1;
            }
        }
        return words;
    }

    // ------------------------------------------------------------------ ids

    private static byte[] id(String word) {
        if (word.equals(ANY_DEVICE)) {
            return new byte[0];
        }
        if (word.indexOf('#') >= 0) {
            throw new IllegalArgumentException("device id: need %23 in place of #");
        }
        if (word.length() <= LONGEST_ID && isPlain(word)) {
            return word.getBytes(StandardCharsets.ISO_8859_1);
        }
        byte[] id = decoded("device id", word).getBytes(StandardCharsets.UTF_8);
        requireId(id, new String(id, StandardCharsets.UTF_8));
        return id;
    }

    /** Whether it is visible ASCII that stands for itself. */
    private static boolean isPlain(String word) {
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == '%') {
                return false;
            }
        }
        return true;
    }

    /** As of HELLO: an id that no device can claim is a mistake of the file. */
    private static void requireId(byte[] id, String text) {
        if (id.length == 0 || id.length > LONGEST_ID) {
            throw new IllegalArgumentException("device id of " + id.length + " bytes: need 1.." + LONGEST_ID);
        }
        if (text.codePoints().anyMatch(SafeText::isHarmful)) {
            throw new IllegalArgumentException(
                    "device id: need one without control characters, line separators and bidirectional controls");
        }
    }

    /**
     * How a device id is written in the file.
     *
     * @throws IllegalArgumentException if no device can have it
     */
    public static String written(String id) {
        requireId(id.getBytes(StandardCharsets.UTF_8), id);
        if (id.equals(ANY_DEVICE)) {
            return "%2A";
        }
        StringBuilder text = new StringBuilder();
        id.codePoints().forEach(each -> {
            if (each == ' ' || each == '%' || each == '#') {
                text.append('%').append(Character.forDigit(each >> 4, 16)).append(Character.forDigit(each & 0xf, 16));
            } else {
                text.appendCodePoint(each);
            }
        });
        return text.toString();
    }

    /** @param word characters are bytes */
    private static String decoded(String what, String word) {
        try {
            byte[] bytes =
                    word.indexOf('%') < 0 ? word.getBytes(StandardCharsets.ISO_8859_1) : PercentCoding.decode(word);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (HttpError | CharacterCodingException broken) {
            throw new IllegalArgumentException(
                    what + ": need UTF-8, and two hexadecimal digits after each percent sign", broken);
        }
    }

    // ------------------------------------------------------------------ grants

    /**
     * What these words grant.
     *
     * @throws IllegalArgumentException telling what is needed
     */
    static Grant grant(String words) {
        if (words.isEmpty()) {
            return Grant.NONE;
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : words.split(" ", -1)) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("a word behind the hashes: need NAME=VALUE");
            }
            String name = word.substring(0, equals);
            if (!Grant.isName(name)) {
                throw new IllegalArgumentException("name of an attribute: need 1.." + Grant.LONGEST_NAME
                        + " characters of [A-Za-z0-9._:-] before the =");
            }
            if (values.put(name, word.substring(equals + 1)) != null) {
                throw new IllegalArgumentException(name + " stands twice: need it once");
            }
        }
        String groups = values.remove("groups");
        String rateClass = values.remove("rate-class");
        String interval = values.remove("interval");
        if (rateClass != null && rateClass.isEmpty()) {
            throw new IllegalArgumentException("rate-class: need the name of one");
        }
        int[] millis = interval == null ? new int[2] : interval(interval);
        values.replaceAll((name, value) -> decoded(name, value));
        return new Grant(
                millis[0],
                millis[1],
                rateClass == null ? "" : rateClass,
                groups == null ? List.of() : List.of(groups.split(",", -1)),
                values);
    }

    private static int[] interval(String text) {
        Matcher parts = INTERVAL.matcher(text);
        if (parts.matches()) {
            long least = millis(parts.group(1), parts.group(2));
            long greatest = millis(parts.group(3), parts.group(4));
            if (least >= LEAST_INTERVAL_MILLIS && least <= greatest && greatest <= GREATEST_INTERVAL_MILLIS) {
                return new int[] {(int) least, (int) greatest};
            }
        }
        throw new IllegalArgumentException("interval: need LEAST..GREATEST within 100ms..24h, as in 5s..60s");
    }

    private static long millis(String number, String unit) {
        long value = Long.parseLong(number);
        return switch (unit) {
            case "ms" -> value;
            case "s" -> value * 1_000;
            case "m" -> value * 60_000;
            default -> value * 3_600_000;
        };
    }
}

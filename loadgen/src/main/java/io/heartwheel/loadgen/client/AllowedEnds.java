package io.heartwheel.loadgen.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Ways in which a server may end a connection for one reason. Immutable.
 *
 * @param any whether every way will do
 * @param fin whether it may end the stream without a word
 * @param rst whether it may break the connection
 * @param codes close codes, or the protocol's own reason codes, with which it may
 */
public record AllowedEnds(boolean any, boolean fin, boolean rst, List<Integer> codes) {

    /** Every way will do. */
    public static final AllowedEnds ANY = new AllowedEnds(true, true, true, List.of());
    /** It ends no connection for this reason. */
    public static final AllowedEnds NONE = new AllowedEnds(false, false, false, List.of());
    /** Without a word, in either way that TCP has. */
    public static final AllowedEnds WORDLESS = new AllowedEnds(false, true, true, List.of());

    /** What a scenario may say. */
    public static final String NEED = "fin, rst, any, none or a code of 1..65535 (or 0x8D), or a list of them";

    private static final int MOST_CODE = 65_535;

    /** Keeps its own copy. */
    public AllowedEnds {
        codes = List.copyOf(codes);
    }

    /** With this code alone. */
    public static AllowedEnds code(int code) {
        return new AllowedEnds(false, false, false, List.of(code));
    }

    /** Reads what a scenario says: {@code fin}, {@code rst}, {@code any}, {@code none} or codes; empty when it is none of it. */
    public static Optional<AllowedEnds> parse(List<String> words) {
        TreeSet<Integer> codes = new TreeSet<>();
        for (String word : words) {
            int code = word.matches("[0-9]{1,5}|0[xX][0-9a-fA-F]{1,4}") ? Integer.decode(decimal(word)) : 0;
            if (code >= 1 && code <= MOST_CODE) {
                codes.add(code);
            } else if (!List.of("fin", "rst", "any", "none").contains(word)) {
                return Optional.empty();
            }
        }
        boolean alone = words.contains("any") || words.contains("none");
        if (words.isEmpty() || (alone && words.size() > 1)) {
            return Optional.empty();
        }
        return Optional.of(
                words.contains("any")
                        ? ANY
                        : new AllowedEnds(false, words.contains("fin"), words.contains("rst"), List.copyOf(codes)));
    }

    /** Without zeros in front: with them a number would be taken for an octal one. */
    private static String decimal(String word) {
        return word.matches("[0-9]+") ? word.replaceFirst("^0+(?=.)", "") : word;
    }

    /** These and those. */
    public AllowedEnds or(AllowedEnds other) {
        TreeSet<Integer> all = new TreeSet<>(codes);
        all.addAll(other.codes);
        return new AllowedEnds(any || other.any, fin || other.fin, rst || other.rst, List.copyOf(all));
    }

    /** These, or without a word. */
    AllowedEnds orWordless() {
        return new AllowedEnds(any, true, true, codes);
    }

    /** Whether it ends no connection for this reason. */
    public boolean isNone() {
        return !any && !fin && !rst && codes.isEmpty();
    }

    /** Whether a connection may end so; what its own machine did is never the server's end of it. */
    public boolean accepts(ConnectionEnd ending, int code) {
        return switch (ending) {
            case OWN_FAILURE -> false;
            case CLOSE -> any || codes.contains(code);
            case RESET -> any || rst;
            // an HTTP status instead of an upgrade carries no code either
            case END_OF_STREAM, NOT_ACCEPTED -> any || fin;
            default -> any;
        };
    }

    /** {@code 4001}, {@code fin or rst}, {@code any}, {@code none}. */
    public String text() {
        if (any || isNone()) {
            return any ? "any" : "none";
        }
        List<String> words = new ArrayList<>();
        codes.forEach(code -> words.add(String.valueOf(code)));
        if (fin) {
            words.add("fin");
        }
        if (rst) {
            words.add("rst");
        }
        return String.join(" or ", words);
    }
}

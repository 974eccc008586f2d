package io.heartwheel.metrics;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of series in an expression: whatever is a word and neither text, label, function nor keyword. */
final class PromQl {
    private static final Pattern TEXT = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern MATCHERS = Pattern.compile("\\{[^}]*}");
    private static final Pattern GROUPING =
            Pattern.compile("\\b(by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)");
    private static final Pattern RANGE = Pattern.compile("\\[[^]]*]");
    private static final Pattern WORD = Pattern.compile("(?<![\\w:.])([a-zA-Z_:][\\w:]*)(?!\\s*\\()(?![\\w:])");
    private static final Set<String> KEYWORDS = Set.of("and", "or", "unless", "bool", "offset");

    private PromQl() {}

    static Set<String> names(String expression) {
        String bare = TEXT.matcher(expression).replaceAll("");
        for (Pattern beside : new Pattern[] {MATCHERS, GROUPING, RANGE}) {
            bare = beside.matcher(bare).replaceAll(" ");
        }
        Set<String> names = new TreeSet<>();
        Matcher word = WORD.matcher(bare);
        while (word.find()) {
            if (!KEYWORDS.contains(word.group(1))) {
                names.add(word.group(1));
            }
        }
        return names;
    }

    /** With Grafana's variables given a value, as Prometheus is asked. */
    static String asAsked(String expression) {
        return expression
                .replace("$__rate_interval", "5m")
                .replace("$__interval", "1m")
                .replace("$__range", "1h")
                .replace("$job", ".+")
                .replace("$instance", ".+");
    }
}

package io.heartwheel.loadgen.measure;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Figures of a run by name, and text with figures in it. The names are those of results and of a scenario's assertions: the
 * label of a {@link Count}, or that of a {@link Timing} with {@code .p50}, {@code .p90}, {@code .p99}, {@code .p999},
 * {@code .max} or {@code .count}.
 *
 * <pre>
 *   {data_sent} sent[; {data_held_back} held back]      5,000 sent; 12 held back     or, when none was:  5,000 sent
 *   {connect}                                           p50 0.20 ms, p99 0.80 ms, p99.9 1.10 ms, max 1.4 ms
 * </pre>
 */
public interface Figures {

    /** How many; 0 when it was not counted. */
    long of(Count what);

    /** A timing as numbers; {@link Latencies.Summary#NOTHING} when it was not seen. */
    Latencies.Summary summary(Timing what);

    /** Whether a timing has values. */
    default boolean has(Timing what) {
        return summary(what).count() > 0;
    }

    /** Timing of heartbeats that has any: the warm-up's while there is no other. */
    default Timing roundTrip() {
        return has(Timing.ROUND_TRIP) ? Timing.ROUND_TRIP : Timing.ROUND_TRIP_COLD;
    }

    /** A figure, durations in nanoseconds; empty when nothing was seen of it, or nothing has this name. */
    default OptionalDouble figure(String name) {
        int dot = name.indexOf('.');
        if (dot < 0) {
            return Count.labelled(name).map(this::of).map(OptionalDouble::of).orElse(OptionalDouble.empty());
        }
        return Timing.labelled(name.substring(0, dot))
                .filter(this::has)
                .map(timing -> OptionalDouble.of(summary(timing).part(name.substring(dot + 1))))
                .orElse(OptionalDouble.empty());
    }

    /**
     * A text with the figures that it names in braces. A part in brackets is left out when the first figure in it is 0.
     *
     * @param more values for what {@link String#format} finds in the text
     * @throws IllegalArgumentException when nothing has a name in it
     */
    default String text(String template, Object... more) {
        String whole = Template.PART
                .matcher(template)
                .replaceAll(part -> Matcher.quoteReplacement(any(part.group()) ? part.group(1) : ""));
        String filled = Template.NAME.matcher(whole).replaceAll(name -> Template.shown(this, name));
        return String.format(Locale.ROOT, filled, more);
    }

    /** Whether the first figure that a text names is above 0, or of a timing whether there are values. */
    default boolean any(String template) {
        Matcher first = Template.NAME.matcher(template);
        return first.find()
                && Count.labelled(first.group(1))
                        .map(count -> of(count) > 0)
                        .orElseGet(() -> has(Template.timing(first)));
    }

    /** Form of a text with figures. */
    final class Template {
        private static final Pattern NAME = Pattern.compile("\\{([a-z0-9_]+)(?:\\.([a-z0-9]+))?}");
        private static final Pattern PART = Pattern.compile("\\[([^]]*)]");
        private static final double MILLI = 1e6;

        private Template() {}

        private static Timing timing(MatchResult name) {
            return Timing.labelled(name.group(1))
                    .orElseThrow(() -> new IllegalArgumentException(name.group() + ": nothing has this name"));
        }

        private static String shown(Figures figures, MatchResult name) {
            String part = name.group(2);
            if (part == null) {
                return Count.labelled(name.group(1))
                        .map(count -> String.format(Locale.ROOT, "%,d", figures.of(count)))
                        .orElseGet(() -> figures.summary(timing(name)).text());
            }
            long value = figures.summary(timing(name)).part(part);
            return part.equals("count")
                    ? String.format(Locale.ROOT, "%,d", value)
                    : String.format(Locale.ROOT, "%.1f ms", value / MILLI);
        }
    }
}

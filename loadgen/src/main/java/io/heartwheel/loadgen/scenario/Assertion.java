package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Condition that a scenario sets for the end of a run: a figure, how it compares, and a bound.
 *
 * <pre>
 *   opened &gt;= 100%             round_trip.p99 &lt;= 50ms          recovery.100 &lt;= 30s          memory.gateway &lt;= 8000
 * </pre>
 *
 * @param figure a {@link Count}'s label, a {@link Timing}'s label with a percentile, {@code recovery} with a percentage,
 *     {@code memory} with a side (bytes a connection), or {@value #RECONNECTS}
 * @param relation one of {@code = < <= > >=}
 * @param bound a number, of durations nanoseconds; what was written as a percentage is one of all devices
 * @param text as it was written
 */
public record Assertion(String figure, String relation, double bound, String text) {

    private static final Pattern FORM =
            Pattern.compile("\\s*([a-z_0-9.]+)\\s*(<=|>=|=|<|>)\\s*([0-9._]+\\s*(?:[a-z]*|%))\\s*");
    /** Most connections welcomed in a second, from the first step on that costs connections. */
    public static final String RECONNECTS = "reconnects_per_second.max";

    private static final Set<String> DURATIONS = Stream.concat(
                    Stream.of("recovery.50", "recovery.95", "recovery.99", "recovery.100"),
                    Stream.of(Timing.values()).flatMap(timing -> Stream.of(".p50", ".p90", ".p99", ".p999", ".max")
                            .map(part -> timing.label() + part)))
            .collect(Collectors.toUnmodifiableSet());
    private static final Set<String> FIGURES = Stream.of(
                    DURATIONS.stream(),
                    Stream.of(Count.values()).map(Count::label),
                    Stream.of(RECONNECTS, "memory.kernel", "memory.gateway", "memory.generator"))
            .flatMap(Function.identity())
            .collect(Collectors.toUnmodifiableSet());

    /** What the figures are, for those who read the message. */
    static final String NEED =
            "need <figure> <relation> <bound>, for example \"false_kills = 0\", \"opened >= 100%\" (of the devices), "
                    + "\"round_trip.p99 <= 50ms\", \"recovery.100 <= 30s\", \"reconnects_per_second.max <= 500\" or \"memory.gateway <= 4000\"";

    /**
     * Reads one.
     *
     * @param clients devices of the run
     * @throws IllegalArgumentException saying what is needed instead
     */
    static Assertion parse(String text, int clients) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(NEED);
        }
        String figure = matcher.group(1);
        if (!FIGURES.contains(figure)) {
            String hint = Spelling.hint(figure, FIGURES);
            throw new IllegalArgumentException("no figure " + figure + (hint.isEmpty() ? ": " + NEED : hint));
        }
        boolean exact = matcher.group(2).equals("=");
        double bound = bound(matcher.group(3).replace("_", "").strip(), DURATIONS.contains(figure), exact, clients);
        return new Assertion(figure, matcher.group(2), bound, text.strip());
    }

    /** @param exact a percentage is the whole number of devices that a step of so many chooses, else not above it */
    private static double bound(String text, boolean isDuration, boolean exact, int clients) {
        if (isDuration) {
            return Durations.nanos(text)
                    .orElseThrow(() -> new IllegalArgumentException("need a duration with its unit, for example 50ms"));
        }
        try {
            if (!text.endsWith("%")) {
                return Double.parseDouble(text);
            }
            double devices = Double.parseDouble(text.substring(0, text.length() - 1)) / 100 * clients;
            return exact ? Math.round(devices) : Math.floor(devices);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("need a number, or a percentage of the devices", e);
        }
    }

    /** Whether the figure is a duration. */
    public boolean isDuration() {
        return DURATIONS.contains(figure);
    }

    /** Whether it is a time of the gateway's, of which what the generator itself could not see is taken off. */
    public boolean isOfGateway() {
        return Timing.labelled(figure.split("\\.", 2)[0])
                .filter(Timing::isOfGateway)
                .isPresent();
    }

    /** Whether a machine that is too slow, the generator's own, may be to blame for what is seen. */
    public boolean dependsOnSpeed() {
        return isDuration() || figure.equals(RECONNECTS) || figure.equals(Count.BACK_LATE.label());
    }

    /** A value of the figure, for people. */
    public String shown(double value) {
        return isDuration() ? Durations.text(value) : String.format(Locale.ROOT, "%,.0f", value);
    }

    /**
     * Whether it holds.
     *
     * @param figures what was seen, by figure; a figure nobody saw holds nothing
     */
    public boolean holds(Function<String, OptionalDouble> figures) {
        OptionalDouble seen = figures.apply(figure);
        return seen.isPresent() && compares(seen.getAsDouble());
    }

    private boolean compares(double seen) {
        return switch (relation) {
            case "=" -> seen == bound;
            case "<" -> seen < bound;
            case "<=" -> seen <= bound;
            case ">" -> seen > bound;
            default -> seen >= bound;
        };
    }
}

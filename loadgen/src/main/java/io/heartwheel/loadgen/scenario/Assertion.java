package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import java.util.Locale;
import java.util.Optional;
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
    private static final Set<String> COUNTS =
            Stream.of(Count.values()).map(Count::label).collect(Collectors.toUnmodifiableSet());
    private static final Set<String> TIMINGS =
            Stream.of(Timing.values()).map(Timing::label).collect(Collectors.toUnmodifiableSet());
    private static final Set<String> PERCENTILES = Set.of("p50", "p90", "p99", "p999", "max");
    private static final Set<String> PERCENTAGES = Set.of("50", "95", "99", "100");
    private static final Set<String> SIDES = Set.of("kernel", "gateway", "generator");

    /** Timings from which the generator's own standstills are taken off, close by close and answer by answer. */
    private static final Set<String> OF_GATEWAY = Stream.of(
                    Timing.ROUND_TRIP,
                    Timing.ROUND_TRIP_CROWD,
                    Timing.DATA_ROUND_TRIP,
                    Timing.ECHO_ROUND_TRIP,
                    Timing.CONNECT,
                    Timing.CONNECT_TCP,
                    Timing.CONNECT_TLS,
                    Timing.CONNECT_UPGRADE,
                    Timing.CONNECT_HELLO,
                    Timing.LATENESS,
                    Timing.LATENESS_HANDSHAKE,
                    Timing.LATENESS_PROGRESS,
                    Timing.LATENESS_EXPIRY,
                    Timing.RENEWAL,
                    Timing.UNDECIDED,
                    Timing.TAKEOVER)
            .map(Timing::label)
            .collect(Collectors.toUnmodifiableSet());

    /** Most connections welcomed in a second, from the first step on that costs connections. */
    public static final String RECONNECTS = "reconnects_per_second.max";

    /** What the figures are, for those who read the message. */
    static final String NEED =
            "need <figure> <relation> <bound>, for example \"false_kills = 0\", \"opened >= 100%\" (of the devices), "
                    + "\"round_trip.p99 <= 50ms\", \"recovery.100 <= 30s\", \"reconnects_per_second.max <= 500\" or \"memory.gateway <= 4000\"";

    /**
     * Reads one; empty when it is none.
     *
     * @param clients devices of the run
     */
    static Optional<Assertion> parse(String text, int clients) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String figure = matcher.group(1);
        String bound = matcher.group(3).replace("_", "").strip();
        return kind(figure)
                .flatMap(isDuration -> bound(bound, isDuration, clients))
                .map(value -> new Assertion(figure, matcher.group(2), value, text.strip()));
    }

    /** Whether the figure is a duration; empty when there is no such figure. */
    private static Optional<Boolean> kind(String figure) {
        int dot = figure.indexOf('.');
        String name = figure.substring(0, Math.max(0, dot));
        String part = figure.substring(dot + 1);
        if (COUNTS.contains(figure) || figure.equals(RECONNECTS) || (name.equals("memory") && SIDES.contains(part))) {
            return Optional.of(false);
        }
        boolean duration = (TIMINGS.contains(name) && PERCENTILES.contains(part))
                || (name.equals("recovery") && PERCENTAGES.contains(part));
        return duration ? Optional.of(true) : Optional.empty();
    }

    private static Optional<Double> bound(String text, boolean isDuration, int clients) {
        if (isDuration) {
            return Durations.nanos(text).map(Long::doubleValue);
        }
        try {
            return Optional.of(
                    text.endsWith("%")
                            ? Math.floor(Double.parseDouble(text.substring(0, text.length() - 1)) / 100 * clients)
                            : Double.parseDouble(text));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Whether the figure is a duration. */
    public boolean isDuration() {
        return kind(figure).orElse(false);
    }

    /** Whether it is a time of the gateway's, of which what the generator itself could not see is taken off. */
    public boolean isOfGateway() {
        return isDuration() && OF_GATEWAY.contains(figure.substring(0, figure.indexOf('.')));
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

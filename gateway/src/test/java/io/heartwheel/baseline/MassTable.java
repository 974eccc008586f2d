package io.heartwheel.baseline;

import io.heartwheel.baseline.MassCrowd.Outcome;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** What a {@link MassTrial} found, for people. */
final class MassTable {
    private static final String FORMAT = "%-28s %7s %9s %9s %9s | %8s %8s %8s | %8s %8s %8s | %6s %8s%n";

    private MassTable() {}

    static String of(MassTrial.Result result) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%nmass expiry: %,d fall silent at once, %,d beat on; milliseconds; medians of %d turns%n",
                result.load().silent(),
                result.load().live(),
                result.load().rounds()));
        text.append(String.format(
                Locale.ROOT,
                FORMAT,
                "",
                "closed",
                "close:",
                "after the",
                "deadline",
                "before:",
                "round",
                "trip",
                "expiry",
                "second's",
                "rtt",
                "lost",
                "late"));
        text.append(String.format(
                Locale.ROOT,
                FORMAT,
                "",
                "",
                "first",
                "median",
                "last",
                "p50",
                "p99",
                "max",
                "p50",
                "p99",
                "max",
                "",
                "pace"));
        for (MassTrial.Rival rival : result.load().rivals()) {
            text.append(line(rival.title, figure -> result.median(rival, figure)));
        }
        ratio(text, result, "last close", Outcome::lastMicros);
        ratio(text, result, "median close", Outcome::medianMicros);
        ratio(text, result, "p99 of the live in the expiry second", Outcome::duringP99Micros);
        ratio(text, result, "max of the live in the expiry second", Outcome::duringMaxMicros);
        return text.toString();
    }

    /** One turn. */
    static String line(MassTrial.Turn turn) {
        String title = turn.round() + 1 + ": " + turn.rival().title;
        return line(title, figure -> figure.applyAsLong(turn.outcome())).stripTrailing();
    }

    private interface Figures {
        double of(ToLongFunction<Outcome> figure);
    }

    private static String line(String title, Figures figures) {
        return String.format(
                Locale.ROOT,
                FORMAT,
                title,
                String.format(Locale.ROOT, "%,.0f", figures.of(Outcome::closed)),
                millis(figures.of(Outcome::firstMicros)),
                millis(figures.of(Outcome::medianMicros)),
                millis(figures.of(Outcome::lastMicros)),
                millis(figures.of(Outcome::beforeP50Micros)),
                millis(figures.of(Outcome::beforeP99Micros)),
                millis(figures.of(Outcome::beforeMaxMicros)),
                millis(figures.of(Outcome::duringP50Micros)),
                millis(figures.of(Outcome::duringP99Micros)),
                millis(figures.of(Outcome::duringMaxMicros)),
                String.format(Locale.ROOT, "%.0f", figures.of(Outcome::lost)),
                millis(figures.of(Outcome::lateMicros)));
    }

    private static String millis(double micros) {
        return String.format(Locale.ROOT, "%.2f", micros / 1_000);
    }

    private static void ratio(
            StringBuilder text, MassTrial.Result result, String what, ToLongFunction<Outcome> figure) {
        double baseline = result.median(MassTrial.Rival.BASELINE, figure);
        text.append(String.format(
                Locale.ROOT,
                "mass, gateway / baseline, %s: %.2f, with its breaker %.2f%n",
                what,
                result.median(MassTrial.Rival.GATEWAY_PLAIN, figure) / baseline,
                result.median(MassTrial.Rival.GATEWAY_BREAKER, figure) / baseline));
    }
}

package io.heartwheel.loadgen.judge;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Recoveries of the fleet after each step that cost it connections, from the series of a run. As fine as the snapshots
 * were frequent. Pure.
 */
final class Recoveries {

    private Recoveries() {}

    /** One for each outage: a step that may have cost connections. */
    static List<Recovery> of(List<Sample> series, List<Result.Mark> outages) {
        List<Recovery> recoveries = new ArrayList<>();
        for (int i = 0; i < outages.size(); i++) {
            double until = i + 1 < outages.size() ? outages.get(i + 1).atSeconds() : Double.POSITIVE_INFINITY;
            recoveries.add(of(series, outages.get(i), until));
        }
        return recoveries;
    }

    /** The most connections welcomed in a second, or in the time between two snapshots if that is longer, from a time on; 0 if there were none. */
    static double mostPerSecond(List<Sample> series, double fromSeconds) {
        List<Sample> after = series.stream()
                .filter(sample -> sample.atSeconds() > fromSeconds)
                .toList();
        double most = 0;
        double opens = 0;
        int from = 0;
        for (int to = 1; to < after.size(); to++) {
            opens += opens(after, to);
            while (from + 1 < to
                    && after.get(to).atSeconds() - after.get(from + 1).atSeconds() >= 1) {
                opens -= opens(after, ++from);
            }
            double seconds = after.get(to).atSeconds() - after.get(from).atSeconds();
            most = Math.max(most, opens / Math.max(1, seconds));
        }
        return most;
    }

    private static double opens(List<Sample> series, int at) {
        return series.get(at).opensPerSecond()
                * (series.get(at).atSeconds() - series.get(at - 1).atSeconds());
    }

    private static Recovery of(List<Sample> series, Result.Mark outage, double untilSeconds) {
        long before = 0;
        List<Sample> after = new ArrayList<>();
        for (Sample sample : series) {
            if (sample.atSeconds() <= outage.atSeconds()) {
                before = sample.connected();
            } else if (sample.atSeconds() <= untilSeconds) {
                after.add(sample);
            }
        }
        long least = Math.min(
                before, after.stream().mapToLong(Sample::connected).min().orElse(before));
        boolean lost = least < before;
        List<Sample> coming = after.stream()
                .dropWhile(sample -> lost && sample.connected() > least)
                .toList();
        Map<Integer, Double> secondsTo = new TreeMap<>();
        for (int percentage : Recovery.PERCENTAGES) {
            double wanted = least + (before - least) * percentage / 100.0;
            coming.stream()
                    .filter(sample -> sample.connected() >= wanted)
                    .findFirst()
                    .ifPresent(there -> secondsTo.put(percentage, there.atSeconds() - outage.atSeconds()));
        }
        double failures = 0;
        double last = outage.atSeconds();
        for (Sample sample : after) {
            failures += sample.failuresPerSecond() * (sample.atSeconds() - last);
            last = sample.atSeconds();
        }
        double peak = after.stream().mapToDouble(Sample::opensPerSecond).max().orElse(0);
        return new Recovery(outage.text(), outage.atSeconds(), before, least, secondsTo, peak, Math.round(failures));
    }
}

package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Figures of a page: tiles with those that an operator looks for first, the table of the verdict, and all counts and timings. */
record PageFigures(Markup page, Result result, ResultFigures figures) {

    /** Among the columns of a table none that holds numbers. */
    private static final int NO_NUMBERS = 9;

    // ---- tiles

    void tiles() {
        page.open("section", "class", "tiles");
        connectionTiles();
        timingTiles();
        killTiles();
        for (Recovery recovery : result.recoveries().stream().limit(2).toList()) {
            Double seconds = recovery.secondsTo().get(99);
            tile("Recovery to 99 %", Format.seconds(seconds), recovery.step(), seconds == null);
        }
        costTiles();
        boolean bottleneck = result.generatorWasBottleneck();
        String lag = Format.latency(result.health().pacing().p99Nanos());
        tile("Own lag p99", lag, bottleneck ? "it was the bottleneck" : "not the bottleneck", bottleneck);
        page.close().line();
    }

    private void tile(String name, String figure, String note, boolean bad) {
        page.open("div", "class", bad ? "tile bad" : "tile")
                .leaf("span", name)
                .leaf("strong", figure)
                .leaf("span", note)
                .close();
    }

    private void connectionTiles() {
        long connected = figures.connected();
        String of = "of " + Format.count(result.clients()) + " devices";
        tile("Connected", Format.count(connected), of, figures.turnedAway() > 0);
        if (result.rampSeconds() > 0) {
            String rate = Format.text("%,.0f connections/s", connected / result.rampSeconds());
            tile("Time to connect", Format.seconds(result.rampSeconds()), rate, false);
        }
    }

    private void timingTiles() {
        Latencies.Summary trip = figures.summary(Timing.ROUND_TRIP);
        if (trip.count() > 0) {
            tile("Round trip p99", Format.latency(trip.p99Nanos()), "p50 " + Format.latency(trip.p50Nanos()), false);
        }
        long limit = result.latenessLimitNanos();
        for (ResultFigures.Lateness kind : ResultFigures.LATENESSES) {
            if (figures.has(kind.timing())) {
                long late = figures.summary(kind.timing()).p99Nanos();
                tile(kind.name() + " p99", Format.latency(late), "limit " + Format.latency(limit), late > limit);
            }
        }
    }

    private void killTiles() {
        badTile("False kills", figures.of(Count.FALSE_KILLS), "closed within promise");
        badTile("Missed kills", figures.of(Count.MISSED_KILLS), figures.text("of {condemned} that broke it"));
        if (figures.of(Count.DATA_SENT) > 0) {
            long bad = figures.of(Count.DATA_LOST)
                    + figures.of(Count.DATA_CHANGED)
                    + figures.of(Count.DATA_DOUBLED)
                    + figures.of(Count.DATA_DISORDERED)
                    + figures.of(Count.DATA_MISDELIVERED)
                    + figures.of(Count.DATA_LATE)
                    + figures.of(Count.DATA_ACKNOWLEDGED_LATE)
                    + figures.of(Count.DATA_UNACKNOWLEDGED);
            badTile("Messages gone wrong", bad, figures.text("of {data_sent} sent"));
        }
        if (figures.of(Count.UPLINK_EVENTS) + figures.of(Count.UPLINK_LOST) > 0) {
            long bad = figures.of(Count.UPLINK_LOST)
                    + figures.of(Count.UPLINK_CHANGED)
                    + figures.of(Count.UPLINK_OUT_OF_ORDER);
            badTile("Messages gone wrong on their way out", bad, figures.text("of {data_accepted} acknowledged"));
            badTile("Presence wrong", figures.of(Count.PRESENCE_WRONG), figures.text("of {presence_judged} devices"));
        }
    }

    private void badTile(String name, long many, String note) {
        tile(name, Format.count(many), note, many > 0);
    }

    private void costTiles() {
        Costs costs = Objects.requireNonNullElse(result.costs(), Costs.UNKNOWN);
        for (Costs.Side side : costs.sides()) {
            if (Double.isFinite(side.bytesPerConnection())) {
                String cpu = Double.isFinite(side.secondsForBeats())
                        ? Format.number(side.secondsForBeats()) + " CPU s / 100,000 beats"
                        : Format.bytes(side.bytes()) + " in all";
                tile("Per connection: " + side.name(), Format.bytes(side.bytesPerConnection()), cpu, false);
            }
        }
    }

    // ---- tables

    void tables() {
        page.leaf("h2", "Figures").open("section", "class", "tables");
        page.leaf("pre", String.join("\n", VerdictTable.of(result))).line();
        evidence();
        timings();
        counts();
        page.close().line();
    }

    /** @param numbers columns from this one on hold numbers */
    private void table(String caption, int numbers, List<String> heads, List<List<String>> rows) {
        if (rows.isEmpty()) {
            return;
        }
        page.open("div", "class", "wide").open("table").leaf("caption", caption);
        if (!heads.isEmpty()) {
            page.open("thead").open("tr");
            for (int i = 0; i < heads.size(); i++) {
                page.leaf("th", heads.get(i), "scope", "col", "class", i >= numbers ? "n" : "t");
            }
            page.close().close();
        }
        page.open("tbody");
        for (List<String> row : rows) {
            page.open("tr");
            for (int i = 0; i < row.size(); i++) {
                page.leaf("td", row.get(i), "class", i >= numbers ? "n" : "t");
            }
            page.close().line();
        }
        page.close().close().close().line();
    }

    private void evidence() {
        List<List<String>> rows = result.evidence().stream()
                .map(fault -> List.of(Format.printable(fault.device()), Format.printable(fault.line())))
                .toList();
        table("Evidence, the first of each kind", NO_NUMBERS, List.of("device", "what was seen"), rows);
    }

    private void timings() {
        List<List<String>> rows = new ArrayList<>();
        for (Timing timing : Timing.values()) {
            Latencies.Summary summary = figures.summary(timing);
            if (summary.count() > 0) {
                List<String> row = new ArrayList<>(List.of(timing.help(), Format.count(summary.count())));
                for (String part : List.of("p50", "p90", "p99", "p999", "max")) {
                    row.add(Format.latency(summary.part(part)));
                }
                rows.add(row);
            }
        }
        table("Timings", 1, List.of("", "count", "p50", "p90", "p99", "p99.9", "max"), rows);
    }

    private void counts() {
        List<List<String>> rows = Arrays.stream(Count.values())
                .filter(count -> figures.of(count) != 0)
                .map(count -> List.of(count.help(), Format.count(figures.of(count))))
                .toList();
        table("Counted", 1, List.of(), rows);
    }
}

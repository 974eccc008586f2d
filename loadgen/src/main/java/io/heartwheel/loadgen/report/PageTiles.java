package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Timing;
import java.util.Locale;

/** The figures an operator looks for first. */
final class PageTiles {

    private final Markup page;

    private PageTiles(Markup page) {
        this.page = page;
    }

    static void write(Markup page, Result result) {
        PageTiles tiles = new PageTiles(page);
        page.open("section", "class", "tiles");
        tiles.connections(result);
        tiles.timings(result);
        tiles.kills(result);
        for (Recovery recovery : result.recoveries().stream().limit(2).toList()) {
            Double seconds = recovery.secondsTo().get(99);
            tiles.tile(
                    "Recovery to 99 %",
                    seconds == null ? "never" : Format.number(seconds) + " s", recovery.step(), seconds == null);
        }
        Costs costs = result.costs();
        if (costs != null) {
            tiles.costs(costs);
        }
        long lag = result.health().pacing().p99Nanos();
        tiles.tile(
                "Own lag p99",
                Format.latency(lag),
                result.generatorWasBottleneck() ? "it was the bottleneck" : "not the bottleneck",
                result.generatorWasBottleneck());
        page.close().line();
    }

    private void tile(String name, String figure, String note, boolean bad) {
        page.open("div", "class", bad ? "tile bad" : "tile")
                .leaf("span", name)
                .leaf("strong", figure)
                .leaf("span", note)
                .close();
    }

    private void connections(Result result) {
        Figures figures = new Figures(result);
        long connected = figures.connected();
        tile(
                "Connected",
                Format.count(connected),
                "of " + Format.count(result.clients()) + " devices",
                figures.turnedAway() > 0);
        if (result.rampSeconds() > 0) {
            String rate = String.format(Locale.ROOT, "%,.0f connections/s", connected / result.rampSeconds());
            tile("Time to connect", Format.number(result.rampSeconds()) + " s", rate, false);
        }
    }

    private void timings(Result result) {
        Figures figures = new Figures(result);
        Latencies.Summary trip = figures.of(Timing.ROUND_TRIP);
        if (trip.count() > 0) {
            tile("Round trip p99", Format.latency(trip.p99Nanos()), "p50 " + Format.latency(trip.p50Nanos()), false);
        }
        for (Timing timing : Figures.LATENESSES) {
            Latencies.Summary late = figures.of(timing);
            if (late.count() > 0) {
                tile(
                        timing == Timing.LATENESS
                                ? "Detection lateness p99"
                                : timing == Timing.LATENESS_HANDSHAKE
                                        ? "Handshake lateness p99"
                                        : "Progress lateness p99",
                        Format.latency(late.p99Nanos()),
                        "limit " + Format.latency(result.latenessLimitNanos()),
                        late.p99Nanos() > result.latenessLimitNanos());
            }
        }
    }

    private void kills(Result result) {
        Figures figures = new Figures(result);
        long falseKills = figures.of(Count.FALSE_KILLS);
        long missed = figures.of(Count.MISSED_KILLS);
        tile("False kills", Format.count(falseKills), "closed within promise", falseKills > 0);
        tile(
                "Missed kills",
                Format.count(missed),
                "of " + Format.count(figures.of(Count.CONDEMNED)) + " that broke it",
                missed > 0);
        if (figures.of(Count.DATA_SENT) > 0) {
            long bad = figures.of(Count.DATA_LOST)
                    + figures.of(Count.DATA_CHANGED)
                    + figures.of(Count.DATA_DOUBLED)
                    + figures.of(Count.DATA_DISORDERED);
            tile(
                    "Messages gone wrong",
                    Format.count(bad),
                    "of " + Format.count(figures.of(Count.DATA_SENT)) + " sent",
                    bad > 0);
        }
    }

    private void costs(Costs costs) {
        for (Side side : Side.of(costs)) {
            if (Double.isFinite(side.bytesPerConnection())) {
                String cpu = Double.isFinite(side.secondsForBeats())
                        ? Format.number(side.secondsForBeats()) + " CPU s / 100,000 beats"
                        : Format.bytes(side.bytes()) + " in all";
                tile("Per connection: " + side.name(), Format.bytes(side.bytesPerConnection()), cpu, false);
            }
        }
    }
}

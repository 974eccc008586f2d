package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Finding;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.OwnHealth;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Made-up results, the same on every run: what a record's many components would otherwise cost each test. */
final class Results {

    static final long MILLI = 1_000_000L;

    RunVerdict verdict = RunVerdict.PASS;
    String scenario = "restart";
    long seed = 42;
    long clients = 10_000;
    final Ledger ledger = new Ledger();
    final List<Finding> findings = new ArrayList<>();
    final List<GatewayFault> evidence = new ArrayList<>();
    final List<Recovery> recoveries = new ArrayList<>();
    final List<Sample> series = new ArrayList<>();
    final List<Result.Mark> marks = new ArrayList<>();
    final Map<String, Long> behaviours = new TreeMap<>(Map.of("steady", 10_000L));
    boolean bottleneck;

    @Nullable
    Costs costs;

    /** Nothing but devices that connected and beat. */
    static Results quiet() {
        Results results = new Results();
        results.ledger.count(Count.OPENED, 10_000);
        results.ledger.count(Count.BEATS_SENT, 98_628);
        results.ledger.count(Count.BEATS_ANSWERED, 98_628);
        results.many(Timing.ROUND_TRIP, 5_000, 0.4, 0.8);
        results.many(Timing.ROUND_TRIP_UNCORRECTED, 5_000, 0.2, 0.8);
        return results;
    }

    /** A restart and a silence, with everything that can be told. */
    static Results rich() {
        Results results = quiet();
        results.behaviours.clear();
        results.behaviours.putAll(Map.of("steady", 8_500L, "silent", 1_000L, "duplicate", 300L, "byte-drip", 200L));
        results.ledger.count(Count.LOST, 9_000);
        results.ledger.count(Count.RETRIES, 9_120);
        results.ledger.count(Count.RETRIES_FAILED, 120);
        results.ledger.count(Count.RECOVERED, 9_000);
        results.ledger.count(Count.CONDEMNED, 1_000);
        results.ledger.count(Count.DETECTED, 1_000);
        results.ledger.count(Count.TAKEOVERS, 300);
        results.ledger.count(Count.TAKEOVERS_RIGHT, 300);
        results.ledger.count(Count.DATA_SENT, 5_000);
        results.ledger.count(Count.DATA_ACCEPTED, 5_000);
        results.ledger.count(Count.DATA_ECHOED, 5_000);
        results.ledger.row("closes of silent", "4001", 1_000);
        results.ledger.row("closes of dripping", "4003", 200);
        results.ledger.row("closes of never-hello", "4006 HANDSHAKE_TIMEOUT", 300);
        results.many(Timing.LATENESS, 1_000, 11, 0.35);
        results.many(Timing.LATENESS_PROGRESS, 200, 14, 0.2);
        results.many(Timing.CONNECT, 10_000, 2.0, 0.6);
        results.many(Timing.CONNECT_TCP, 10_000, 0.2, 0.6);
        results.many(Timing.CONNECT_HELLO, 10_000, 1.2, 0.6);
        results.many(Timing.RECOVERY, 9_000, 2_600, 0.5);
        results.many(Timing.TAKEOVER, 300, 1.1, 0.5);
        results.recoveries.add(new Recovery(
                "restart gateway 0", 60, 9_000, 0, Map.of(50, 3.4, 95, 7.9, 99, 9.6, 100, 12.2), 1_934, 120));
        results.marks.add(new Result.Mark(30, "1,000 devices fall silent"));
        results.marks.add(new Result.Mark(60, "restart gateway 0"));
        results.costs = new Costs(9_000, 1, 120L << 20, 9_000 * MILLI, 1, 310L << 20, 7_000 * MILLI, 31L << 20, 98_628);
        for (int second = 1; second <= 120; second++) {
            results.series.add(sample(second));
        }
        return results;
    }

    /** Durations spread as a logarithm of the normal, around a middle; always the same ones. */
    void many(Timing timing, int count, double medianMillis, double width) {
        Random random = new Random(timing.ordinal());
        for (int i = 0; i < count; i++) {
            ledger.time(timing, (long) (medianMillis * MILLI * Math.exp(width * random.nextGaussian())));
        }
    }

    /** A second of the rich run. */
    static Sample sample(int second) {
        Random random = new Random(second);
        double ramped = Math.min(10_000, 2_000.0 * second);
        double silent = second < 33 ? 0 : Math.min(1_000, 250.0 * (second - 32));
        double back = second < 60 ? 9_000 : 9_000 * (1 - Math.exp(-(second - 61) / 3.0));
        double connected = second < 60 ? ramped - silent : Math.max(0, second > 73 ? 9_000 : back);
        boolean storm = second >= 60 && second <= 73;
        double noise = 1 + 0.1 * random.nextGaussian();
        return new Sample(
                second,
                Math.round(connected),
                second <= 5 ? 2_000 : storm ? 1_900 * Math.exp(-(second - 61) / 4.0) : 0,
                storm && second < 64 ? 40 : 0,
                second < 5 ? 1_000 * second : connected / 2 * noise,
                second > 10 ? 50 * noise : 0,
                second == 60 ? 9_000 : second >= 33 && second <= 36 ? 250 : 0,
                second < 30 ? 0 : 1_000,
                Math.round(silent),
                0,
                second == 62 ? Latencies.Summary.NOTHING : summary(5_000, 0.35 * noise, storm ? 80 : 3.5 * noise),
                second >= 33 && second <= 36 ? summary(250, 11, 24) : Latencies.Summary.NOTHING,
                summary(5_000, 0.1, storm ? 18 : 2.2 * noise),
                storm ? 0.9 : 0.44 * noise,
                storm ? 1.8 : 1.0 * noise);
    }

    static Latencies.Summary summary(long count, double p50Millis, double p99Millis) {
        return new Latencies.Summary(
                count,
                (long) (p50Millis * MILLI),
                (long) (p50Millis * 2 * MILLI),
                (long) (p99Millis * MILLI),
                (long) (p99Millis * 1.6 * MILLI),
                (long) (p99Millis * 2 * MILLI));
    }

    /** A live device that was closed; its id and the gateway's words are up to the test. */
    Results falseKill(String device, String words) {
        verdict = RunVerdict.FAIL;
        ledger.count(Count.FALSE_KILLS);
        ledger.row("closes of live", "4001", 1);
        findings.add(new Finding(Finding.Weight.HARD, "1 false kills"));
        evidence.add(new GatewayFault(
                GatewayFault.Kind.LIVE_CLOSED, device, 41.5, 4001, 0, words, "live", 1_800.2, 3_000, 1_799.9));
        return this;
    }

    static OwnHealth health() {
        return new OwnHealth(
                120_000 * MILLI, 52_800 * MILLI, 24 * MILLI, 120_000 * MILLI, 0, 2, summary(98_628, 0.2, 4.6));
    }

    Result result() {
        Ledger.Page page = ledger.page();
        Map<String, Latencies.Summary> timings = new TreeMap<>();
        page.timings().keySet().forEach(label -> {
            Timing timing = Timing.valueOf(label.toUpperCase(Locale.ROOT));
            timings.put(label, ledger.of(timing).summary());
        });
        return new Result(
                Result.FORMAT,
                "0.1.0",
                scenario,
                seed,
                "2026-11-21T19:20:00Z",
                5.0,
                115.0,
                verdict,
                findings,
                clients,
                new TreeMap<>(Map.of("tcp=127.0.0.1:45651", 5_000L, "ws=127.0.0.1:45161", 5_000L)),
                behaviours,
                2_000,
                2_000,
                page.counts(),
                timings,
                page.timings(),
                page.tables(),
                Map.of("silent", "4001", "dripping", "4003", "never-hello", "4006 or fin or rst"),
                40 * MILLI,
                evidence,
                recoveries,
                health(),
                bottleneck,
                costs,
                series,
                marks);
    }
}

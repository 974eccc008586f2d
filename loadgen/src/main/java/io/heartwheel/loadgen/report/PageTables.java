package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.OwnHealth;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Every figure of a result as a table; empty ones are left out. */
final class PageTables {

    private final Markup page;
    private final Result result;

    private PageTables(Markup page, Result result) {
        this.page = page;
        this.result = result;
    }

    static void write(Markup page, Result result) {
        PageTables tables = new PageTables(page, result);
        page.leaf("h2", "Figures").open("section", "class", "tables");
        tables.evidence();
        tables.timings();
        tables.recoveries();
        page.close().line().open("section", "class", "columns");
        tables.closes();
        tables.costs();
        tables.refusals(Result.REFUSALS, "Connections refused", List.of("why", "connections"));
        tables.refusals(Result.PUSH_ANSWERS, "Pushes not accepted", List.of("answer", "pushes"));
        tables.counts();
        tables.facts();
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
        List<List<String>> rows = new ArrayList<>();
        for (GatewayFault evidence : result.evidence()) {
            rows.add(List.of(Format.printable(evidence.device()), Format.printable(evidence.line())));
        }
        table("Evidence, the first of each kind", 9, List.of("device", "what was seen"), rows);
    }

    private void timings() {
        List<List<String>> rows = new ArrayList<>();
        for (Timing timing : Timing.values()) {
            Latencies.Summary summary = new Figures(result).of(timing);
            if (summary.count() > 0) {
                rows.add(List.of(
                        timing.help(),
                        Format.count(summary.count()),
                        Format.latency(summary.p50Nanos()),
                        Format.latency(summary.p90Nanos()),
                        Format.latency(summary.p99Nanos()),
                        Format.latency(summary.p999Nanos()),
                        Format.latency(summary.maxNanos())));
            }
        }
        table("Timings", 1, List.of("", "count", "p50", "p90", "p99", "p99.9", "max"), rows);
    }

    private void closes() {
        List<List<String>> rows = new ArrayList<>();
        for (Closes closes : Closes.of(result)) {
            closes.rows()
                    .forEach((code, many) -> rows.add(List.of(
                            Format.printable(closes.of()),
                            closes.expected().isEmpty() ? "any" : Closes.nameOf(closes.expected()),
                            code,
                            Format.count(many))));
        }
        table("Closes by code", 3, List.of("devices", "expected", "seen", "connections"), rows);
    }

    private void refusals(String table, String caption, List<String> heads) {
        List<List<String>> rows = new ArrayList<>();
        result.tables()
                .getOrDefault(table, Map.of())
                .forEach((what, many) -> rows.add(List.of(Format.printable(what), Format.count(many))));
        table(caption, 1, heads, rows);
    }

    private void recoveries() {
        List<List<String>> rows = new ArrayList<>();
        for (Recovery recovery : result.recoveries()) {
            List<String> row = new ArrayList<>(List.of(
                    Format.printable(recovery.step()),
                    Format.number(recovery.atSeconds()) + " s",
                    Format.count(recovery.connectedBefore()),
                    Format.count(recovery.connectedLeast())));
            for (int percent : Recovery.PERCENTAGES) {
                Double seconds = recovery.secondsTo().get(percent);
                row.add(seconds == null ? "never" : Format.number(seconds) + " s");
            }
            row.add(Format.number(recovery.peakOpensPerSecond()) + "/s");
            row.add(Format.count(recovery.failedAttempts()));
            rows.add(row);
        }
        table(
                "Recoveries",
                1,
                List.of("step", "at", "before", "least", "50 %", "95 %", "99 %", "100 %", "peak", "failed attempts"),
                rows);
    }

    private void costs() {
        Costs costs = result.costs();
        if (costs == null) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        for (Side side : Side.of(costs)) {
            rows.add(List.of(
                    side.name(),
                    side.bytes() > 0 ? Format.bytes(side.bytes()) : "unknown",
                    Double.isFinite(side.bytesPerConnection()) ? Format.bytes(side.bytesPerConnection()) : "unknown",
                    Double.isFinite(side.secondsForBeats()) ? Format.number(side.secondsForBeats()) + " s" : "-"));
        }
        table(
                "Costs with " + Format.count(costs.connections()) + " connected; processes: " + costs.gatewayProcesses()
                        + " of the gateway, " + costs.generatorProcesses() + " of the generator",
                1,
                List.of("", "memory", "a connection", "CPU per 100,000 beats"),
                rows);
    }

    private void counts() {
        List<List<String>> rows = new ArrayList<>();
        for (Count count : Count.values()) {
            long many = new Figures(result).of(count);
            if (many != 0) {
                rows.add(List.of(count.help(), Format.count(many)));
            }
        }
        table("Counted", 1, List.of(), rows);
    }

    private void facts() {
        OwnHealth health = result.health();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("scenario", Format.printable(result.scenario())));
        rows.add(List.of("seed", String.valueOf(result.seed())));
        rows.add(List.of("begun", Format.printable(result.startedAt())));
        rows.add(List.of("generator version", Format.printable(result.version())));
        rows.add(List.of("devices", Format.count(result.clients())));
        rows.add(List.of("by target", Format.shares(result.clientsByTarget())));
        rows.add(List.of("by behaviour", Format.shares(result.clientsByBehaviour())));
        rows.add(List.of(
                "granted interval",
                Format.count(result.grantedLeastMillis()) + " to " + Format.count(result.grantedMostMillis()) + " ms"));
        rows.add(List.of(
                "ramp, then observed",
                String.format(Locale.ROOT, "%.1f s, %.1f s", result.rampSeconds(), result.observedSeconds())));
        rows.add(List.of(
                "generator",
                String.format(
                        Locale.ROOT,
                        "%.2f processors, of the machine's %d busy %.2f; %.1f %% of the time collecting garbage",
                        health.cores(),
                        health.processors(),
                        health.machineCores(),
                        100 * health.collectorShare())));
        table("The run", 9, List.of(), rows);
    }
}

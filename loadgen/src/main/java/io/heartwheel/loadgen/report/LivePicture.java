package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The picture of a look, as text without any terminal's codes. Pure.
 *
 * <pre>
 *   hold         ##########----------  48 %                  21.0 s
 *   connected    9,000 of 10,000   +0/s   0 failed/s
 *                ..::||||||||||||||||||||||||||||||||||||||||
 * </pre>
 */
final class LivePicture {

    /** Columns of the names. */
    static final int LABEL_COLUMNS = 13;

    private static final double MILLI = 1e6;
    private static final int MOST_REASONS = 3;
    private static final String BETWEEN = "   ";

    private final int columns;
    private final List<Row> rows = new ArrayList<>();

    /** How a row is to be seen. */
    enum Tone {
        PLAIN,
        GRAPH,
        ALARM
    }

    /** One row: its name, and what there is to say. */
    record Row(String label, String text, Tone tone) {

        /** Whether it is nothing but a graph. */
        boolean isGraph() {
            return tone == Tone.GRAPH && label.isBlank();
        }
    }

    private LivePicture(int columns) {
        this.columns = columns;
    }

    /**
     * The rows, none wider than {@code columns}.
     *
     * @param history samples so far, the last one the look's; a minute of them is drawn
     */
    static List<Row> rows(Snapshot now, List<Sample> history, int columns) {
        LivePicture picture = new LivePicture(columns);
        picture.progress(now);
        picture.connections(now, history);
        picture.traffic(now, history);
        picture.judgement(now);
        picture.closes(now.ledger());
        picture.generator(now.sample());
        if (!now.next().isEmpty()) {
            picture.row("next", Format.printable(now.next()), Tone.PLAIN);
        }
        return picture.rows;
    }

    /** The same as plain lines. */
    static List<String> lines(Snapshot now, List<Sample> history, int columns) {
        return rows(now, history, columns).stream()
                .map(row -> row.label() + row.text())
                .toList();
    }

    /** Parts that stand three spaces apart go to the next row where they find no room, and are broken where a row has none. */
    private void row(String label, String text, Tone tone) {
        int room = columns - LABEL_COLUMNS;
        String name = label;
        StringBuilder row = new StringBuilder();
        List<String> parts = Stream.of(text.split(BETWEEN, -1))
                .flatMap(part -> Screen.broken(part, room).stream())
                .toList();
        for (String part : parts) {
            if (row.length() > 0 && Screen.columnsOf(row + BETWEEN + part) > room) {
                put(name, row.toString(), tone);
                row.setLength(0);
                name = "";
            }
            row.append(row.length() == 0 ? "" : BETWEEN).append(part);
        }
        put(name, row.toString(), tone);
    }

    private void put(String label, String text, Tone tone) {
        String name = Screen.cut(" " + label, LABEL_COLUMNS - 1);
        rows.add(new Row(
                name + " ".repeat(LABEL_COLUMNS - Screen.columnsOf(name)),
                Screen.cut(text, columns - LABEL_COLUMNS),
                tone));
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private void progress(Snapshot now) {
        int width = Math.max(5, columns - LABEL_COLUMNS - 20);
        double share = Math.max(0, Math.min(1, Double.isFinite(now.share()) ? now.share() : 0));
        int full = (int) Math.round(share * width);
        String bar = "\u2588".repeat(full) + "\u2591".repeat(width - full);
        put(
                Format.printable(now.phase()),
                text("%s %3.0f %% %10.1f s", bar, 100 * share, now.sample().atSeconds()),
                Tone.GRAPH);
    }

    private void connections(Snapshot now, List<Sample> history) {
        Sample sample = now.sample();
        row(
                "connected",
                text(
                        "%,d of %,d   +%,.0f/s   %,.0f failed/s   %,.0f ended/s",
                        sample.connected(),
                        now.clients(),
                        sample.opensPerSecond(),
                        sample.failuresPerSecond(),
                        sample.closesPerSecond()),
                Tone.PLAIN);
        graph(history.stream().mapToDouble(Sample::connected).toArray());
    }

    private void traffic(Snapshot now, List<Sample> history) {
        Sample sample = now.sample();
        String data = sample.dataPerSecond() > 0 ? text("   data %,.0f/s", sample.dataPerSecond()) : "";
        row("heartbeats", text("%,.0f/s%s", sample.beatsPerSecond(), data), Tone.PLAIN);
        row(
                "round trip",
                text(
                        "p50 %.2f ms   p99 %.2f ms   max %.1f ms",
                        sample.roundTrip().p50Nanos() / MILLI,
                        sample.roundTrip().p99Nanos() / MILLI,
                        sample.roundTrip().maxNanos() / MILLI),
                Tone.PLAIN);
        graph(history.stream()
                .mapToDouble(each -> each.roundTrip().count() == 0
                        ? Double.NaN
                        : each.roundTrip().p99Nanos())
                .toArray());
    }

    private void graph(double[] values) {
        put("", Sparkline.of(values, columns - LABEL_COLUMNS), Tone.GRAPH);
    }

    private void judgement(Snapshot now) {
        Ledger total = now.ledger();
        Sample sample = now.sample();
        if (sample.condemned() > 0) {
            row(
                    "silent",
                    text(
                            "%,d, %,d of them closed; late p99 %.1f ms",
                            sample.condemned(),
                            sample.detected(),
                            sample.lateness().p99Nanos() / MILLI),
                    Tone.PLAIN);
        }
        if (total.of(Count.LOST) > 0) {
            row(
                    "lost",
                    text(
                            "%,d, %,d of them back; %,d attempts failed",
                            total.of(Count.LOST), total.of(Count.RECOVERED), total.of(Count.RETRIES_FAILED)),
                    Tone.PLAIN);
        }
        String wrong = wrong(total);
        row(
                "false kills",
                Format.count(sample.falseKills()) + wrong,
                sample.falseKills() > 0 || !wrong.isEmpty() ? Tone.ALARM : Tone.PLAIN);
    }

    private static String wrong(Ledger total) {
        StringBuilder text = new StringBuilder();
        for (Count what : List.of(
                Count.WRONG_CODES,
                Count.VIOLATIONS,
                Count.DATA_LOST,
                Count.DATA_CHANGED,
                Count.DATA_DOUBLED,
                Count.TAKEOVERS_WRONG,
                Count.REFUSED)) {
            if (total.of(what) > 0) {
                text.append("   ")
                        .append(what.label().replace('_', ' '))
                        .append(' ')
                        .append(Format.count(total.of(what)));
            }
        }
        return text.toString();
    }

    /** All closes by code, whoever was closed, the most frequent first. */
    private void closes(Ledger total) {
        Map<String, Long> codes = new TreeMap<>();
        total.tables().forEach((table, rows) -> {
            if (table.startsWith(Result.CLOSES)) {
                rows.forEach((code, many) -> codes.merge(Closes.nameOf(code), many, Long::sum));
            }
        });
        if (!codes.isEmpty()) {
            String most = codes.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                    .limit(MOST_REASONS)
                    .map(entry -> Format.count(entry.getValue()) + " " + entry.getKey())
                    .collect(Collectors.joining("   "));
            String others = codes.size() > MOST_REASONS ? text("   and %d more", codes.size() - MOST_REASONS) : "";
            row("closes", most + others, Tone.PLAIN);
        }
    }

    private void generator(Sample sample) {
        row(
                "generator",
                text(
                        "lag p99 %.1f ms, %.2f processors%s",
                        sample.pacing().p99Nanos() / MILLI,
                        sample.generatorCores(),
                        sample.machineCores() > 0 ? text("; the machine's busy: %.2f", sample.machineCores()) : ""),
                Tone.PLAIN);
    }
}

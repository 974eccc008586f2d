package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Ledger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
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
record LivePicture(Snapshot look, Sample sample, int columns, List<LivePicture.Row> rows) {

    /** Columns of the names. */
    static final int LABEL_COLUMNS = 13;

    private static final double MILLI = 1e6;
    private static final int MOST_REASONS = 3;
    private static final String BETWEEN = "   ";
    /** What should never be seen, beside false kills. */
    private static final String WRONG = "[   wrong codes {wrong_codes}][   violations {violations}]"
            + "[   data lost {data_lost}][   data changed {data_changed}][   data doubled {data_doubled}]"
            + "[   data misdelivered {data_misdelivered}]"
            + "[   takeovers wrong {takeovers_wrong}][   refused {refused}]";

    private static final String BLOCKS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";

    /** Look of a row. */
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

    /**
     * The rows, none wider than {@code columns}.
     *
     * @param history samples so far, the last one the look's; a minute of them is drawn
     */
    static List<Row> rows(Snapshot look, List<Sample> history, int columns) {
        LivePicture picture = new LivePicture(look, look.sample(), columns, new ArrayList<>());
        picture.progress();
        picture.connections();
        picture.graph(history, Sample::connected);
        picture.traffic();
        picture.graph(history, LivePicture::roundTrip);
        picture.judgement();
        picture.closes();
        picture.generator();
        if (!look.next().isEmpty()) {
            picture.row("next", Format.printable(look.next()));
        }
        return picture.rows;
    }

    private void row(String label, String text) {
        row(label, text, Tone.PLAIN);
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

    private void progress() {
        int width = Math.max(5, columns - LABEL_COLUMNS - 20);
        double share = Math.max(0, Math.min(1, Double.isFinite(look.share()) ? look.share() : 0));
        int full = (int) Math.round(share * width);
        String bar = "\u2588".repeat(full) + "\u2591".repeat(width - full);
        String text = Format.text("%s %3.0f %% %10.1f s", bar, 100 * share, sample.atSeconds());
        put(Format.printable(look.phase()), text, Tone.GRAPH);
    }

    private void connections() {
        String open = Format.text("%,d of %,d   +%,.0f/s", sample.connected(), look.clients(), sample.opensPerSecond());
        String over =
                Format.text("   %,.0f failed/s   %,.0f ended/s", sample.failuresPerSecond(), sample.closesPerSecond());
        row("connected", open + over);
    }

    private void traffic() {
        String data = sample.dataPerSecond() > 0 ? Format.text("   data %,.0f/s", sample.dataPerSecond()) : "";
        row("heartbeats", Format.text("%,.0f/s%s", sample.beatsPerSecond(), data));
        Latencies.Summary trip = sample.roundTrip();
        String text = trip.count() == 0 ? "-" : "p50 %.2f ms   p99 %.2f ms   max %.1f ms";
        row("round trip", Format.text(text, trip.p50Nanos() / MILLI, trip.p99Nanos() / MILLI, trip.maxNanos() / MILLI));
    }

    /** A second without answers is a gap. */
    private static double roundTrip(Sample sample) {
        return sample.roundTrip().count() == 0 ? Double.NaN : sample.roundTrip().p99Nanos();
    }

    private void graph(List<Sample> history, ToDoubleFunction<Sample> figure) {
        put("", sparkline(history.stream().mapToDouble(figure).toArray(), columns - LABEL_COLUMNS), Tone.GRAPH);
    }

    /** A row of blocks as high as the last {@code width} values, from 0 to the greatest of them; what is no number is a gap. */
    static String sparkline(double[] values, int width) {
        double[] last = Arrays.copyOfRange(values, Math.max(0, values.length - width), values.length);
        double most = Arrays.stream(last).filter(Double::isFinite).max().orElse(0);
        int steps = BLOCKS.length() - 1;
        StringBuilder line = new StringBuilder(width);
        for (double value : last) {
            int height = most <= 0 ? 0 : (int) Math.round(Math.max(0, value) / most * steps);
            line.append(Double.isFinite(value) ? BLOCKS.charAt(height) : ' ');
        }
        return line.toString();
    }

    private void judgement() {
        Ledger total = look.ledger();
        if (sample.condemned() > 0) {
            double late = sample.lateness().p99Nanos() / MILLI;
            String text = "%,d, %,d of them closed; late p99 %.1f ms";
            row("silent", Format.text(text, sample.condemned(), sample.detected(), late));
        }
        if (total.of(Count.LOST) > 0) {
            row("lost", total.text("{lost}, {recovered} of them back; {retries_failed} attempts failed"));
        }
        String wrong = total.text(WRONG);
        boolean alarm = sample.falseKills() > 0 || !wrong.isEmpty();
        row("false kills", Format.count(sample.falseKills()) + wrong, alarm ? Tone.ALARM : Tone.PLAIN);
    }

    /** All closes by code, whoever was closed, the most frequent first. */
    private void closes() {
        Map<String, Long> codes = new TreeMap<>();
        Result.closes(look.ledger().tables())
                .values()
                .forEach(rows -> rows.forEach((code, many) -> codes.merge(Closes.nameOf(code), many, Long::sum)));
        if (!codes.isEmpty()) {
            String most = codes.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                    .limit(MOST_REASONS)
                    .map(entry -> Format.count(entry.getValue()) + " " + entry.getKey())
                    .collect(Collectors.joining(BETWEEN));
            int others = codes.size() - MOST_REASONS;
            row("closes", most + (others > 0 ? Format.text("   and %d more", others) : ""));
        }
    }

    private void generator() {
        double lag = sample.pacing().p99Nanos() / MILLI;
        String machine =
                sample.machineCores() > 0 ? Format.text("; the machine's busy: %.2f", sample.machineCores()) : "";
        row("generator", Format.text("lag p99 %.1f ms, %.2f processors%s", lag, sample.generatorCores(), machine));
    }
}

package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.fleet.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A run under way: on a terminal a picture that is drawn again in its place every second, elsewhere a line every two. One
 * thread, which hands in a {@link Look} a few times a second; time is that of the samples.
 *
 * <p>The picture goes up as many lines as it drew and overwrites them, so whatever else is printed meanwhile should be
 * printed before the first {@link #show} or after {@link #close}.
 */
public final class LiveView implements AutoCloseable {

    private static final int HISTORY = 60;
    /** A little less than one and two, since looks come a little early or late. */
    private static final double SECONDS_BETWEEN_PICTURES = 0.95;

    private static final double SECONDS_BETWEEN_LINES = 1.95;
    private static final int COLUMNS = 80;
    private static final int LEAST_COLUMNS = 40;
    private static final int MOST_COLUMNS = 160;
    private static final double MILLI = 1e6;

    private static final String DIM = "\u001b[2m";
    private static final String BLUE = "\u001b[36m";
    private static final String RED = "\u001b[1;31m";
    private static final String PLAIN = "\u001b[0m";
    private static final String CLEAR_LINE = "\u001b[2K";
    private static final String CLEAR_BELOW = "\u001b[J";

    private final PrintWriter out;
    private final boolean picture;
    private final boolean colour;
    private final int columns;
    private final Stretch stretch;
    private final Deque<Sample> history = new ArrayDeque<>();
    private int drawn;
    private List<LivePicture.Row> waiting = List.of();

    private LiveView(PrintWriter out, boolean picture, boolean colour, int columns) {
        this.out = out;
        this.picture = picture;
        this.colour = colour;
        this.columns = columns;
        stretch = new Stretch(picture ? SECONDS_BETWEEN_PICTURES : SECONDS_BETWEEN_LINES);
    }

    /**
     * A view that fits where it is seen.
     *
     * @param terminal whether {@code out} is a terminal
     * @param environment the process's: {@code NO_COLOR} (not empty) takes the colours away, {@code TERM=dumb} the picture;
     *     {@code COLUMNS} tells the width, else it is 80
     */
    public static LiveView on(PrintWriter out, boolean terminal, Map<String, String> environment) {
        boolean picture = terminal && !"dumb".equals(environment.get("TERM"));
        boolean colour = environment.getOrDefault("NO_COLOR", "").isEmpty();
        return new LiveView(out, picture, colour, columns(environment.getOrDefault("COLUMNS", "")));
    }

    private static int columns(String text) {
        try {
            return Math.max(LEAST_COLUMNS, Math.min(MOST_COLUMNS, Integer.parseInt(text.strip())));
        } catch (NumberFormatException e) {
            return COLUMNS;
        }
    }

    /** Takes in how it stands, and shows it when it is time; costs some hundred microseconds. Each look once. */
    public void show(Look now) {
        Look whole = stretch.add(now);
        List<Sample> samples = new ArrayList<>(history);
        samples.add(whole.sample());
        waiting = picture
                ? LivePicture.rows(whole, samples, columns - 1)
                : List.of(new LivePicture.Row("", line(whole), LivePicture.Tone.PLAIN));
        if (stretch.isLong()) {
            stretch.cut();
            history.addLast(whole.sample());
            if (history.size() > HISTORY) {
                history.removeFirst();
            }
            showWaiting();
        }
    }

    /** Leaves the last look standing, shown though its turn had not come. */
    @Override
    public void close() {
        showWaiting();
        drawn = 0;
    }

    private void showWaiting() {
        if (picture && !waiting.isEmpty()) {
            draw(waiting);
        } else {
            waiting.forEach(row -> out.println(row.text()));
            out.flush();
        }
        waiting = List.of();
    }

    private void draw(List<LivePicture.Row> rows) {
        StringBuilder text = new StringBuilder();
        if (drawn > 0) {
            text.append("\u001b[").append(drawn).append("A\r");
        }
        for (LivePicture.Row row : rows) {
            text.append(CLEAR_LINE)
                    .append(colour ? coloured(row) : row.label() + row.text())
                    .append('\n');
        }
        text.append(CLEAR_BELOW);
        out.print(text);
        out.flush();
        drawn = rows.size();
    }

    private static String coloured(LivePicture.Row row) {
        return switch (row.tone()) {
            case ALARM -> RED + row.label() + row.text() + PLAIN;
            case GRAPH -> DIM + row.label() + PLAIN + BLUE + row.text() + PLAIN;
            default -> DIM + row.label() + PLAIN + row.text();
        };
    }

    /** A look in one line, for a log. What was added later stands at the end, and only when there is something. */
    static String line(Look now) {
        Sample sample = now.sample();
        Ledger total = now.ledger();
        long refused = total.of(Count.REFUSED) + total.of(Count.OWN_FAILURES);
        return String.format(
                Locale.ROOT,
                "[%5.1fs] connected %,d/%,d%s | beats %,.0f/s | round trip p99 %.1f ms | silent %,d closed %,d"
                        + " | false kills %,d | own lag p99 %.1f ms%s | %s",
                sample.atSeconds(),
                sample.connected(),
                now.clients(),
                refused == 0 ? "" : String.format(Locale.ROOT, " (%,d refused)", refused),
                sample.beatsPerSecond(),
                sample.roundTrip().p99Nanos() / MILLI,
                sample.condemned(),
                sample.detected(),
                sample.falseKills(),
                sample.pacing().p99Nanos() / MILLI,
                total.of(Count.LOST) == 0
                        ? ""
                        : String.format(
                                Locale.ROOT, " | lost %,d back %,d", total.of(Count.LOST), total.of(Count.RECOVERED)),
                Words.printable(now.phase()));
    }
}

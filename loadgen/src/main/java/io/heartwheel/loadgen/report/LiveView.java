package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run under way: on a terminal a picture that is drawn again in its place every second, elsewhere a line every two. One
 * thread, which hands in a {@link Snapshot} a few times a second; time is that of the samples.
 *
 * <p>The picture goes up as many lines as it drew and overwrites them, so whatever else is printed meanwhile should be
 * printed before the first {@link #show} or after {@link #close}. A terminal that became wider or narrower gets the next
 * picture below the last one, since terminals do not agree on what becomes of lines drawn before.
 */
public final class LiveView implements AutoCloseable {

    /** As many as the widest screen shows. */
    private static final int HISTORY = Screen.MOST_COLUMNS - LivePicture.LABEL_COLUMNS;
    /** A little less than one and two, since looks come a little early or late. */
    private static final double SECONDS_BETWEEN_PICTURES = 0.95;

    private static final double SECONDS_BETWEEN_LINES = 1.95;
    private static final double MILLI = 1e6;

    private static final String DIM = "\u001b[2m";
    private static final String BLUE = "\u001b[36m";
    private static final String RED = "\u001b[1;31m";
    private static final String PLAIN = "\u001b[0m";
    private static final String CLEAR_LINE = "\u001b[2K";
    private static final String CLEAR_BELOW = "\u001b[J";

    private final PrintWriter out;
    private final @Nullable Supplier<Screen> terminal;
    private final boolean colour;
    private final Interval stretch;
    private final Deque<Sample> history = new ArrayDeque<>();
    private int drawn;
    private int drawnColumns;
    private List<LivePicture.Row> waiting = List.of();

    private LiveView(PrintWriter out, @Nullable Supplier<Screen> terminal, boolean colour) {
        this.out = out;
        this.terminal = terminal;
        this.colour = colour;
        stretch = new Interval(terminal == null ? SECONDS_BETWEEN_LINES : SECONDS_BETWEEN_PICTURES);
    }

    /**
     * A view that fits where it is seen.
     *
     * @param terminal tells the size of the terminal that {@code out} is, anew for each picture; null when it is none
     * @param environment the process's: {@code NO_COLOR} (not empty) takes the colours away
     */
    public static LiveView on(PrintWriter out, @Nullable Supplier<Screen> terminal, Map<String, String> environment) {
        return new LiveView(
                out, terminal, environment.getOrDefault("NO_COLOR", "").isEmpty());
    }

    /** Takes in how it stands, and shows it when it is time; costs some hundred microseconds. Each look once. */
    public void show(Snapshot now) {
        Snapshot whole = stretch.add(now);
        List<Sample> samples = new ArrayList<>(history);
        samples.add(whole.sample());
        Supplier<Screen> screen = terminal;
        waiting = screen == null
                ? List.of(new LivePicture.Row("", line(whole), LivePicture.Tone.PLAIN))
                : picture(whole, samples, screen.get());
        if (stretch.isLong()) {
            stretch.cut();
            history.addLast(whole.sample());
            if (history.size() > HISTORY) {
                history.removeFirst();
            }
            showWaiting();
        }
    }

    /** A picture that went on below the last row could not be drawn again in its place: graphs go first, then the end. */
    private List<LivePicture.Row> picture(Snapshot whole, List<Sample> samples, Screen screen) {
        if (screen.columns() != drawnColumns) {
            // What was drawn may have been broken anew by the terminal: the next picture goes below it.
            drawn = 0;
            drawnColumns = screen.columns();
        }
        List<LivePicture.Row> rows = LivePicture.rows(whole, samples, screen.columns() - 1);
        int most = screen.rows() == 0 ? rows.size() : Math.max(1, screen.rows() - 1);
        return rows.size() <= most
                ? rows
                : rows.stream().filter(row -> !row.isGraph()).limit(most).toList();
    }

    /** Leaves the last look standing, shown though its turn had not come. */
    @Override
    public void close() {
        showWaiting();
        drawn = 0;
    }

    private void showWaiting() {
        if (terminal != null && !waiting.isEmpty()) {
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
    static String line(Snapshot now) {
        Sample sample = now.sample();
        Ledger total = now.ledger();
        long refused = total.of(Count.REFUSED) + total.of(Count.OWN_FAILURES);
        return Format.text(
                "[%5.1fs] connected %,d/%,d%s | beats %,.0f/s | round trip p99 %s | silent %,d closed %,d"
                        + " | false kills %,d | own lag p99 %.1f ms%s | %s",
                sample.atSeconds(),
                sample.connected(),
                now.clients(),
                refused == 0 ? "" : Format.text(" (%,d refused)", refused),
                sample.beatsPerSecond(),
                sample.roundTrip().count() == 0
                        ? "-"
                        : Format.text("%.1f ms", sample.roundTrip().p99Nanos() / MILLI),
                sample.condemned(),
                sample.detected(),
                sample.falseKills(),
                sample.pacing().p99Nanos() / MILLI,
                total.of(Count.LOST) == 0
                        ? ""
                        : Format.text(" | lost %,d back %,d", total.of(Count.LOST), total.of(Count.RECOVERED)),
                Format.printable(now.phase()));
    }
}

package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run under way, in one line of text: on a terminal it is drawn again in its place every second, broken to fit, elsewhere there is a line
 * every two. One thread, which hands in a {@link Snapshot} a few times a second; time is that of the samples.
 *
 * <p>Drawing again goes up as many rows as were drawn and overwrites them, so whatever else is printed meanwhile should be printed before
 * the first {@link #show} or after {@link #close}. A terminal that became wider or narrower is drawn on below, since terminals do not agree
 * on what becomes of rows drawn before.
 */
public final class LiveView implements AutoCloseable {

    /** A little less than one and two, since looks come a little early or late. */
    private static final double SECONDS_BETWEEN_DRAWINGS = 0.95;

    private static final double SECONDS_BETWEEN_LINES = 1.95;
    private static final double MILLI = 1e6;
    private static final String CLEAR_LINE = "\u001b[2K";
    private static final String CLEAR_BELOW = "\u001b[J";
    /** Told when there are any. */
    private static final String WRONG = "[ | lost {lost} back {recovered}][ | wrong codes {wrong_codes}]"
            + "[ | violations {violations}][ | data lost {data_lost}][ | data changed {data_changed}]"
            + "[ | data doubled {data_doubled}][ | data misdelivered {data_misdelivered}]"
            + "[ | takeovers wrong {takeovers_wrong}]";

    private final PrintWriter out;
    private final @Nullable Supplier<Screen> terminal;
    private final double periodSeconds;
    /** Timings since something was shown last. */
    private final Ledger stretch = new Ledger();

    private double beats;
    private double fromSeconds;
    private double untilSeconds;
    private int drawn;
    private int drawnColumns;
    private String waiting = "";

    /**
     * A view that fits where it is seen.
     *
     * @param terminal tells the size of the terminal that {@code out} is, anew each time; null when it is none
     */
    public LiveView(PrintWriter out, @Nullable Supplier<Screen> terminal) {
        this.out = out;
        this.terminal = terminal;
        periodSeconds = terminal == null ? SECONDS_BETWEEN_LINES : SECONDS_BETWEEN_DRAWINGS;
    }

    /** Takes in how it stands, and shows it when it is time; costs some hundred microseconds. Each look once. */
    public void show(Snapshot now) {
        Sample sample = now.sample();
        beats += sample.beatsPerSecond() * (sample.atSeconds() - untilSeconds);
        untilSeconds = sample.atSeconds();
        stretch.addTimings(now.ledger());
        double seconds = untilSeconds - fromSeconds;
        waiting = line(now, seconds > 0 ? beats / seconds : 0, stretch);
        if (seconds >= periodSeconds) {
            showWaiting();
            stretch.resetTimings();
            beats = 0;
            fromSeconds = untilSeconds;
        }
    }

    /** Shows what was not shown yet, and leaves it standing. */
    @Override
    public void close() {
        showWaiting();
        drawn = 0;
    }

    private void showWaiting() {
        Supplier<Screen> screen = terminal;
        if (!waiting.isEmpty() && screen != null) {
            draw(screen.get());
        } else if (!waiting.isEmpty()) {
            out.println(waiting);
        }
        out.flush();
        waiting = "";
    }

    /** No more rows than the terminal has, else the cursor could not return to the first. */
    private void draw(Screen screen) {
        List<String> rows = Screen.broken(waiting, screen.columns() - 1);
        int most = screen.rows() == 0 ? rows.size() : Math.max(1, screen.rows() - 1);
        rows = rows.subList(0, Math.min(most, rows.size()));
        if (drawn > 0 && screen.columns() == drawnColumns) {
            out.print("\u001b[" + drawn + "A\r");
        }
        rows.forEach(row -> out.print(CLEAR_LINE + row + "\n"));
        out.print(CLEAR_BELOW);
        drawn = rows.size();
        drawnColumns = screen.columns();
    }

    /** Programs read it: what is new goes to the end. Heartbeats and timings are those since the line before. */
    static String line(Snapshot now, double beatsPerSecond, Ledger stretch) {
        Sample sample = now.sample();
        Ledger total = now.ledger();
        long refused = total.of(Count.REFUSED) + total.of(Count.OWN_FAILURES);
        return Format.text(
                "[%5.1fs] connected %,d/%,d%s | beats %,.0f/s | round trip p99 %s | silent %,d closed %,d"
                        + " | false kills %,d | own lag p99 %.1f ms%s | %s%s",
                sample.atSeconds(),
                sample.connected(),
                now.clients(),
                refused == 0 ? "" : Format.text(" (%,d refused)", refused),
                beatsPerSecond,
                stretch.has(stretch.roundTrip())
                        ? Format.text(
                                "%.1f ms", stretch.summary(stretch.roundTrip()).p99Nanos() / MILLI)
                        : "-",
                sample.condemned(),
                sample.detected(),
                sample.falseKills(),
                stretch.summary(Timing.PACING).p99Nanos() / MILLI,
                total.text(WRONG),
                Format.printable(now.phase()),
                now.next().isEmpty() ? "" : " | next: " + Format.printable(now.next()));
    }
}

package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The picture as text, and what a terminal and a log get of it. */
final class LiveViewTest {

    private final StringWriter seen = new StringWriter();

    private Screen screen = new Screen(80, 24);

    private LiveView view(boolean terminal) {
        return new LiveView(new PrintWriter(seen), terminal ? () -> screen : null);
    }

    private static Snapshot snapshot(int second, Ledger total) {
        return new Snapshot("hold", 10_000, Results.sample(second), total, "at 90.0 s: restart");
    }

    @Test
    void line_nothingYet_isWhole() {
        Latencies.Summary nothing = Results.summary(0, 0, 0);
        Sample none = new Sample(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, nothing, nothing, nothing, 0, 0);
        String first = LiveView.line(new Snapshot("ramp", 10, none, new Ledger(), ""), 0, new Ledger());
        assertTrue(first.contains("| round trip p99 - |") && first.endsWith("| ramp"), first);
    }

    @Test
    void line_whatIsWrong_isTold() {
        Ledger total = new Ledger();
        total.count(Count.WRONG_CODES, 2);
        String line = LiveView.line(snapshot(80, total), 0, total);
        assertTrue(line.endsWith(" | wrong codes 2 | hold | next: at 90.0 s: restart"), line);
    }

    @Test
    void show_wideCharacters_areMeasuredAsTheTerminalDrawsThem() {
        screen = new Screen(60, 0);
        String wide = "\u4e16".repeat(90);
        view(true).show(new Snapshot(wide, 10, Results.sample(80), new Ledger(), ""));
        assertTrue(widest() < 60, seen::toString);
    }

    @Test
    void show_severalMomentsASecond_tellsThemAsOne() {
        LiveView view = view(false);
        for (int i = 1; i <= 8; i++) {
            Ledger ledger = new Ledger();
            ledger.time(Timing.ROUND_TRIP, i * Results.MILLI);
            view.show(new Snapshot("hold", 10, beating(i * 0.25, i <= 4 ? 100 : 300), ledger, ""));
        }
        assertEquals(1, seen.toString().lines().count(), seen::toString);
        assertTrue(seen.toString().contains("beats 200/s | round trip p99 8.0 ms"), seen::toString);
        for (int i = 9; i <= 16; i++) {
            Ledger ledger = new Ledger();
            ledger.time(Timing.ROUND_TRIP, Results.MILLI);
            view.show(new Snapshot("hold", 10, beating(i * 0.25, 40), ledger, ""));
        }
        assertTrue(seen.toString().contains("beats 40/s | round trip p99 1.0 ms"), seen::toString);
    }

    @Test
    void close_momentNotShownYet_isLeftStanding() {
        try (LiveView view = view(true)) {
            view.show(snapshot(70, new Ledger()));
            view.show(new Snapshot("verdict", 10, beating(70.25, 0), new Ledger(), ""));
            assertFalse(seen.toString().contains("verdict"), seen::toString);
        }
        assertTrue(seen.toString().contains("| verdict"), seen::toString);
    }

    private static Sample beating(double atSeconds, double beatsPerSecond) {
        Latencies.Summary any = Results.sample(1).roundTrip();
        return new Sample(atSeconds, 10, 0, 0, beatsPerSecond, 0, 0, 0, 0, 0, any, any, any, 0, 0);
    }

    @Test
    void show_onATerminal_drawsInPlace() {
        try (LiveView view = view(true)) {
            view.show(snapshot(80, new Ledger()));
            int lines = (int) seen.toString().chars().filter(c -> c == '\n').count();
            assertFalse(seen.toString().contains("A\r"));
            view.show(snapshot(81, new Ledger()));
            assertTrue(seen.toString().contains("\u001b[" + lines + "A\r"), seen::toString);
        }
    }

    @Test
    void show_inALog_writesALineEveryTwoSecondsAndTheLast() {
        try (LiveView view = view(false)) {
            for (int second = 1; second <= 7; second++) {
                view.show(snapshot(second, new Ledger()));
            }
            assertEquals(
                    List.of("[  2.0s]", "[  4.0s]", "[  6.0s]"),
                    seen.toString().lines().map(line -> line.substring(0, 8)).toList());
        }
        assertEquals(4, seen.toString().lines().count());
        assertTrue(seen.toString().contains("[  7.0s]"));
        assertFalse(seen.toString().contains("\u001b"), seen::toString);
    }

    @Test
    void line_midway_keepsItsFormAndAddsAtTheEnd() {
        Ledger total = Results.rich().ledger;
        String line = LiveView.line(snapshot(50, total), 100, total);
        assertTrue(line.startsWith("[ 50.0s] connected 9,000/10,000 | beats "), line);
        assertTrue(
                line.matches(
                        ".*\\| beats [0-9,]+/s \\| round trip p99 [0-9.]+ ms \\| silent 1,000 closed 1,000 \\| false kills 0"
                                + " \\| own lag p99 [0-9.]+ ms \\| lost 9,000 back 9,000 \\| hold \\| next: at 90.0 s: restart"),
                line);
    }

    @Test
    void show_terminalChangesItsWidth_fitsTheNewOneBelowTheOldPicture() {
        LiveView view = view(true);
        int second = 80;
        view.show(snapshot(second, Results.rich().ledger));
        for (int columns : List.of(40, 200, 120)) {
            seen.getBuffer().setLength(0);
            screen = new Screen(columns, 60);
            view.show(snapshot(++second, Results.rich().ledger));
            assertFalse(seen.toString().contains("A\r"), seen::toString);
            assertTrue(widest() < columns && widest() > columns - 30, columns + ": " + widest());
            view.show(snapshot(++second, Results.rich().ledger));
            assertTrue(seen.toString().contains("A\r"), seen::toString);
        }
    }

    @Test
    void show_terminalOfFewRows_neverDrawsMoreThanCanBeDrawnAgain() {
        for (int rows = 2; rows <= 24; rows++) {
            seen.getBuffer().setLength(0);
            screen = new Screen(80, rows);
            view(true).show(snapshot(80, Results.rich().ledger));
            assertTrue(seen.toString().lines().count() - 1 < rows, rows + ":\n" + seen);
        }
    }

    @Test
    void screen_anySize_isKeptWithinWhatIsServed() {
        assertEquals(new Screen(40, 0), new Screen(7, -1));
        assertEquals(new Screen(200, 50), new Screen(9_999, 50));
    }

    private int widest() {
        return seen.toString()
                .lines()
                .map(line -> line.replaceAll("\u001b\\[[0-9;]*[A-Za-z]", ""))
                .mapToInt(Screen::columnsOf)
                .max()
                .orElse(0);
    }
}

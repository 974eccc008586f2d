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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The picture as text, and what a terminal and a log get of it. */
final class LiveViewTest {

    private final StringWriter seen = new StringWriter();

    private Screen screen = new Screen(80, 24);

    private LiveView view(boolean terminal, Map<String, String> environment) {
        return LiveView.on(new PrintWriter(seen), terminal ? () -> screen : null, environment);
    }

    private static Snapshot snapshot(int second, Ledger total) {
        return new Snapshot("hold", 0.6, 10_000, Results.sample(second), total, "at 90.0 s: restart");
    }

    private static List<String> picture(Snapshot now, List<Sample> history, int columns) {
        return LivePicture.rows(now, history, columns).stream()
                .map(row -> row.label() + row.text())
                .toList();
    }

    private static List<String> lines(int second, Ledger total, int columns) {
        List<Sample> history = new ArrayList<>();
        for (int i = Math.max(1, second - 59); i <= second; i++) {
            history.add(Results.sample(i));
        }
        return picture(snapshot(second, total), history, columns);
    }

    @Test
    void lines_midway_showTheWholePicture() {
        List<String> lines = lines(80, Results.rich().ledger, 79);
        String text = String.join("\n", lines);
        assertTrue(lines.get(0).startsWith(" hold        \u2588"), text);
        assertTrue(lines.get(0).endsWith(" 60 %       80.0 s"), text);
        assertEquals(" connected   9,000 of 10,000   +0/s   0 failed/s   0 ended/s", lines.get(1));
        assertEquals(13 + 60, lines.get(2).length());
        assertTrue(lines.get(4).startsWith(" round trip  p50 0."), text);
        assertTrue(text.contains("\n silent      1,000, 1,000 of them closed; late p99 0.0 ms\n"), text);
        assertTrue(text.contains("\n lost        9,000, 9,000 of them back; 120 attempts failed\n"), text);
        assertTrue(
                text.contains("\n closes      1,000 4001 HEARTBEAT_TIMEOUT   300 4006 HANDSHAKE_TIMEOUT\n"
                        + "             200 4003 READ_STALLED\n"),
                text);
        assertEquals(" next        at 90.0 s: restart", lines.get(lines.size() - 1));
    }

    @Test
    void lines_anyWidth_areNeverWider() {
        for (int columns = 39; columns <= 199; columns++) {
            List<String> lines = lines(80, Results.rich().ledger, columns);
            for (String line : lines) {
                assertTrue(line.length() <= columns, columns + ": " + line);
                assertFalse(line.endsWith("\u2026"), columns + ": " + line);
            }
            String words = String.join(" ", lines).replaceAll(" +", " ");
            for (String figure : List.of(
                    "9,000 of 10,000",
                    "0 ended/s",
                    "late p99 0.0 ms",
                    "120 attempts failed",
                    "false kills 0",
                    "busy: ",
                    "at 90.0 s:")) {
                assertTrue(words.contains(figure), () -> figure + " in " + words);
            }
        }
    }

    @Test
    void lines_wideCharacters_areMeasuredAsTheTerminalDrawsThem() {
        Snapshot snapshot =
                new Snapshot("\u4e16".repeat(30), 0.5, 10, Results.sample(80), new Ledger(), "\u754c".repeat(90));
        for (String line : picture(snapshot, List.of(Results.sample(80)), 59)) {
            assertTrue(Screen.columnsOf(line) <= 59, line);
        }
    }

    @Test
    void lines_secondWithoutAnswers_isAGapInTheGraph() {
        String graph = lines(63, new Ledger(), 79).get(5);
        assertEquals(' ', graph.charAt(graph.length() - 2), graph);
    }

    @Test
    void lines_nothingYet_areFewAndWhole() {
        Latencies.Summary nothing = Results.summary(0, 0, 0);
        Sample none = new Sample(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, nothing, nothing, nothing, 0, 0);
        Snapshot first = new Snapshot("ramp", Double.NaN, 10, none, new Ledger(), "");
        List<String> lines = picture(first, List.of(none), 79);
        assertEquals(8, lines.size(), lines::toString);
        assertTrue(lines.get(4).endsWith(" round trip  -"), lines::toString);
        assertTrue(LiveView.line(first).contains("| round trip p99 - |"), () -> LiveView.line(first));
        assertTrue(lines.get(0).contains("  0 % "), lines::toString);
    }

    @Test
    void rows_falseKill_isAnAlarm() {
        Ledger total = new Ledger();
        total.count(Count.WRONG_CODES, 2);
        List<LivePicture.Row> rows = LivePicture.rows(snapshot(80, total), List.of(Results.sample(80)), 79);
        assertTrue(
                rows.stream()
                        .anyMatch(row -> row.tone() == LivePicture.Tone.ALARM
                                && row.text().equals("0   wrong codes 2")),
                rows::toString);
        assertTrue(LivePicture.rows(snapshot(80, new Ledger()), List.of(Results.sample(80)), 79).stream()
                .noneMatch(row -> row.tone() == LivePicture.Tone.ALARM));
    }

    @Test
    void sparkline_values_areAsHighAsTheirShare() {
        assertEquals("\u2581\u2585\u2588", LivePicture.sparkline(new double[] {0, 0.5, 1}, 60));
        assertEquals(
                "\u2588\u2584",
                LivePicture.sparkline(new double[] {100, 2, 1}, 2).replace('\u2585', '\u2584'));
        assertEquals("\u2581 \u2581", LivePicture.sparkline(new double[] {0, Double.NaN, 0}, 60));
        assertEquals("", LivePicture.sparkline(new double[0], 60));
    }

    @Test
    void show_severalMomentsASecond_tellsThemAsOne() {
        LiveView view = view(false, Map.of());
        for (int i = 1; i <= 8; i++) {
            Ledger ledger = new Ledger();
            ledger.time(Timing.ROUND_TRIP, i * Results.MILLI);
            view.show(new Snapshot("hold", 0, 10, beating(i * 0.25, i <= 4 ? 100 : 300), ledger, ""));
        }
        assertEquals(1, seen.toString().lines().count(), seen::toString);
        assertTrue(seen.toString().contains("beats 200/s | round trip p99 8.0 ms"), seen::toString);
        for (int i = 9; i <= 16; i++) {
            Ledger ledger = new Ledger();
            ledger.time(Timing.ROUND_TRIP, Results.MILLI);
            view.show(new Snapshot("hold", 0, 10, beating(i * 0.25, 40), ledger, ""));
        }
        assertTrue(seen.toString().contains("beats 40/s | round trip p99 1.0 ms"), seen::toString);
    }

    @Test
    void close_momentNotShownYet_isLeftStanding() {
        try (LiveView view = view(true, Map.of("NO_COLOR", "1"))) {
            view.show(snapshot(70, new Ledger()));
            view.show(new Snapshot("verdict", 1, 10, beating(70.25, 0), new Ledger(), ""));
            assertFalse(seen.toString().contains("verdict"), seen::toString);
        }
        assertTrue(seen.toString().contains(" verdict "), seen::toString);
    }

    @Test
    void show_latenessOfTheRun_isKeptFromPictureToPicture() {
        LiveView view = view(true, Map.of("NO_COLOR", "1"));
        Ledger ledger = new Ledger();
        ledger.time(Timing.LATENESS, 17 * Results.MILLI);
        view.show(snapshot(70, ledger));
        view.show(snapshot(71, new Ledger()));
        assertEquals(2, seen.toString().split("late p99 17.0 ms", -1).length - 1, seen::toString);
    }

    private static Sample beating(double atSeconds, double beatsPerSecond) {
        Latencies.Summary any = Results.sample(1).roundTrip();
        return new Sample(atSeconds, 10, 0, 0, beatsPerSecond, 0, 0, 0, 0, 0, any, any, any, 0, 0);
    }

    @Test
    void show_onATerminal_drawsInPlace() {
        try (LiveView view = view(true, Map.of())) {
            view.show(snapshot(80, new Ledger()));
            int lines = (int) seen.toString().chars().filter(c -> c == '\n').count();
            assertFalse(seen.toString().contains("A\r"));
            view.show(snapshot(81, new Ledger()));
            assertTrue(seen.toString().contains("\u001b[" + lines + "A\r"), seen::toString);
        }
        assertTrue(seen.toString().contains("\u001b[36m"), "colours");
    }

    @Test
    void show_noColor_leavesColoursOut() {
        view(true, Map.of("NO_COLOR", "1")).show(snapshot(80, Results.rich().ledger));
        assertFalse(seen.toString().matches("(?s).*\u001b\\[[0-9;]*m.*"), seen::toString);
        assertTrue(seen.toString().contains("\u001b[2K"));
    }

    @Test
    void show_inALog_writesALineEveryTwoSecondsAndTheLast() {
        try (LiveView view = view(false, Map.of())) {
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
        String line = LiveView.line(snapshot(50, Results.rich().ledger));
        assertTrue(line.startsWith("[ 50.0s] connected 9,000/10,000 | beats "), line);
        assertTrue(
                line.matches(
                        ".*\\| beats [0-9,]+/s \\| round trip p99 [0-9.]+ ms \\| silent 1,000 closed 1,000 \\| false kills 0"
                                + " \\| own lag p99 [0-9.]+ ms \\| lost 9,000 back 9,000 \\| hold"),
                line);
    }

    @Test
    void show_terminalChangesItsWidth_fitsTheNewOneBelowTheOldPicture() {
        LiveView view = view(true, Map.of("NO_COLOR", "1"));
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
            view(true, Map.of("NO_COLOR", "1")).show(snapshot(80, Results.rich().ledger));
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
                .mapToInt(
                        line -> line.replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "").length())
                .max()
                .orElse(0);
    }
}

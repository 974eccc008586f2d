package io.heartwheel.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineLayoutTest {
    private static final String FORGED = "2026-01-02T03:04:05.678Z ERROR Gateway all is lost";

    private final LineLayout layout = new LineLayout(ZoneId.of("Europe/Vienna"), new JournalPriority(true));

    private String text(ILoggingEvent event) {
        layout.setFormat(LogFormat.TEXT);
        return layout.doLayout(event);
    }

    private JsonNode json(ILoggingEvent event) throws Exception {
        layout.setFormat(LogFormat.JSON);
        String line = layout.doLayout(event);
        assertTrue(line.endsWith("}\n"), line);
        assertEquals(1, line.lines().count(), line);
        assertTrue(line.chars().allMatch(c -> c == '\n' || (c >= ' ' && c <= '~')), line);
        return new ObjectMapper().readTree(line);
    }

    /** A file has none, only standard error where it is the journal; there each line has its own, also those of a stack. */
    @Test
    void line_toTheJournal_beginsWithItsPriority() {
        layout.setStandardError(true);
        for (Object[] each : new Object[][] {
            {Level.ERROR, "<3>"}, {Level.WARN, "<4>"}, {Level.INFO, "<6>"}, {Level.DEBUG, "<7>"}, {Level.TRACE, "<7>"}
        }) {
            ILoggingEvent event = LogRig.event((Level) each[0], "x", new IllegalStateException("y"));
            List<String> lines = text(event).lines().toList();
            assertTrue(lines.size() > 2, lines::toString);
            assertTrue(lines.stream().allMatch(line -> line.startsWith((String) each[1])), lines::toString);
        }
        layout.setFormat(LogFormat.JSON);
        String json = layout.doLayout(LogRig.event(Level.WARN, "x", null));
        assertTrue(json.startsWith("<4>{") && json.endsWith("}\n"), json);

        LineLayout elsewhere = new LineLayout(ZoneId.of("Europe/Vienna"), new JournalPriority(false));
        elsewhere.setStandardError(true);
        assertTrue(elsewhere.doLayout(LogRig.event(Level.WARN, "x", null)).startsWith("2026-"));
    }

    @Test
    void journal_ofAStream_isKnownByItsDeviceAndInode(@TempDir Path scratch) throws Exception {
        Path stream = Files.createFile(scratch.resolve("stream"));
        String identity = Files.getAttribute(stream, "unix:dev") + ":" + Files.getAttribute(stream, "unix:ino");

        assertTrue(JournalPriority.isStream(Map.of("JOURNAL_STREAM", identity), stream));
        assertFalse(JournalPriority.isStream(Map.of("JOURNAL_STREAM", "1:2"), stream));
        assertFalse(JournalPriority.isStream(Map.of(), stream));
        assertFalse(JournalPriority.isStream(Map.of("JOURNAL_STREAM", ""), scratch.resolve("no")));
    }

    @Test
    void text_oneFact_isOneLine() {
        assertEquals(
                "2026-01-02T04:04:05.678+01:00 WARN  Where 3 devices, 1 gone\n",
                text(LogRig.event(Level.WARN, "{} devices, {} gone", null, 3, 1)));
        assertEquals("2026-01-02T04:04:05.678+01:00 ERROR Where x\n", text(LogRig.event(Level.ERROR, "x", null)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r", "\r\n", "\u000b", "\f", "\u0085", "\u2028", "\u2029", "\u0000", "\t"})
    void text_deviceIdWithALineBreak_forgesNoLine(String lineBreak) {
        String line = text(LogRig.event(Level.INFO, "{} is gone", null, "d" + lineBreak + FORGED));

        assertEquals(1, line.lines().count(), line);
        // as strictly as Unicode reads it
        assertEquals(1, line.split("\\R").length, line);
        assertTrue(line.contains("d" + " ".repeat(lineBreak.length()) + FORGED), line);
    }

    @Test
    void text_terminalControlsAndMarksOfDirection_areTakenOut() {
        String line = text(LogRig.event(Level.INFO, "{}", null, "\u001b[2Ja\u009b2Jb\u202ec\u2066d\u200fe\u007ff"));
        assertTrue(line.endsWith(" [2Ja 2Jb c d e f\n"), line);
    }

    @Test
    void text_failureWithAForgedLineInItsMessage_forgesNone() {
        Exception failure = new IllegalStateException("outer\n" + FORGED, new RuntimeException("inner\r" + FORGED));
        failure.addSuppressed(new Exception("beside\n" + FORGED));
        List<String> lines =
                text(LogRig.event(Level.ERROR, "failed", failure)).lines().toList();

        assertEquals(1, lines.stream().filter(line -> line.startsWith("2026-")).count(), lines::toString);
        assertEquals("java.lang.IllegalStateException: outer " + FORGED, lines.get(1));
        assertTrue(lines.get(2).startsWith("\tio.heartwheel.log.LineLayoutTest")
                || lines.get(2).startsWith("\tat "));
        assertTrue(lines.contains("caused by: java.lang.RuntimeException: inner " + FORGED), lines::toString);
        assertTrue(lines.contains("\tsuppressed: java.lang.Exception: beside " + FORGED), lines::toString);
        assertTrue(lines.stream().anyMatch(line -> line.matches("\t\\.\\.\\. \\d+ more")), lines::toString);
    }

    @Test
    void json_oneFact_isOneObject() throws Exception {
        JsonNode line = json(LogRig.event(Level.WARN, "{} of {}", null, "a", 2));

        String expected = "{\"at\":\"2026-01-02T03:04:05.678Z\",\"level\":\"warn\",\"thread\":\"device-1\","
                + "\"logger\":\"io.heartwheel.some.Where\",\"message\":\"a of 2\"}";
        assertEquals(new ObjectMapper().readTree(expected), line);
    }

    @Test
    void json_everyCharacter_comesBackAsItWas() throws Exception {
        StringBuilder all = new StringBuilder("\"},{\"level\":\"x\" \\ ");
        for (char c = 0; c < 0x3000; c++) {
            all.append(c);
        }
        all.append("\ud83d\ude00");
        JsonNode line = json(LogRig.event(Level.INFO, "id {}", null, all));
        assertEquals("id " + all, line.get("message").asText());
    }

    @Test
    void json_failure_isAFieldWithItsStack() throws Exception {
        JsonNode line = json(
                LogRig.event(Level.ERROR, "failed", new IllegalStateException("a\nb", new RuntimeException("why"))));
        String error = line.get("error").asText();
        assertTrue(error.startsWith("java.lang.IllegalStateException: a\nb\n\tat "), error);
        assertTrue(error.contains("\ncaused by: java.lang.RuntimeException: why\n"), error);
    }

    @Test
    void failure_thatIsItsOwnCause_ends() {
        Exception one = new Exception("one");
        Exception two = new Exception("two", one);
        one.initCause(two);
        String line = text(LogRig.event(Level.ERROR, "failed", one));
        assertTrue(line.length() < 200_000);
    }
}

package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.Events;
import io.heartwheel.session.TraceSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that must not grow beyond its limit. */
class CappedOutputTest {
    @TempDir
    Path directory;

    private final Counting counting = new Counting();
    private final KeptLines taken = new KeptLines();

    private static final class Counting implements TraceObserver {
        int written;
        int bytes;
        int beyond;

        @Override
        public void written(int lines, int moreBytes) {
            written += lines;
            bytes += moreBytes;
        }

        @Override
        public void beyond(int lines) {
            beyond += lines;
        }
    }

    private CappedOutput capped(long roomBytes) {
        return new CappedOutput(taken, "t", roomBytes, counting);
    }

    private static ByteBuffer lines(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void write_uptoTheBrim_isWrittenWhole() throws Exception {
        CappedOutput output = capped(8);
        ByteBuffer lines = lines("{1}\n{2}\n");
        output.write(lines);

        assertFalse(lines.hasRemaining());
        assertEquals(List.of("{1}", "{2}"), taken.written);
        assertEquals("2 8 0", counting.written + " " + counting.bytes + " " + counting.beyond);
    }

    @Test
    void write_beyond_throwsAwayAllFromThereOn() throws Exception {
        CappedOutput output = capped(11);
        output.write(lines("{1}\n{2}\n"));
        ByteBuffer lines = lines("{3}\n{4}\n");
        output.write(lines);
        output.write(lines("5\n"));

        assertFalse(lines.hasRemaining());
        assertEquals(List.of("{1}", "{2}"), taken.written);
        assertEquals("2 8 3", counting.written + " " + counting.bytes + " " + counting.beyond);
    }

    @Test
    void write_moreThanFullFromTheBeginning_writesNothing() throws Exception {
        CappedOutput output = capped(-5);
        output.write(lines("{1}\n"));
        assertEquals(List.of(), taken.written);
        assertEquals(1, counting.beyond);
    }

    @Test
    void write_failed_takesNoRoomAndCountsNothing() throws Exception {
        CappedOutput output = capped(8);
        taken.failing = true;
        assertThrows(IOException.class, () -> output.write(lines("{1}\n{2}\n")));
        taken.failing = false;
        output.write(lines("{3}\n{4}\n"));
        output.close();

        assertEquals(List.of("{3}", "{4}"), taken.written);
        assertTrue(taken.closed);
        assertEquals("2 8 0", counting.written + " " + counting.bytes + " " + counting.beyond);
    }

    @Test
    void trace_fileThatIsThereAlready_countsAsWritten() throws Exception {
        Path file = Files.writeString(directory.resolve("t"), "x".repeat((1 << 20) - 100) + "\n");
        TraceSettings settings = new TraceSettings(true, file, 1, 16, 1 << 20);
        try (var sink = SinkFactory.trace(settings, counting)) {
            sink.publish(Events.traceSegment());
        }
        assertEquals((1 << 20) - 99, Files.size(file));
        assertEquals(1, counting.beyond);
        assertTrue(counting.written == 0);
    }
}

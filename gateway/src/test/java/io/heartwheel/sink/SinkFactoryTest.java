package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Events;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SinkFactoryTest {
    private static final JournalSettings JOURNAL = new JournalSettings(
            new StoreSettings(Path.of("unused"), StoreSettings.Sync.ALWAYS, 1 << 20, Duration.ofHours(1)),
            JournalSettings.WhenFull.SLOW,
            new DedupeSettings(true, 64));
    private static final Path NO_FILE = Path.of("");

    @TempDir
    Path directory;

    private final SinkCounts counts = new SinkCounts();
    private final ThreadSupervisor threads = new ThreadSupervisor((thread, problem) -> {}, () -> {});
    private final RecordingReply reply = new RecordingReply();

    private EventSink create(SinkKind kind, Path file) throws Exception {
        return SinkFactory.create(new SinkSettings(kind, file, 16, "", JOURNAL), counts, null, "1.0", threads);
    }

    @Test
    void create_none_acceptsAndForgets() throws Exception {
        try (EventSink sink = create(SinkKind.NONE, NO_FILE)) {
            sink.publish(Events.connected("x"));
            sink.publish(Events.text(1, "a"), reply);
        }
        assertEquals(List.of("accepted"), reply.answers);
        assertEquals("1 0 0 0", counts.toString());
    }

    @Test
    void create_file_writesLinesAndTellsItsQueue() throws Exception {
        Path file = directory.resolve("events.jsonl");
        try (EventSink sink = create(SinkKind.FILE, file)) {
            sink.publish(Events.connected("x"));
            sink.publish(Events.text(1, "a"), reply);
        }

        List<String> lines = Files.readAllLines(file);
        assertEquals(2, lines.size());
        assertEquals("a", new ObjectMapper().readTree(lines.get(1)).get("text").asText());
        assertEquals(List.of("accepted"), reply.answers);
        assertEquals(16, counts.capacity);
        assertEquals(0, counts.depth.getAsInt());
    }

    /** A disk that hangs ends the process, which starts again; a reader that takes its time would hang the next one as well. */
    @Test
    void create_fileThatIsNone_isWatchedButNotVital() throws Exception {
        create(SinkKind.FILE, directory.resolve("events.jsonl")).close();
        create(SinkKind.FILE, Path.of("/dev/null")).close();
        assertEquals(
                List.of(true, false),
                threads.all().stream().map(ThreadProgress::isVital).toList());
    }

    @Test
    void create_fileThatCannotBeOpened_throws() {

        assertThrows(IOException.class, () -> create(SinkKind.FILE, directory.resolve("no/such/file")));
    }
}

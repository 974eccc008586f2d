package io.heartwheel.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Closes;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.transport.AdmissionFixture;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events in a recording of the Flight Recorder; without a recording they cost nothing. */
class FlightEventsTest {
    private static final long MILLI = 1_000_000;
    private static final String PREFIX = "io.heartwheel.";

    @TempDir
    Path directory;

    private long gcMillis;
    private final FlightEvents flightEvents = new FlightEvents(() -> gcMillis);

    private List<RecordedEvent> recorded(String name, Consumer<FlightEvents> facts) throws Exception {
        Path file = directory.resolve("flight.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(PREFIX + name).with("period", "everyChunk");
            recording.start();
            facts.accept(flightEvents);
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(PREFIX + name))
                .toList();
    }

    /** These fields of it. */
    private static String words(RecordedEvent event, String fields) {
        return Stream.of(fields.split(" "))
                .map(field -> field.matches("worstLateness|took|lag|lost|collected|lasted")
                        ? (Object) event.getDuration(field)
                        : event.getValue(field))
                .map(Object::toString)
                .collect(Collectors.joining(" "));
    }

    @Test
    void judged_batchWithCloses_isOneEvent() throws Exception {
        List<RecordedEvent> events = recorded("ExpiryBatch", f -> {
            f.closed(Closes.of("plain", CloseReason.HEARTBEAT_TIMEOUT, true, 3 * MILLI, 0));
            f.closed(Closes.of("plain", CloseReason.HEARTBEAT_TIMEOUT, true, 7 * MILLI, 0));
            f.closed(Closes.of("plain", CloseReason.PEER_CLOSED, true, -1, 0));
            f.judged(2, 5, 9 * MILLI);
            f.judged(2, 1, 0);
        });

        assertEquals(2, events.size());
        assertEquals("2 5 2 PT0.007S PT0.009S", words(events.get(0), "loop lookedAt closed worstLateness took"));
        assertEquals("0 PT0S", words(events.get(1), "closed worstLateness"));
    }

    @Test
    void turned_isAnEvent() throws Exception {
        RecordedEvent event =
                recorded("WheelTurn", f -> f.turned(11, 22, 3 * MILLI)).get(0);
        assertEquals("11 22 PT0.003S", words(event, "expired moved lag"));
    }

    @Test
    void stalled_duringACollection_saysSo() throws Exception {
        gcMillis = 100;
        flightEvents.look();
        flightEvents.look();
        RecordedEvent event = recorded("LoopStall", f -> {
                    gcMillis = 700;
                    f.stalled(1, 900 * MILLI);
                })
                .get(0);
        assertEquals("1 PT0.9S PT0.6S gc", words(event, "loop lost collected cause"));
    }

    @Test
    void stalled_collectionLookedAtInBetween_stillCounts() throws Exception {
        RecordedEvent event = recorded("LoopStall", f -> {
                    gcMillis = 700;
                    f.look();
                    f.stalled(1, 900 * MILLI);
                })
                .get(0);
        assertEquals("gc", event.getString("cause"));
    }

    @Test
    void stalled_withoutACollection_isOther() throws Exception {
        gcMillis = 5_000;
        flightEvents.look();
        flightEvents.look();
        RecordedEvent event =
                recorded("LoopStall", f -> f.stalled(0, 900 * MILLI)).get(0);
        assertEquals("other PT0S", words(event, "cause collected"));
    }

    @Test
    void incident_beginAndEnd_areEvents() throws Exception {
        List<RecordedEvent> events = recorded("MassExpiry", f -> {
            f.incident(new Incident(4, false, 1, 0, List.of("all", "loop 3"), 10, 37, 0, 0, 0, 0));
            f.incident(new Incident(4, true, 2, 1_500, List.of("all"), 10, 37, 26, 20, 5, 1));
        });

        assertEquals("begun all, loop 3", words(events.get(0), "state scopes"));
        assertEquals(
                "ended 4 PT1.5S 10 37 26 20 5 1",
                words(events.get(1), "state number lasted expired connections suspects absolved closed left"));
    }

    @Test
    void drain_progress_isAnEvent() throws Exception {
        assertEquals(
                "12 of 40 devices left",
                recorded("Drain", f -> f.drain("12 of 40 devices left")).get(0).getString("progress"));
    }

    @Test
    void admission_whileRecording_isAskedForEachPeriod() throws Exception {
        try (FlightEvents watching = flightEvents) {
            watching.watch(AdmissionFixture.of(9));
            List<RecordedEvent> events = recorded("Admission", f -> {});
            assertFalse(events.isEmpty());
            assertEquals(9, events.get(0).getInt("limit"));
        }
    }

    @Test
    void facts_withoutARecording_makeNoObject() {
        var memory = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        Evidence close = Closes.of("plain", CloseReason.HEARTBEAT_TIMEOUT, true, 1, 1);
        for (int round = 0; round < 2; round++) {
            long before = memory.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                flightEvents.judged(0, 1, 1);
                flightEvents.turned(1, 1, 1);
                flightEvents.stalled(0, 1);
                flightEvents.closed(close);
            }
            long bytes = memory.getCurrentThreadAllocatedBytes() - before;
            assertTrue(round == 0 || bytes < 10_000, () -> bytes + " bytes for 10,000 of each");
        }
    }

    @Test
    void everyEvent_saysWhatItIs() {
        try (FlightEvents watching = flightEvents) {
            watching.watch(AdmissionFixture.of(1));
            assertEventsSayWhatTheyAre();
        }
    }

    private static void assertEventsSayWhatTheyAre() {
        List<EventType> own = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .filter(type -> type.getName().startsWith(PREFIX))
                .toList();
        assertEquals(6, own.size());
        for (EventType type : own) {
            assertEquals(List.of("Heartwheel"), type.getCategoryNames());
            assertTrue(type.getLabel().matches("[A-Z]\\w+( [A-Z]\\w+)*"), type.getName());
            assertTrue(type.getDescription().endsWith("."), type.getName());
            type.getFields().stream()
                    .filter(field -> !List.of("startTime", "duration", "eventThread", "stackTrace")
                            .contains(field.getName()))
                    .forEach(field -> {
                        assertTrue(field.getLabel() != null, () -> type.getName() + "." + field.getName());
                        assertTrue(field.getDescription() != null, () -> type.getName() + "." + field.getName());
                    });
        }
    }
}

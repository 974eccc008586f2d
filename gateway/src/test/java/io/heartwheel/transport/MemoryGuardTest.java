package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.transport.MemoryReading.Area;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Refusals of newcomers for lack of memory, and their end. */
class MemoryGuardTest {
    private static final MemorySettings SETTINGS = new MemorySettings(true, 0.8, 0.6, 0.25);

    private final MemoryGuard guard = new MemoryGuard(SETTINGS);

    private static MemoryReading heap(long percent) {
        return new MemoryReading(new Area(percent, 100), Area.UNKNOWN, Area.UNKNOWN);
    }

    private static MemoryReading full(String area, long percent) {
        Area full = new Area(percent, 100);
        Area idle = new Area(10, 100);
        return new MemoryReading(
                area.equals("heap") ? full : idle,
                area.equals("direct") ? full : idle,
                area.equals("process") ? full : idle);
    }

    @Test
    void look_atNothing_isNotShort() {
        assertFalse(guard.look(MemoryReading.NOTHING));
        assertFalse(guard.isShort());
        assertEquals(0, guard.shortages());
    }

    @ParameterizedTest
    @ValueSource(strings = {"heap", "direct", "process"})
    void look_oneAreaAtTheShare_isShortUntilItIsBelowTheOther(String area) {
        assertFalse(guard.look(full(area, 79)));
        assertTrue(guard.look(full(area, 80)));
        assertTrue(guard.look(full(area, 60)), "in between nothing changes");
        assertFalse(guard.look(full(area, 59)));
        assertFalse(guard.look(full(area, 79)), "in between nothing changes");
        assertEquals(1, guard.shortages());
        assertTrue(guard.look(full(area, 100)));
        assertEquals(2, guard.shortages());
    }

    @Test
    void look_oneAreaReleasedAnotherFull_staysShort() {
        assertTrue(guard.look(full("heap", 90)));
        assertTrue(guard.look(full("direct", 70)));
        assertFalse(guard.look(full("direct", 50)));
    }

    @Test
    void look_disabled_isNeverShortButSees() {
        MemoryGuard off = new MemoryGuard(new MemorySettings(false, 0.8, 0.6, 0.25));
        assertFalse(off.look(heap(100)));
        assertEquals(100, off.latest().heap().usedBytes());
    }

    @Test
    void admission_whileShort_saysSo() {
        Admission admission = new Admission(10, new AdmissionSettings(16), guard, () -> 0);
        assertFalse(admission.lacksMemory());
        guard.look(heap(90));
        assertTrue(admission.lacksMemory());
        admission.turnAway();
        assertEquals(1, admission.accepted());
        assertEquals(1, admission.refused());
        assertEquals(0, admission.open());
        guard.look(heap(10));
        assertTrue(!admission.lacksMemory() && admission.enter(new EmbeddedChannel()));
    }

    @Test
    void newcomers_fillingTheHeapBetweenReadings_areRefused() {
        AtomicLong held = new AtomicLong();
        guard.follow(held::get);
        guard.look(heap(20));
        int taken = 0;
        while (taken < 100 && !guard.refusesNext()) {
            taken++;
            held.incrementAndGet();
        }
        assertTrue(taken >= 60 && taken <= 60 + 16, taken + " taken of 60 that fit, each sixteenth looked at");
        assertEquals(1, guard.shortages());
        held.set(0);
        assertFalse(guard.look(heap(20)), "they have left");
        assertFalse(guard.refusesNext());
    }

    @Test
    void newcomers_andOthersLeaving_areNotRefused() {
        AtomicLong held = new AtomicLong(1_000);
        guard.follow(held::get);
        guard.look(heap(70));
        for (int i = 0; i < 1_000; i++) {
            held.decrementAndGet();
            assertFalse(guard.refusesNext());
        }
    }

    @Test
    void taken_sinceTheLastCollection_isWhatIsHeldMoreThanAtTheReadingBeforeIt() {
        AtomicLong held = new AtomicLong();
        MemoryProbe probe = new MemoryProbe(held::get);
        held.set(100);
        assertEquals(100, probe.takenSince(0), "no collection yet");
        held.set(150);
        assertEquals(50, probe.takenSince(7), "of these some may have come after the collection");
        held.set(170);
        assertEquals(70, probe.takenSince(7));
        held.set(60);
        assertEquals(0, probe.takenSince(7), "others left");
        held.set(90);
        assertEquals(30, probe.takenSince(9));
    }

    @Test
    void process_heapThatCouldBeUsedAgain_doesNotCount() {
        // 1,000 anonymous, of these 600 heap with 200 alive in it
        assertEquals(new Area(600, 2_000), MemoryProbe.process(new Area(1_000, 2_000), 600, 200, 50));
        // committed and never touched: less is resident than is known to be alive
        assertEquals(new Area(250, 2_000), MemoryProbe.process(new Area(300, 2_000), 600, 200, 50));
        assertEquals(Area.UNKNOWN, MemoryProbe.process(Area.UNKNOWN, 600, 200, 50));
    }

    @Test
    void read_thisProcess_findsHeapAndDirectMemory() {
        MemoryProbe probe = new MemoryProbe(() -> 0);
        System.gc();
        MemoryReading reading = probe.read();
        assertTrue(reading.heap().usedBytes() > 0, reading::toString);
        assertTrue(reading.heap().limitBytes() >= reading.heap().usedBytes(), reading::toString);
        assertTrue(reading.direct().limitBytes() > 0, reading::toString);
        assertTrue(probe.collectedMillis() > 0, "a full collection is one that counts");
    }

    @Test
    void unfinished_ofALoop_isItsPartButRoomForThreeOfTheLargest() {
        assertEquals(125, SETTINGS.unfinishedBytesOfALoop(1_000, 2, 10));
        assertEquals(3_000, SETTINGS.unfinishedBytesOfALoop(1_000, 2, 1_000));
    }
}

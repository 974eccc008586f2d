package io.heartwheel.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Events;
import io.heartwheel.event.Evidence;
import io.heartwheel.history.CloseHistory.Entry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A bounded memory that many sources share. */
@Timeout(60)
class CloseHistoryTest {
    private static final int ROOM = EvidenceSettings.DEFAULTS.closes();
    private static final String ATTACKER = "203.0.113.66";

    private final CloseHistory history = new CloseHistory(ROOM);

    private static Evidence close(String device, String address) {
        return Events.evidence(device, address + ":40000", CloseReason.PEER_CLOSED, true, 1);
    }

    private static String address(int index) {
        return "10." + (index >>> 16) + "." + (index >>> 8 & 0xFF) + "." + (index & 0xFF);
    }

    private static List<Entry> all(CloseHistory history) {
        return history.find(Long.MAX_VALUE, Integer.MAX_VALUE, close -> true);
    }

    /** So many close, one device each, from these addresses. */
    private void add(String prefix, int devices, IntFunction<String> address) {
        for (int i = 0; i < devices; i++) {
            history.add(close(prefix + i, address.apply(i)));
        }
    }

    /** How many of the devices with this prefix are remembered. */
    private int remembered(String prefix) {
        return (int) all(history).stream()
                .map(each -> each.evidence.identity().deviceId())
                .filter(device -> device.startsWith(prefix))
                .distinct()
                .count();
    }

    @Test
    void add_floodOfOneSource_leavesWhatEverybodyElseLeft() {
        add("honest-", ROOM / 2 - 1, CloseHistoryTest::address);
        add("attack-", 10 * ROOM, i -> ATTACKER);
        assertEquals(ROOM / 2 - 1, remembered("honest-"));
        assertEquals(ROOM, all(history).size(), "what nobody wants, the attacker may have");
    }

    @Test
    void add_fleetBehindOneAddress_mayHaveAllOfIt() {
        add("fleet-", ROOM, i -> "198.51.100.1");
        assertEquals(ROOM, remembered("fleet-"));
    }

    @Test
    void add_fleetBehindOneAddressAndAFlood_share() {
        add("fleet-", ROOM, i -> "198.51.100.1");
        add("attack-", 10 * ROOM, i -> ATTACKER);
        assertEquals(ROOM / 4, remembered("fleet-"));
        assertEquals(1, remembered("fleet-" + (ROOM - 1)), "the newest of them");
    }

    @Test
    void add_manySourcesOfLongAgo_leaveTheNewestToACrowd() {
        add("old-", 2 * ROOM, CloseHistoryTest::address);
        add("fleet-", ROOM / 2, i -> "198.51.100.1");
        assertEquals(ROOM / 2, remembered("fleet-"));
    }

    @Test
    void source_ofAnAddress_isWhoHoldsIt() {
        assertEquals("192.0.2.1", CloseHistory.source("192.0.2.1:5000"));
        assertEquals("192.0.2.1", CloseHistory.source("192.0.2.1"));
        assertEquals("unknown", CloseHistory.source("unknown"));
        assertEquals("2001:db8:7", CloseHistory.source("[2001:db8:7:1:0:0:0:9]:5000"));
        assertEquals("2001:db8:7", CloseHistory.source("[2001:db8:7:2:0:0:0:9]"));
        assertEquals("2001:db8:", CloseHistory.source("[2001:db8::9]:1"));
        assertEquals("[::]", CloseHistory.source("[::]"));
    }

    /** Whoever loses had most, and loses his oldest; nothing else ever moves. */
    @Test
    void add_anything_takesFromWhoHasMost() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int room = random.nextInt(24);
            CloseHistory small = new CloseHistory(room);
            int newestRoom = (room + 1) / 2;
            Deque<Long> newest = new ArrayDeque<>();
            Map<String, ArrayDeque<Long>> shared = new HashMap<>();
            Map<Long, String> of = new HashMap<>();
            for (int i = 0; i < 300; i++) {
                String source = "10.0.0." + random.nextInt(1 + random.nextInt(12));
                small.add(close("d", source));
                of.put((long) i, source);
                newest.addLast((long) i);
                if (newest.size() > newestRoom) {
                    long falling = newest.removeFirst();
                    shared.computeIfAbsent(of.get(falling), name -> new ArrayDeque<>())
                            .addLast(falling);
                }
                Set<Long> left = new HashSet<>();
                all(small).forEach(each -> left.add(each.number));
                drop(shared, left, room - newestRoom, seed);
                Set<Long> expected = new HashSet<>(newest);
                shared.values().forEach(expected::addAll);
                assertEquals(expected, left, () -> "seed " + seed);
            }
        }
    }

    private static void drop(Map<String, ArrayDeque<Long>> shared, Set<Long> left, int room, long seed) {
        int held = shared.values().stream().mapToInt(ArrayDeque::size).sum();
        if (held <= room) {
            return;
        }
        int most = shared.values().stream().mapToInt(ArrayDeque::size).max().orElseThrow();
        for (ArrayDeque<Long> each : shared.values()) {
            if (each.size() == most && !left.contains(each.getFirst())) {
                each.removeFirst();
                return;
            }
        }
        throw new AssertionError("nobody who had most lost his oldest, seed " + seed);
    }

    @Test
    void find_whileOthersAdd_isInOrderAndMeetsWhatStays() throws Exception {
        add("honest-", ROOM / 4, CloseHistoryTest::address);
        AtomicBoolean over = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> writers = new ArrayList<>();
        for (int w = 0; w < 3; w++) {
            String attacker = "203.0.113." + w;
            Thread writer = new Thread(() -> {
                for (int i = 0; !over.get(); i++) {
                    history.add(close("attack-" + i, attacker));
                }
            });
            writer.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
            writer.start();
            writers.add(writer);
        }
        try {
            for (int i = 0; i < 200; i++) {
                List<Entry> met = all(history);
                for (int at = 1; at < met.size(); at++) {
                    assertTrue(met.get(at - 1).number > met.get(at).number);
                }
                Predicate<Entry> honest =
                        each -> each.evidence.identity().deviceId().startsWith("honest-");
                assertEquals(ROOM / 4, met.stream().filter(honest).count());
            }
        } finally {
            over.set(true);
            for (Thread writer : writers) {
                writer.join();
            }
        }
        assertNull(failure.get());
        assertEquals(ROOM, all(history).size());
    }
}

package io.heartwheel.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RecentMessagesTest {
    private static final long ROOM = 1 << 20;

    private final RecentMessages recent = new RecentMessages(4, 3, ROOM);

    private boolean seen(String device, long id, String payload) {
        return recent.isRepeat(device, id, true, payload.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void sameId_otherPayloadOrKind_isNew() {
        seen("a", 1, "x");
        recent.committed();
        assertFalse(seen("a", 1, "y"));
        assertFalse(recent.isRepeat("a", 1, false, new byte[] {'x'}));
    }

    @Test
    void bytes_beyondTheBound_displaceDevices() {
        RecentMessages small = new RecentMessages(1_024, 65_536, 10_000);
        for (int id = 1; id <= 2_000; id++) {
            small.isRepeat("device " + id % 100, id, false, new byte[8]);
            small.committed();
            assertTrue(small.bytes() <= 10_000, "bytes = " + small.bytes());
        }
        for (int id = 1; id <= 2_000; id++) {
            small.isRepeat("one", id, false, new byte[8]);
            small.committed();
        }
        assertEquals(1, small.devices(), "one alone may be larger");
    }

    @Test
    void hash_ofSmallDifferences_differs() {
        Set<Long> hashes = new HashSet<>();
        int count = 0;
        for (int length = 0; length <= 40; length++) {
            hashes.add(RecentMessages.hash(true, new byte[length]));
            count++;
            for (int bit = 0; bit < 8 * length; bit++) {
                byte[] payload = new byte[length];
                payload[bit / 8] = (byte) (1 << bit % 8);
                hashes.add(RecentMessages.hash(true, payload));
                count++;
            }
        }
        assertEquals(count, hashes.size());
        assertNotEquals(RecentMessages.hash(true, new byte[3]), RecentMessages.hash(false, new byte[3]));
    }

    /** Against lists that are searched from the end. */
    @Test
    void anything_atRandom_isAsInTheModel() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 300; round++) {
            int messages = random.nextInt(1, 12);
            int devices = random.nextInt(1, 6);
            Model model = new Model(messages, devices);
            RecentMessages real = new RecentMessages(messages, devices, ROOM);
            for (int step = 0; step < 300; step++) {
                switch (random.nextInt(8)) {
                    case 0 -> {
                        real.committed();
                        model.committed();
                    }
                    case 1 -> {
                        real.failed();
                        model.failed();
                    }
                    default -> {
                        String device = "d" + random.nextInt(8);
                        long id = random.nextInt(20);
                        byte[] payload = {(byte) random.nextInt(2)};
                        assertEquals(
                                model.seen(device, id + ":" + payload[0], id),
                                real.isRepeat(device, id, false, payload),
                                "seed " + seed);
                    }
                }
                assertEquals(model.kept.size(), real.devices(), "seed " + seed);
            }
        }
    }

    private static final class Model {
        private record Entry(String message, boolean[] committed) {}

        private final int messages;
        private final int devices;
        final LinkedHashMap<String, List<Entry>> kept = new LinkedHashMap<>();

        Model(int messages, int devices) {
            this.messages = messages;
            this.devices = devices;
        }

        boolean seen(String device, String message, long id) {
            if (id == 0) {
                return false;
            }
            List<Entry> entries = kept.remove(device);
            entries = entries == null ? new ArrayList<>() : entries;
            kept.put(device, entries);
            for (Entry entry : entries) {
                if (entry.message().equals(message)) {
                    return true;
                }
            }
            entries.add(new Entry(message, new boolean[1]));
            if (entries.size() > messages) {
                entries.remove(0);
            }
            if (kept.size() > devices) {
                kept.remove(kept.keySet().iterator().next());
            }
            return false;
        }

        void committed() {
            kept.values().forEach(all -> all.forEach(entry -> entry.committed()[0] = true));
        }

        void failed() {
            for (Map.Entry<String, List<Entry>> each : List.copyOf(kept.entrySet())) {
                each.getValue().removeIf(entry -> !entry.committed()[0]);
                if (each.getValue().isEmpty()) {
                    kept.remove(each.getKey());
                }
            }
        }
    }
}

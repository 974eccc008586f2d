package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Order in which connections lose the memory of their unfinished messages. */
class MemoryHoldersTest {
    private final MemoryHolders holders = new MemoryHolders();
    private final List<String> gone = new ArrayList<>();

    private final class Peer implements MemoryHolders.Holder {
        private final String name;
        private boolean established;
        private long keptUpNanos;
        private long bytes = 1_000;
        private boolean listed;

        Peer(String name, boolean established, long keptUpNanos) {
            this.name = name;
            this.established = established;
            this.keptUpNanos = keptUpNanos;
            holders.add(this);
        }

        @Override
        public long heldMemoryBytes() {
            return bytes;
        }

        @Override
        public boolean isEstablished() {
            return established;
        }

        @Override
        public long keptUpNanos() {
            return keptUpNanos;
        }

        @Override
        public void listed(boolean now) {
            listed = now;
        }

        @Override
        public void giveUp() {
            bytes = 0;
            gone.add(name);
        }
    }

    private List<String> allGiveUp() {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = holders.giveUpFirst();
        }
        return gone;
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -2, 0, Long.MAX_VALUE - 1})
    void giveUpFirst_strangersAndDevices_strangersFirstEachByProgress(long t) {
        new Peer("device, late", true, t + 3);
        new Peer("stranger, late", false, t + 4);
        new Peer("device, early", true, t);
        new Peer("stranger, early", false, t + 1);
        assertEquals(List.of("stranger, early", "stranger, late", "device, early", "device, late"), allGiveUp());
    }

    @Test
    void giveUpFirst_onesThatMovedOn_arePlacedAnew() {
        Peer first = new Peer("first", true, 1);
        new Peer("second", true, 2);
        Peer hello = new Peer("said hello", false, 0);
        first.keptUpNanos = 5;
        hello.established = true;
        hello.keptUpNanos = 4;
        assertEquals(List.of("second", "said hello", "first"), allGiveUp());
    }

    @Test
    void giveUpFirst_oneThatHoldsNothing_isLeftAlone() {
        Peer done = new Peer("done", true, 0);
        done.bytes = 0;
        assertFalse(holders.giveUpFirst());
        assertFalse(done.listed);
        assertEquals(List.of(), gone);
    }

    @Test
    void add_manyThatEnd_areForgotten() {
        Peer stays = new Peer("stays", true, 0);
        for (int i = 0; i < 10_000; i++) {
            Peer comes = new Peer("comes", i % 2 == 0, i);
            comes.bytes = 0;
        }
        assertTrue(holders.size() <= 65, () -> holders.size() + " listed");
        assertTrue(stays.listed);
        assertEquals(List.of("stays"), allGiveUp());
    }
}

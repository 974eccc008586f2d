package io.heartwheel.presence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.ConnectionEvent.Lost;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.log.LogCapture;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.store.RecordBatch;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LostDevicesTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int RATE = 1_000;

    private final VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
    private final Published sink = new Published();
    private final Rows rows = new Rows();
    private long nowNanos = Long.MAX_VALUE - 10 * SECOND;
    private final LostDevices lost = lost(new Store.Start(3, 2, false, 0, 2_000));

    private LostDevices lost(Store.Start start) {
        PresenceSettings settings = new PresenceSettings(Duration.ofSeconds(60), RATE);
        return new LostDevices(rows, gateway.registry, sink, rows.rows::remove, start, settings, nowNanos, () -> 5_000);
    }

    /** The rows of a store, in memory. */
    private static final class Rows implements StoreReader {
        final TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
        boolean failing;

        void put(long incarnation, long sessionId, String device) {
            Identity identity = new Identity(device, sessionId, 10 + sessionId);
            rows.put(PresenceRow.key(incarnation, sessionId), PresenceRow.value(identity, 1_000));
        }

        @Override
        public List<Row> rows(byte[] after, int limit) throws StoreException {
            if (failing) {
                throw new StoreException(StoreException.Cause.OTHER, "no");
            }
            return rows.tailMap(after, false).entrySet().stream()
                    .limit(limit)
                    .map(row -> new Row(row.getKey(), row.getValue()))
                    .toList();
        }

        @Override
        public @Nullable RecordBatch next(long after) {
            throw new AssertionError();
        }

        @Override
        public boolean await(long after, long millis) {
            throw new AssertionError();
        }

        @Override
        public long firstSince(long epochMillis) {
            throw new AssertionError();
        }

        @Override
        public void close() {}
    }

    /** Steps as the thread does, for so long. */
    private void pass(long nanos) {
        long endNanos = nowNanos + nanos;
        while (true) {
            long pauseNanos = lost.step(nowNanos);
            if (pauseNanos > endNanos - nowNanos) {
                nowNanos = endNanos;
                return;
            }
            nowNanos += pauseNanos;
        }
    }

    /** What is published is committed, and its row deleted with it. */
    private void commitAll() {
        sink.listener = fact -> rows.rows.remove(PresenceRow.key((Lost) fact));
    }

    private List<String> told() {
        return sink.all(Lost.class).stream()
                .map(each -> each.incarnation() + " " + each.identity().deviceId())
                .toList();
    }

    @Test
    void step_beforeDevicesHadTheirTime_saysNothing() {
        rows.put(2, 1, "a");
        pass(60 * SECOND - 1);
        assertEquals(List.of(), told());
        assertEquals(1, lost.step(nowNanos));
    }

    @Test
    void log_afterACrash_tellsHowManyWereCutOffAndWhatBecameOfThem() {
        commitAll();
        for (int i = 0; i < 1_200; i++) {
            rows.put(2, i, "d" + i);
        }
        rows.put(3, 1, "d1");
        Queue<Runnable> loop = new ArrayDeque<>();
        new Published().device(gateway, 1, "d1", Runnable::run);
        new Published().device(gateway, 2, "d2", loop::add);
        try (LogCapture log = new LogCapture(LostDevices.class)) {
            log.level(Level.INFO);
            pass(59 * SECOND);
            assertEquals(
                    List.of(
                            "incarnation 2 ended without a word; its last event is 3 s old",
                            "1200 devices were cut off by it and have 60 s to come back"),
                    log.messages());

            pass(600 * SECOND);

            assertEquals(
                    "of 1200 devices that were cut off 1 are back, 1198 were told lost and 1 are just coming",
                    log.messages().get(2));
            assertEquals(3, log.messages().size());
        }
    }

    @Test
    void log_afterAnOrderlyEnd_saysNothing() {
        LostDevices none = lost(new Store.Start(3, 2, true, 0, 2_000));
        try (LogCapture log = new LogCapture(LostDevices.class)) {
            log.level(Level.INFO);
            none.step(nowNanos);
            none.step(nowNanos + 60 * SECOND);
            assertEquals(List.of(), log.messages());
        }
    }

    @Test
    void step_devicesOfEarlierIncarnations_areToldUnlessTheyAreHere() {
        commitAll();
        rows.put(1, 5, "older");
        rows.put(2, 1, "gone");
        rows.put(2, 2, "back");
        rows.put(3, 1, "back");
        rows.rows.put(PresenceRow.key(2, 3), new byte[] {9});
        gateway.registry.size();
        new Published().device(gateway, 1, "back", Runnable::run);

        pass(300 * SECOND);

        assertEquals(List.of("1 older", "2 gone"), told());
        assertEquals(1, rows.rows.size());
        assertEquals(2, lost.told());
        assertEquals(new Lost(new Identity("gone", 1, 11), 5_000, 2, 1_000), sink.facts.get(1));
        assertEquals(Step.IDLE_NANOS, lost.step(nowNanos));
    }

    @Test
    void step_manyDevices_areToldAtTheRate() {
        commitAll();
        for (int i = 0; i < 5_000; i++) {
            rows.put(2, i, "d" + i);
        }
        pass(62 * SECOND);
        int told = told().size();
        assertTrue(told <= 2 * RATE + RATE / 10 && told >= 2 * RATE * 9 / 10, () -> told + " in 2 s");

        pass(4 * SECOND);
        assertEquals(5_000, told().size());
        assertEquals(5_000, told().stream().distinct().count());
    }

    @Test
    void step_sinkThatHadNoRoom_isToldAgain() {
        rows.put(2, 1, "a");
        rows.put(2, 2, "b");
        pass(61 * SECOND);
        assertEquals(List.of("2 a", "2 b"), told());
        rows.rows.remove(PresenceRow.key(2, 1));
        commitAll();

        pass(200 * SECOND);

        assertEquals(List.of("2 a", "2 b", "2 b"), told());
        assertEquals(Step.IDLE_NANOS, lost.step(nowNanos));
    }

    @Test
    void step_deviceThatIsJustComing_isLeftForTheNextRound() {
        commitAll();
        rows.put(2, 1, "a");
        Queue<Runnable> loop = new ArrayDeque<>();
        new Published().device(gateway, 9, "a", loop::add);
        pass(61 * SECOND);
        assertEquals(List.of(), told());
        assertEquals(1, rows.rows.size());
        loop.remove().run();

        pass(61 * SECOND);

        assertEquals(List.of(), told());
        assertEquals(0, rows.rows.size());
    }

    private List<String> infos(LogCapture log) {
        return log.messages().stream()
                .filter(each -> !each.startsWith("devices of earlier incarnations cannot be read"))
                .toList();
    }

    @Test
    void step_storeThatFailsUntilTheTimeIsOver_isCountedAndToldAllTheSame() {
        commitAll();
        rows.put(2, 1, "a");
        rows.failing = true;
        try (LogCapture log = new LogCapture(LostDevices.class)) {
            log.level(Level.INFO);
            pass(61 * SECOND);
            assertEquals(List.of(), infos(log));
            rows.failing = false;

            pass(61 * SECOND);

            assertEquals(
                    List.of(
                            "incarnation 2 ended without a word; its last event is 3 s old",
                            "1 devices were cut off by it and have 0 s to come back",
                            "of 1 devices that were cut off 0 are back, 1 were told lost and 0 are just coming"),
                    infos(log));
        }
        assertEquals(List.of("2 a"), told());
    }

    @Test
    void step_storeThatFailsInTheMiddle_goesOnThereAndSumsUpAll() {
        commitAll();
        for (int i = 0; i < 1_200; i++) {
            rows.put(2, i, "d" + i);
        }
        try (LogCapture log = new LogCapture(LostDevices.class)) {
            log.level(Level.INFO);
            pass(60 * SECOND + SECOND / 10);
            rows.failing = true;
            pass(20 * SECOND);
            int before = told().size();
            assertTrue(before > 0 && before < 1_200, () -> before + " were told");
            rows.failing = false;

            pass(600 * SECOND);

            assertEquals(
                    "of 1200 devices that were cut off 0 are back, 1200 were told lost and 0 are just coming",
                    infos(log).get(2));
        }
        assertEquals(1_200, told().size());
    }

    /** The thread has other steps too, which wake it. */
    @Test
    void step_storeThatFails_isNotReadWheneverTheThreadIsAwake() {
        rows.failing = true;
        try (LogCapture log = new LogCapture(LostDevices.class)) {
            long pauseNanos = lost.step(nowNanos);
            assertEquals(pauseNanos - 1, lost.step(nowNanos + 1));
            assertEquals(1, log.messages().size());
        }
    }
}

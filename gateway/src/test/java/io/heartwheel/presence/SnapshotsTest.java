package io.heartwheel.presence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.ConnectionEvent.Connected;
import io.heartwheel.event.ConnectionEvent.Present;
import io.heartwheel.event.ConnectionEvent.TakenOver;
import io.heartwheel.event.EventKind;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Snapshot;
import io.heartwheel.event.Snapshot.Cause;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SnapshotsTest {
    private static final int RATE = 1_000;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
    private final Published sink = new Published();
    private long nowNanos = -5 * SECOND;
    private final Snapshots snapshots = new Snapshots(
            gateway.registry, sink, new PresenceSettings(Duration.ZERO, RATE), () -> nowNanos, () -> 1_000);

    private void connect(int devices) {
        for (int i = 0; i < devices; i++) {
            sink.device(gateway, i + 1, "d" + i, Runnable::run);
        }
    }

    /** Steps as the thread does, for so long at most. */
    private void pass(long nanos) {
        long endNanos = nowNanos + nanos;
        while (true) {
            long pauseNanos = snapshots.step(nowNanos);
            if (pauseNanos > endNanos - nowNanos) {
                nowNanos = endNanos;
                return;
            }
            nowNanos += pauseNanos;
        }
    }

    private List<String> states() {
        return sink.all(Snapshot.class).stream()
                .map(each -> each.number() + (each.ended() ? " ended " : " begun ") + each.devices())
                .toList();
    }

    @Test
    void step_nothingAsked_isIdle() {
        assertEquals(Step.IDLE_NANOS, snapshots.step(nowNanos));
    }

    @Test
    void ask_devicesThatStay_areToldOnceEachBetweenBegunAndEnded() {
        connect(2_500);
        sink.facts.clear();

        assertEquals(new Snapshots.Asked(1, false), snapshots.ask(Cause.ASKED));
        pass(10 * SECOND);

        assertEquals(List.of("1 begun 2500", "1 ended 2500"), states());
        assertEquals(EventKind.SNAPSHOT, sink.facts.get(0).kind());
        assertEquals(EventKind.SNAPSHOT, sink.facts.get(2_501).kind());
        assertEquals(
                IntStream.range(0, 2_500).mapToObj(i -> "d" + i).collect(Collectors.toSet()),
                sink.all(Present.class).stream()
                        .map(each -> each.identity().deviceId())
                        .collect(Collectors.toSet()));
        assertEquals(2_502, sink.facts.size());
        assertEquals(Step.IDLE_NANOS, snapshots.step(nowNanos));
        assertEquals(new Snapshots.Progress(0, null, 0, 0, 0, 1, 0), snapshots.progress());
    }

    @Test
    void step_manyDevices_tellsThemAtTheRate() {
        connect(5_000);

        snapshots.ask(Cause.ASKED);
        pass(3 * SECOND);

        int told = sink.all(Present.class).size();
        assertTrue(told <= 3 * RATE + RATE / 10 && told >= 3 * RATE * 9 / 10, () -> told + " in 3 s");
        assertEquals(told, snapshots.progress().told());
        assertEquals(1, snapshots.progress().running());
    }

    @Test
    void ask_whileOneRuns_isJoinedToTheNext() {
        connect(1_500);

        assertEquals(new Snapshots.Asked(1, false), snapshots.ask(Cause.ASKED));
        assertEquals(new Snapshots.Asked(1, true), snapshots.ask(Cause.ASKED));
        pass(SECOND / 2);
        assertEquals(new Snapshots.Asked(2, false), snapshots.ask(Cause.ASKED));
        assertEquals(new Snapshots.Asked(2, true), snapshots.ask(Cause.ASKED));
        pass(10 * SECOND);

        assertEquals(List.of("1 begun 1500", "1 ended 1500", "2 begun 1500", "2 ended 1500"), states());
    }

    @Test
    void ask_becauseOfAGapWhileOneRuns_beginsAnewMoreSlowly() {
        connect(1_500);

        snapshots.ask(Cause.ASKED);
        pass(SECOND);
        snapshots.eventsLost();
        snapshots.eventsLost();
        assertEquals(1, snapshots.progress().abandoned());
        pass(2 * SECOND - 1);
        assertEquals(List.of("1 begun 1500"), states());
        pass(2 * SECOND);
        assertEquals(2, snapshots.progress().running());
        assertTrue(snapshots.progress().told() <= RATE, () -> "told " + snapshots.progress());
        pass(10 * SECOND);

        assertEquals(List.of("1 begun 1500", "2 begun 1500", "2 ended 1500"), states());
        assertEquals(Cause.GAP, sink.all(Snapshot.class).get(2).cause());
    }

    /** What an outlet finds missing was written before: one that runs is as good as it was. */
    @Test
    void ask_becauseOfGapsThatAnOutletFinds_isOneMoreAndOneAMinute() {
        connect(1_500);
        snapshots.ask(Cause.ASKED);
        pass(SECOND);
        for (int second = 0; second < 130; second++) {
            snapshots.ask(Cause.GAP);
            pass(SECOND);
        }

        assertEquals(0, snapshots.progress().abandoned());
        assertEquals(
                List.of("1 asked", "2 gap", "3 gap", "4 gap"),
                sink.all(Snapshot.class).stream()
                        .filter(Snapshot::ended)
                        .map(each -> each.number() + " " + each.cause().label())
                        .toList());
    }

    @Test
    void ask_whileOneWaitsForItsTime_beginsAtOnce() {
        connect(1);
        snapshots.eventsLost();
        assertEquals(new Snapshots.Asked(1, true), snapshots.ask(Cause.ASKED));
        pass(SECOND / 2);

        assertEquals(List.of("1 begun 1", "1 ended 1"), states());
    }

    @Test
    void ask_gapsForEver_areFollowedByFewerAndFewerBeginnings() {
        connect(1_500);
        snapshots.eventsLost();
        for (int second = 0; second < 3_600; second++) {
            pass(SECOND);
            if (snapshots.progress().running() != 0) {
                snapshots.eventsLost();
            }
        }
        assertTrue(states().size() <= 3_600 / 60 + 10, () -> states().size() + " in an hour");
    }

    /** What a task brings is run too. */
    private static void drain(Queue<Runnable> loop) {
        while (!loop.isEmpty()) {
            loop.remove().run();
        }
    }

    @Test
    void step_loopThatStandsStill_isWaitedFor() {
        Queue<Runnable> loop = new ArrayDeque<>();
        FakeSession slow = sink.device(gateway, 1, "slow", loop::add);
        drain(loop);
        connect(3);

        snapshots.ask(Cause.ASKED);
        pass(60 * SECOND);
        assertEquals(List.of("1 begun 4"), states());
        loop.remove().run();
        pass(SECOND);

        assertTrue(slow.isEstablished());
        assertEquals(List.of("1 begun 4", "1 ended 4"), states());
    }

    /** Whatever comes, goes and is taken over while it lasts: who reads from the beginning knows at the end who is there. */
    @Test
    void walk_whileDevicesComeGoAndAreTakenOver_leavesTheTruth() {
        Queue<Runnable> loop = new ArrayDeque<>();
        Map<String, FakeSession> now = new HashMap<>();
        for (int i = 0; i < 600; i++) {
            now.put("d" + i, sink.device(gateway, i + 1, "d" + i, Runnable::run));
        }
        sink.facts.clear();
        snapshots.ask(Cause.ASKED);
        for (int i = 0; i < 600; i++) {
            pass(SECOND / 500);
            String id = "d" + (i * 7919 % 700);
            FakeSession there = now.get(id);
            if (i % 3 == 0 && there != null) {
                there.hangUp();
                now.remove(id);
            } else {
                // comes, or is taken over by one on another loop that runs when it likes
                now.put(id, sink.device(gateway, 1_000 + i, id, i % 2 == 0 ? loop::add : Runnable::run));
                if (i % 5 == 0) {
                    drain(loop);
                }
            }
        }
        for (int i = 0; i < 100 && snapshots.progress().ended() == 0; i++) {
            while (!loop.isEmpty()) {
                loop.remove().run();
            }
            pass(SECOND);
        }

        assertEquals(1, snapshots.progress().ended());
        assertEquals(new TreeSet<>(now.keySet()), known());
        assertTrue(!sink.all(TakenOver.class).isEmpty());
        assertTrue(!sink.all(Connected.class).isEmpty());
    }

    /** What a consumer knows that began with the snapshot, by the rule of events.md. */
    private Set<String> known() {
        Map<String, ConnectionEvent> newest = new HashMap<>();
        for (Fact fact : sink.facts) {
            if (fact instanceof ConnectionEvent event) {
                newest.merge(event.identity().deviceId(), event, SnapshotsTest::newer);
            }
        }
        return newest.entrySet().stream()
                .filter(each -> !(each.getValue() instanceof ConnectionEvent.Ended))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static ConnectionEvent newer(ConnectionEvent before, ConnectionEvent next) {
        int byEpoch =
                Long.compareUnsigned(next.identity().epoch(), before.identity().epoch());
        boolean later = byEpoch > 0 || (byEpoch == 0 && next.sequence() >= before.sequence());
        return later ? next : before;
    }
}

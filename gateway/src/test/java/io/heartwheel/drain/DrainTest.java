package io.heartwheel.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whole drains in virtual time. */
class DrainTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long START = 5 * SECOND;

    private final VirtualGateway gateway = new VirtualGateway(START, LivenessSettings.defaults());
    private final DrainCounts counts = new DrainCounts();
    private final List<FakeSession> devices = new ArrayList<>();
    /** When the listeners were closed. */
    private final List<Long> closedNanos = new ArrayList<>();

    private final Random random = Plans.random();
    private IntFunction<String> leastLoaded = count -> "";

    private long nowNanos = START;

    private FakeSession device(String protocol) {
        int number = devices.size();
        FakeSession device = new FakeSession(
                FakeSession.watchedBy(counts, gateway.sessionContext), protocol, "192.0.2.1:40000", Runnable::run);
        devices.add(device.accept(number).hello("device-" + number, ""));
        return device;
    }

    private Drain begin(int framed, int plain, int goawayRate, int admit, double deadlineSeconds) {
        return begin(framed, plain, Plans.order(goawayRate, admit, deadlineSeconds));
    }

    private Drain begin(int framed, int plain, DrainOrder order) {
        for (int i = 0; i < framed + plain; i++) {
            device(i < framed ? "heartwheel" : "plain");
        }
        return drain(DrainPlan.of(Plans.settings(), order, framed + plain, plain));
    }

    private Drain drain(DrainPlan plan) {
        return new Drain(
                gateway.registry,
                plan,
                () -> closedNanos.add(nowNanos),
                counts,
                count -> leastLoaded.apply(count),
                random,
                nowNanos,
                0);
    }

    /** Takes turns until so many seconds after the start, or until it is over. */
    private void turnUntil(Drain drain, double seconds) {
        long untilNanos = START + (long) (seconds * SECOND);
        while (nowNanos - untilNanos < 0 && !drain.isOver()) {
            long next = drain.turn(nowNanos);
            if (next != Drain.OVER) {
                nowNanos = next;
            }
        }
    }

    private long told() {
        return devices.stream().filter(device -> !device.goAways.isEmpty()).count();
    }

    private long closed() {
        return devices.stream()
                .filter(device -> device.state() == ConnectionState.CLOSED)
                .count();
    }

    @Test
    void turn_devicesThatObey_areToldAtTheRateAndGone() {
        Drain drain = begin(1_000, 0, 10_000, 100, 20);
        turnUntil(drain, 2);
        assertEquals(200, told(), 10);
        assertEquals(0, closed());
        for (double second = 2.5; second <= 12; second += 0.5) {
            devices.stream().filter(d -> d.state() == ConnectionState.LEAVING).forEach(FakeSession::hangUp);
            turnUntil(drain, second);
        }
        assertTrue(drain.isOver());
        DrainProgress progress = drain.progress(nowNanos);
        assertEquals(DrainPhase.DRAINED, progress.phase());
        assertEquals(1_000, progress.told());
        assertEquals(1_000, progress.left());
        assertEquals(0, progress.closed());
        assertEquals(0, progress.remaining());
        assertTrue(devices.stream().allMatch(device -> device.goAways.size() == 1));
    }

    @Test
    void turn_toTheLeastLoaded_asksWhereForEachDeviceOnce() {
        for (int i = 0; i < 100; i++) {
            device("heartwheel");
        }
        List<Integer> asked = new ArrayList<>();
        leastLoaded = count -> {
            asked.add(count);
            return asked.size() % 2 == 0 ? "a.example:7070" : "b.example:7070";
        };
        DrainSettings settings = Plans.settings();
        Drain drain = drain(DrainPlan.of(
                new DrainSettings(
                        settings.retryMin(),
                        settings.retryMax(),
                        settings.drain(),
                        settings.goawayRate(),
                        settings.readmitRate(),
                        settings.notice(),
                        DrainSettings.LEAST_LOADED,
                        0),
                Plans.order(5, 50, 10),
                100,
                0));
        turnUntil(drain, 3);
        assertEquals(15, told(), 2);
        turnUntil(drain, 11);
        assertEquals(100, closed());
        assertEquals(100, asked.stream().mapToInt(Integer::intValue).sum());
        assertEquals(
                Set.of("a.example:7070", "b.example:7070"),
                devices.stream()
                        .flatMap(each -> each.goAways.stream())
                        .map(GoAway::alternateHost)
                        .collect(Collectors.toSet()));
    }

    @Test
    void turn_devicesThatStay_areClosedNearTheEndAtAPace() {
        Drain drain = begin(400, 0, 10_000, 200, 20);
        turnUntil(drain, 17.9);
        assertEquals(400, told());
        assertEquals(0, closed());
        assertEquals(DrainPhase.WAITING, drain.progress(nowNanos).phase());
        turnUntil(drain, 19);
        assertEquals(200, closed(), 10);
        assertEquals(DrainPhase.CLOSING, drain.progress(nowNanos).phase());
        turnUntil(drain, 20.1);
        assertEquals(400, closed());
        assertTrue(drain.isOver());
        assertEquals(400, drain.progress(nowNanos).closed());
        assertTrue(devices.stream()
                .allMatch(d -> d.closeFrames.get(0).reason() == CloseReason.SHUTDOWN && d.goAways.size() == 1));
    }

    @Test
    void turn_plainPeers_areClosedAtTheirTurnAndNotAtTheEnd() {
        Drain drain = begin(500, 500, 10_000, 100, 30);
        turnUntil(drain, 5);
        long plainClosed = devices.stream()
                .filter(device -> device.protocolName().equals("plain") && device.state() == ConnectionState.CLOSED)
                .count();
        assertEquals(plainClosed, closed());
        assertEquals(250, plainClosed, 60);
        turnUntil(drain, 11);
        assertEquals(500, closed());
        assertEquals(500, told());
    }

    @Test
    void turn_goawayRateTooLow_theRestIsToldWithItsClose() {
        Drain drain = begin(1_000, 0, 50, 10_000, 10);
        turnUntil(drain, 11);
        assertTrue(drain.isOver());
        assertEquals(1_000, told());
        assertEquals(1_000, closed());
    }

    @Test
    void turn_noTime_tellsAndClosesAtOnce() {
        Drain drain = begin(100, 20, 10_000, 10, 0);
        turnUntil(drain, 0.1);
        assertTrue(drain.isOver());
        assertEquals(120, closed());
        assertEquals(100, told());
    }

    @Test
    void turn_nobody_isOver() {
        Drain drain = begin(0, 0, 10_000, 1_000, 60);

        assertEquals(Drain.OVER, drain.turn(nowNanos));
        assertEquals(DrainPhase.DRAINED, drain.progress(nowNanos).phase());
    }

    @Test
    void turn_helloAfterItBegan_isToldToo() {
        Drain drain = begin(10, 0, 10_000, 1_000, 60);
        turnUntil(drain, 2);
        FakeSession late = device("heartwheel");
        turnUntil(drain, 3);
        assertEquals(1, late.goAways.size());
        assertEquals(11, drain.progress(nowNanos).devices());
    }

    @Test
    void turn_notice_takesNewcomersAndTellsNobodyBeforeItsEnd() {
        Drain drain = begin(10, 0, Plans.order(10_000, 1_000, 20, 15));
        devices.get(0).hangUp();
        turnUntil(drain, 14.9);
        for (int i = 0; i < 90; i++) {
            device("heartwheel");
        }
        assertTrue(drain.isListening());
        assertEquals(List.of(), closedNanos);
        assertEquals(0, told());
        DrainProgress before = drain.progress(START + 14 * SECOND);
        assertEquals(
                "notice: newcomers are taken for 1.0 s more, 99 devices are here; 21.0 s more at the latest",
                DrainText.of(before));
        assertEquals(0, before.left());

        turnUntil(drain, 16);
        assertEquals(List.of(START + 15 * SECOND), closedNanos);
        assertFalse(drain.isListening());
        assertEquals(99, told());
        DrainProgress after = drain.progress(nowNanos);
        assertEquals(99, after.plan().devices());
        assertEquals(99, after.devices());
        turnUntil(drain, 34.9);
        assertEquals(0, closed() - 1);
        turnUntil(drain, 35.1);
        assertTrue(drain.isOver());
        assertEquals(99, drain.progress(nowNanos).closed());
    }

    @Test
    void turn_noticeWithoutDevices_isKept() {
        Drain drain = begin(0, 0, Plans.order(10_000, 1_000, 20, 15));
        turnUntil(drain, 14);
        assertEquals(DrainPhase.NOTICE, drain.progress(nowNanos).phase());
        turnUntil(drain, 15.1);
        assertEquals(List.of(START + 15 * SECOND), closedNanos);
        assertTrue(drain.isOver());
    }

    // ------------------------------------------------------------------ of a share

    private static DrainOrder share(double part, long most) {
        return new DrainOrder(10_000, 100, Duration.ofSeconds(20), new DrainOrder.Share(part, most));
    }

    private Drain beginShare(int framed, int plain, DrainOrder order) {
        for (int i = 0; i < framed + plain; i++) {
            device(i < framed ? "heartwheel" : "plain");
        }
        return drain(Drain.forecast(gateway.registry, Plans.settings(), order));
    }

    private long gone() {
        return devices.stream()
                .filter(device -> !device.goAways.isEmpty() || device.state() == ConnectionState.CLOSED)
                .count();
    }

    @Test
    void turn_share_sendsAwayExactlySoManyAtTheRateAndTakesNewcomers() {
        Drain drain = beginShare(900, 100, share(0.3, 1_000));
        turnUntil(drain, 2);
        assertEquals(200, gone(), 10);
        devices.get(0).hangUp();
        gateway.moveTo(nowNanos);
        FakeSession newcomer = device("heartwheel");
        for (double second = 2.5; second <= 12; second += 0.5) {
            devices.stream()
                    .filter(each -> each.state() == ConnectionState.LEAVING)
                    .forEach(FakeSession::hangUp);
            turnUntil(drain, second);
        }
        assertTrue(drain.isOver());
        assertTrue(drain.isListening());
        assertEquals(List.of(), closedNanos);
        assertEquals(ConnectionState.ESTABLISHED, newcomer.state());
        DrainProgress progress = drain.progress(nowNanos);
        assertEquals(300, progress.devices());
        // The one that hung up may have been among those not passed.
        assertEquals(300, progress.left() + progress.closed(), 1, progress::toString);
        assertEquals(progress.told(), progress.left(), 1);
        assertEquals(30, progress.closed(), 30);
        assertEquals(0, progress.remaining());
        assertTrue(DrainText.of(progress).startsWith("a share: drained in "), DrainText.of(progress));
        assertTrue(DrainText.of(progress).endsWith("0 remain"), DrainText.of(progress));
    }

    /** Not the first in the registry, not the oldest, and not the same again. */
    @Test
    void turn_shares_areDrawnAtRandom() {
        Drain first = beginShare(1_000, 0, share(1, 500));
        turnUntil(first, 6);
        Set<FakeSession> firstDrawn =
                devices.stream().filter(each -> !each.goAways.isEmpty()).collect(Collectors.toSet());
        assertEquals(500, firstDrawn.size());
        assertEquals(
                250,
                devices.subList(0, 500).stream().filter(firstDrawn::contains).count(),
                80);
        first.cancel(nowNanos);
        Drain second = drain(Drain.forecast(gateway.registry, Plans.settings(), share(0.5, 1_000)));
        turnUntil(second, 12);
        assertEquals(500, second.progress(nowNanos).told());
        assertEquals(
                250,
                firstDrawn.stream().filter(each -> each.goAways.size() == 2).count(),
                80);
    }

    @Test
    void turn_shareThatStays_isClosedNearTheEndAndNobodyElse() {
        Drain drain = beginShare(400, 0, share(1, 100));
        turnUntil(drain, 18);
        assertEquals(100, told());
        assertEquals(0, closed());
        assertEquals(100, drain.progress(nowNanos).remaining());
        turnUntil(drain, 21);
        assertTrue(drain.isOver());
        assertEquals(100, closed());
        devices.stream().filter(each -> each.state() == ConnectionState.CLOSED).forEach(each -> {
            assertEquals(1, each.goAways.size());
            assertEquals("", each.goAways.get(0).alternateHost());
            assertEquals(CloseReason.SHUTDOWN, each.closeFrames.get(0).reason());
            assertEquals(
                    "the gateway sends some of its devices to the others",
                    each.closeFrames.get(0).text());
        });
    }

    @Test
    void turn_shareThatComesBackHere_mayStay() {
        Drain drain = beginShare(300, 0, share(0.5, 1_000));
        while (!drain.isOver()) {
            turnUntil(drain, (nowNanos - START) / 1e9 + 0.1);
            for (FakeSession each : List.copyOf(devices)) {
                if (each.state() == ConnectionState.LEAVING) {
                    String id = each.deviceId();
                    each.hangUp();
                    devices.add(new FakeSession(FakeSession.watchedBy(counts, gateway.sessionContext))
                            .accept(devices.size())
                            .hello(id, ""));
                }
            }
        }
        assertEquals(150, drain.progress(nowNanos).told());
        assertEquals(150, drain.progress(nowNanos).left());
        assertEquals(300, gateway.registry.size());
    }

    @Test
    void cancel_share_letsTheToldStay() {
        Drain drain = beginShare(300, 0, share(0.5, 1_000));
        turnUntil(drain, 1);
        drain.cancel(nowNanos);
        assertEquals(DrainPhase.CANCELLED, drain.progress(nowNanos).phase());
        assertTrue(devices.stream().allMatch(device -> device.state() == ConnectionState.ESTABLISHED));
    }

    // ------------------------------------------------------------------ its edges

    @Test
    void turn_loopsThatDoNothing_endsAllTheSame() {
        Drain drain = begin(0, 0, 10_000, 1_000, 1);
        FakeSession stuck = new FakeSession(gateway.sessionContext, "heartwheel", "192.0.2.1:40000", task -> {});
        gateway.registry.claim(stuck, 0, new NobodyAnswers());
        turnUntil(drain, 20);
        assertTrue(drain.isOver());
        assertEquals(1, drain.progress(nowNanos).remaining());
    }

    private static final class NobodyAnswers
            implements io.heartwheel.session.Directory.Claimant<io.heartwheel.session.Session> {
        @Override
        public void granted(long epoch, io.heartwheel.session.Session predecessor) {}

        @Override
        public void refused(CloseReason reason) {}

        @Override
        public void later(
                io.heartwheel.session.Directory.Wait wait, long lastEpoch, io.heartwheel.session.Session holder) {}
    }

    @Test
    void cancel_midway_letsTheToldStayAndTheNextDrainTellThemAgain() {
        Drain drain = begin(100, 0, 10_000, 10, 100);
        turnUntil(drain, 5);
        long before = told();
        drain.cancel(nowNanos);
        assertEquals(Drain.OVER, drain.turn(nowNanos));
        assertEquals(DrainPhase.CANCELLED, drain.progress(nowNanos).phase());
        assertTrue(devices.stream().allMatch(device -> device.state() == ConnectionState.ESTABLISHED));
        assertEquals(before, told());

        DrainPlan again = DrainPlan.of(Plans.settings(), Plans.order(10_000, 10_000, 10), 100, 0);
        Drain second = drain(again);
        turnUntil(second, 6);
        assertEquals(100, second.progress(nowNanos).told());
    }

    @Test
    void cancel_afterIt_countsNobodyElse() {
        Drain drain = begin(1, 0, 10_000, 10, 100);
        drain.cancel(nowNanos);
        devices.get(0).hangUp();

        assertEquals(0, drain.progress(nowNanos).left());
    }

    @Test
    void closeLate_someoneWhoCameIn_isClosed() {
        Drain drain = begin(0, 0, 10_000, 10, 100);
        drain.turn(nowNanos);
        FakeSession late = device("heartwheel");
        assertFalse(late.state() == ConnectionState.CLOSED);
        drain.closeLate();
        assertEquals(ConnectionState.CLOSED, late.state());
        assertEquals(1, late.goAways.size());
    }
}

package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Expiries on their way from the wheel to the loop: one task for many, two looks for what seems dead, nothing lost. */
class ExpiryQueueTest {
    private static final Duration DEAD = Duration.ofSeconds(95);

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Queue<Runnable> afterReads = new ArrayDeque<>();
    private boolean ended;
    private int reprieves;
    private final List<Integer> judged = new ArrayList<>();
    private long clockStepNanos;
    private long readNanos;

    private final ExpiryQueue expiryQueue = expiryQueue(gateway.breaker);

    private ExpiryQueue expiryQueue(Breaker breaker) {
        return new ExpiryQueue(
                new LoopTasks() {
                    @Override
                    public void execute(Runnable task) {
                        if (ended) {
                            throw new RejectedExecutionException();
                        }
                        tasks.add(task);
                    }

                    @Override
                    public void executeAfterReads(Runnable task) {
                        afterReads.add(task);
                    }

                    @Override
                    public void executeIn(Runnable task, long nanos) {
                        throw new AssertionError("nobody probes it");
                    }
                },
                this::clock,
                new SessionObserver() {
                    @Override
                    public void reprieved() {
                        reprieves++;
                    }

                    @Override
                    public void judged(int loop, int lookedAt, long tookNanos) {
                        judged.add(lookedAt);
                    }
                },
                gateway.sessionContext.stalls(),
                breaker);
    }

    /** Every reading takes time, where a test wants it so. */
    private long clock() {
        readNanos += clockStepNanos;
        return gateway.now() + readNanos;
    }

    private void propose(Session session) {
        expiryQueue.propose(session, gateway.now());
    }

    private FakeSession device(String id) {
        return new FakeSession(gateway.sessionContext).accept(1).hello(id, "");
    }

    private static long open(List<FakeSession> devices) {
        return devices.stream().filter(Session::isEstablished).count();
    }

    private static void run(Queue<Runnable> queue) {
        List.copyOf(queue).forEach(task -> {
            queue.remove();
            task.run();
        });
    }

    /** Silent past the interval and asked already, so that the next look closes. */
    private List<FakeSession> dead(int count) {
        List<FakeSession> devices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            devices.add(device("d" + i));
        }
        gateway.stall(Duration.ofSeconds(68));
        devices.forEach(each -> ((MonitoredConnection) each).enforce(gateway.now()));
        gateway.stall(DEAD);
        return devices;
    }

    @Test
    void propose_manySessions_isOneTask() {
        List<FakeSession> devices = dead(99);
        devices.forEach(this::propose);
        assertEquals(1, tasks.size());
        run(tasks);
        assertEquals(1, afterReads.size());
        assertTrue(devices.stream().allMatch(Session::isEstablished), "one look is not enough to close");
        run(afterReads);
        assertTrue(devices.stream().noneMatch(Session::isEstablished));
        devices.forEach(each -> assertEquals(
                CloseReason.HEARTBEAT_TIMEOUT, each.closeFrames.get(0).reason()));
        assertEquals(0, reprieves);
    }

    @Test
    void propose_ofWhoHasNothingUnread_isDecidedAtTheFirstLook() {
        List<FakeSession> devices = dead(99);
        devices.subList(0, 98).forEach(device -> device.surelyRead = true);
        devices.forEach(this::propose);
        run(tasks);
        assertEquals(99, open(devices), "gathered with who has to be looked at again");
        gateway.pass(Duration.ofMillis(1));
        run(afterReads);
        assertEquals(0, open(devices));

        List<FakeSession> alone = dead(9);
        alone.forEach(device -> device.surelyRead = true);
        alone.forEach(this::propose);
        run(tasks);
        assertEquals(0, open(alone));
        assertEquals(0, afterReads.size());
    }

    /** Thousands of sockets are ready, and the queue of tasks is not reached for long. */
    @Test
    void propose_ofWhoHasNothingUnreadWhereNobodyWeighs_closesWithoutWaitingForOthers() {
        VirtualGateway unguarded = new VirtualGateway(
                0, LivenessSettings.defaults(), gateway.sessionContext.auth(), BreakerSettings.OFF, null);
        ExpiryQueue unweighed = expiryQueue(unguarded.breaker);
        List<FakeSession> devices = dead(9);
        devices.subList(0, 8).forEach(device -> device.surelyRead = true);
        devices.forEach(each -> unweighed.propose(each, gateway.now()));
        run(tasks);
        assertEquals(1, open(devices), "who may have said something is read first");
        run(afterReads);
        assertEquals(0, open(devices));
    }

    @Test
    void betweenReads_ofALoopThatIsBehind_decidesWhatIsDue() {
        List<FakeSession> devices = dead(99);
        devices.forEach(device -> device.surelyRead = true);
        devices.get(0).surelyRead = false;
        expiryQueue.betweenReads();
        devices.forEach(this::propose);
        gateway.pass(Duration.ofMillis(11));
        expiryQueue.betweenReads();
        gateway.pass(Duration.ofMillis(25));
        assertEquals(99, open(devices), "one may have said something, the others wait for it as long as they may");
        devices.get(0).beat();
        run(tasks);
        assertEquals(1, open(devices));
        run(afterReads);
        assertEquals(1, open(devices));
    }

    /** However many are due, what is ready is read between two slices of them. */
    @Test
    void betweenReads_soonAfterASlice_waits() {
        List<FakeSession> devices = dead(99);
        devices.forEach(device -> device.surelyRead = true);
        propose(devices.get(0));
        run(tasks);
        propose(devices.get(1));
        expiryQueue.betweenReads();
        assertTrue(devices.get(1).isEstablished(), "the slice before ended just now");
        gateway.pass(Duration.ofMillis(10));
        expiryQueue.betweenReads();
        assertFalse(devices.get(1).isEstablished());
    }

    @Test
    void judged_wholeBatch_isToldOnceWhenNothingIsLeft() {
        dead(99).forEach(this::propose);
        run(tasks);
        assertEquals(List.of(), judged);
        run(afterReads);
        assertEquals(List.of(99), judged);
    }

    @Test
    void propose_whileALookIsOnItsWay_whoIsNotReadIsReadBeforeItsOwn() {
        List<FakeSession> devices = dead(2);
        FakeSession slow = devices.get(1);
        Queue<Runnable> socket = new ArrayDeque<>();
        slow.pauseReading(true, gateway.now());
        slow.unread = () -> socket.add(slow::beat);
        propose(devices.get(0));
        run(tasks);
        // all that was ready is read, and the wheel proposes another before the look comes
        propose(slow);
        run(tasks);
        run(afterReads);
        assertTrue(slow.isEstablished(), "its socket has not been read");
        run(socket);
        run(afterReads);
        assertTrue(slow.isEstablished());
        assertFalse(devices.get(0).isEstablished());
        assertEquals(1, reprieves);
    }

    @Test
    void secondLook_atOneThatIsNotReadAnyMore_isPutOffUntilItIsReadOnce() {
        FakeSession slow = dead(1).get(0);
        slow.pending = 100;
        slow.flushed(gateway.now());
        slow.pauseReading(true, gateway.now());
        ((MonitoredConnection) slow).listen();
        slow.pauseReading(false, gateway.now());
        propose(slow);
        run(tasks);
        slow.pauseReading(true, gateway.now());
        slow.unread = slow::beat;
        run(afterReads);
        assertTrue(slow.isEstablished(), "its socket has not been read since");
        run(afterReads);
        assertTrue(slow.isEstablished());
        assertEquals(1, reprieves);
    }

    /** It drained in the same turn of the loop, before its socket was read. */
    @Test
    void propose_ofWhoIsReadAgain_isReadBeforeItIsAsked() {
        FakeSession slow = device("slow");
        slow.pauseReading(true, gateway.now());
        gateway.stall(Duration.ofSeconds(68));
        slow.pauseReading(false, gateway.now());
        propose(slow);
        run(tasks);
        assertFalse(slow.frames.contains("PING"), "what it said may lie unread");
        slow.beat();
        run(afterReads);
        assertFalse(slow.frames.contains("PING"));
    }

    /** The loop stood still between its reads and the look, for longer than the peer may be silent. */
    @Test
    void secondLook_atOneThatIsToBeAskedOnlySinceItWasReadOnce_isPutOffUntilItIsReadAgain() {
        FakeSession slow = device("slow");
        slow.pauseReading(true, gateway.now());
        gateway.stall(Duration.ofSeconds(68));
        slow.unread = slow::beat;
        propose(slow);
        run(tasks);
        gateway.stall(Duration.ofSeconds(68));
        slow.unread = slow::beat;
        run(afterReads);
        run(afterReads);
        assertFalse(slow.frames.contains("PING"), "what it said lay unread");
    }

    /** It was found dead for not draining, and drains while its batch gathers. */
    @Test
    void closeNext_ofOneThatDrainsAgainAndIsSilent_isReadBeforeItIsAsked() {
        FakeSession slow = device("slow");
        slow.pending = 100;
        slow.flushed(gateway.now());
        slow.pauseReading(true, gateway.now());
        passSeconds(95);
        FakeSession other = device("other");
        propose(slow);
        run(tasks);
        propose(other);
        run(afterReads);
        slow.pending = 0;
        slow.unread = slow::beat;
        run(tasks);
        run(afterReads);
        assertFalse(slow.frames.contains("PING"), "what it said lay unread");
        assertTrue(slow.isEstablished());
    }

    @Test
    void propose_suspectOfNotDrainingThatDrainsAgain_isReadBeforeItsSilenceCloses() {
        FakeSession slow = dead(1).get(0);
        slow.pending = 100;
        slow.flushed(gateway.now());
        slow.pauseReading(true, gateway.now());
        ((MonitoredConnection) slow).holdBack(Verdict.CLOSE_WRITE_STALLED, gateway.now());
        slow.unread = slow::beat;
        propose(slow);
        run(tasks);
        assertTrue(slow.isEstablished(), "what it said was not read");
        run(afterReads);
        assertTrue(slow.isEstablished());
        assertFalse(slow.isSuspect());
        assertEquals(1, reprieves);
    }

    @Test
    void propose_dueOnlyAfterTheReadsBeforeALook_isReadOnceMore() {
        FakeSession early = device("early");
        passSeconds(10);
        FakeSession late = device("late");
        passSeconds(68);
        List.of(early, late).forEach(each -> ((MonitoredConnection) each).enforce(gateway.now()));
        passSeconds(17);
        propose(early);
        run(tasks);
        // 90 s after it came, between the reads and the look
        passSeconds(6);
        propose(late);
        run(tasks);
        run(afterReads);
        assertTrue(late.isEstablished(), "what came before its deadline may lie unread");
        run(afterReads);
        assertFalse(early.isEstablished());
        assertFalse(late.isEstablished());
    }

    @Test
    void propose_dueToLeave_isNotClosedForASilenceThatTheReadsBeforeTheLookMayHaveEnded() {
        FakeSession device = device("leaves");
        passSeconds(68);
        ((MonitoredConnection) device).enforce(gateway.now());
        passSeconds(17);
        device.sendAway(CloseReason.MAX_AGE, GoAway.AT_ONCE, gateway.now());
        propose(device);
        run(tasks);
        // 90 s after it came, between the reads and the look
        passSeconds(6);
        run(afterReads);
        assertTrue(device.isEstablished(), "what came before its deadline may lie unread");
        device.beat();
        run(afterReads);
        assertEquals(CloseReason.MAX_AGE, device.closeFrames.get(0).reason());
    }

    /** The loop turns all the while. */
    private void passSeconds(int seconds) {
        for (int tenth = 0; tenth < 10 * seconds; tenth++) {
            gateway.stall(Duration.ofMillis(100));
            gateway.sessionContext.stalls().turned(gateway.now());
        }
    }

    @Test
    void propose_toALoopThatHasEnded_isSwallowed() {
        List<FakeSession> devices = dead(2);
        ended = true;
        devices.forEach(this::propose);
        assertTrue(tasks.isEmpty());
    }

    @Test
    void looks_atMoreThanASliceTakes_letTheSocketsBeReadInBetween() {
        List<FakeSession> devices = dead(90);
        clockStepNanos = ExpiryQueue.SLICE_NANOS / 10;
        devices.forEach(this::propose);
        int rounds = 0;
        long openBefore = 90;
        while (!tasks.isEmpty() || !afterReads.isEmpty()) {
            run(tasks);
            run(afterReads);
            long open = devices.stream().filter(Session::isEstablished).count();
            // what one round of the loop may run: the end of one slice and another
            assertTrue(openBefore - open <= 2 * 12, (openBefore - open) + " closed in one round");
            openBefore = open;
            rounds++;
        }
        assertEquals(0, openBefore);
        assertTrue(rounds >= 90 / (2 * 12), rounds + " rounds");
        assertEquals(0, expiryQueue.overdueNanos(gateway.now()));
    }

    @Test
    void overdueNanos_whileOneWaits_growsWithTheTime() {
        FakeSession device = dead(1).get(0);
        assertEquals(0, expiryQueue.overdueNanos(gateway.now()));
        propose(device);
        gateway.stall(Duration.ofSeconds(2));
        assertEquals(2_000_000_000L, expiryQueue.overdueNanos(gateway.now()));
        run(tasks);
        run(afterReads);
        assertEquals(0, expiryQueue.overdueNanos(gateway.now()));
    }
}

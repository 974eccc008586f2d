package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.drain.DrainControl;
import io.heartwheel.drain.DrainCounts;
import io.heartwheel.drain.DrainOrder;
import io.heartwheel.drain.DrainPhase;
import io.heartwheel.drain.DrainPlan;
import io.heartwheel.drain.DrainProgress;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.drain.DrainText;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Drains as they are asked for, with a thread of their own and listeners that the test opens and shuts. */
class DrainerTest {
    private static final long LONG_SECONDS = 20;
    private static final DrainSettings SETTINGS = settings(Duration.ofMinutes(5));

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final DrainCounts counts = new DrainCounts();
    private final FakeListeners listeners = new FakeListeners();
    private final List<Duration> endings = new CopyOnWriteArrayList<>();
    private final Semaphore ends = new Semaphore(0);
    private final Semaphore ran = new Semaphore(0);
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private Consumer<String> status = told::add;
    private Consumer<Duration> ending = endings::add;
    private List<NodeStatus> others = List.of();
    private final Drainer drainer = new Drainer(
            gateway.registry,
            SETTINGS,
            new OtherGateways(() -> others),
            counts,
            listeners,
            atMost -> ending.accept(atMost),
            ends::release,
            text -> status.accept(text));

    /** Listeners that open and shut when the test lets them. */
    private static final class FakeListeners implements Drainer.ListenerControl {
        final Semaphore shuts = new Semaphore(0);
        final Semaphore opens = new Semaphore(0);
        volatile CountDownLatch mayShut = new CountDownLatch(0);
        volatile CountDownLatch mayOpen = new CountDownLatch(0);
        volatile Runnable shutting = () -> {};
        volatile IOException stuck;

        @Override
        public void shut() {
            shuts.release();
            await(mayShut);
            shutting.run();
        }

        @Override
        public void open() throws IOException {
            opens.release();
            await(mayOpen);
            IOException why = stuck;
            if (why != null) {
                throw why;
            }
        }
    }

    private static DrainSettings settings(Duration drain) {
        return new DrainSettings(
                Duration.ofSeconds(1), Duration.ofSeconds(30), drain, 10_000, 1_000, Duration.ZERO, "", 0);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(LONG_SECONDS, TimeUnit.SECONDS), "nobody opened the latch");
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static void await(Semaphore happened) throws InterruptedException {
        assertTrue(happened.tryAcquire(LONG_SECONDS, TimeUnit.SECONDS), "it did not happen");
    }

    private static DrainProgress get(CompletionStage<DrainProgress> asked) throws Exception {
        return asked.toCompletableFuture().get(LONG_SECONDS, TimeUnit.SECONDS);
    }

    private static Throwable failure(CompletionStage<DrainProgress> asked) {
        return assertThrows(ExecutionException.class, () -> get(asked)).getCause();
    }

    private FakeSession device(String id, Executor loop) {
        FakeSession device = new FakeSession(
                FakeSession.watchedBy(counts, gateway.sessionContext), "heartwheel", "192.0.2.1:40000", loop);
        return device.accept(id.hashCode()).hello(id, "");
    }

    private void loop(Runnable task) {
        task.run();
        ran.release();
    }

    private DrainProgress startStaying() {
        return drainer.start(SETTINGS.order(true));
    }

    /** Until one of these is told. */
    private void awaitGoAway(FakeSession... devices) throws InterruptedException {
        while (Stream.of(devices).allMatch(device -> device.goAways.isEmpty())) {
            await(ran);
        }
    }

    private void awaitTold(String beginning) throws InterruptedException {
        String text;
        do {
            text = told.poll(LONG_SECONDS, TimeUnit.SECONDS);
            assertTrue(text != null, () -> "nothing was told of " + beginning);
        } while (!text.startsWith(beginning));
    }

    @AfterEach
    void end() throws Exception {
        listeners.mayShut.countDown();
        listeners.mayOpen.countDown();
        gateway.registry.forEach(session -> ((FakeSession) session).hangUp());
        if (endings.isEmpty()) {
            drainer.shutDown();
            await(ends);
        }
    }

    // ------------------------------------------------------------------ one after the other

    @Test
    void forecast_withoutSessions_isOfNobody() {
        DrainPlan plan = drainer.forecast(SETTINGS.order(false));
        assertEquals(0, plan.devices());
        assertEquals(0, plan.lastBackNanos());
        assertTrue(plan.isWithinAdmission());
        assertFalse(drainer.isDraining());
        assertSame(DrainProgress.NONE, drainer.progress());
    }

    @Test
    void start_withoutSessions_isDrainedAndStays() throws Exception {
        startStaying();
        awaitTold("drained");
        assertEquals(DrainPhase.DRAINED, drainer.progress().phase());
        assertTrue(drainer.isDraining());
        assertEquals(List.of(), endings);
        assertEquals(0, ends.availablePermits());
    }

    @Test
    void start_whileThereIsOne_isAConflict() {
        device("one", this::loop);
        DrainProgress first = startStaying();
        assertEquals(1, first.devices());
        assertThrows(DrainControl.Conflict.class, this::startStaying);
        assertThrows(DrainControl.Conflict.class, () -> drainer.start(SETTINGS.order(false)));
        assertTrue(drainer.progress().stay());
        assertEquals(List.of(), endings);
    }

    @Test
    void start_ofOneThatDoesNotStay_endsTheProcessOnce() throws Exception {
        FakeSession device = device("one", this::loop);
        drainer.start(SETTINGS.order(false));
        assertThrows(DrainControl.Conflict.class, drainer::cancel);
        drainer.shutDown();
        awaitTold("telling");
        assertTrue(drainer.isShutForGood());
        device.hangUp();
        await(ends);
        assertEquals(List.of(SETTINGS.order(false).whole()), endings);
        assertEquals(0, ends.availablePermits());
    }

    @Test
    void shutDown_rateLeftToTheFleet_goesByWhatTheOthersSay() throws Exception {
        FakeSession device = device("one", this::loop);
        others = List.of(OtherGatewaysTest.word("b", 1, 40), OtherGatewaysTest.word("c", 1, 2));
        drainer.reconfigure(OtherGatewaysTest.settings(DrainSettings.BY_FLEET, ""));
        drainer.shutDown();
        awaitTold("telling");
        DrainPlan plan = drainer.progress().plan();
        assertEquals(42, plan == null ? 0 : plan.order().admitPerSecond());
        assertTrue(DrainText.of(plan).endsWith("within the 42/s that 2 other gateways announce"), DrainText.of(plan));
        device.hangUp();
        await(ends);
    }

    @Test
    void reconfigure_meanwhile_isForTheNext() throws Exception {
        DrainSettings fresh = settings(Duration.ofHours(1));
        device("one", this::loop);
        startStaying();
        drainer.reconfigure(fresh);
        assertEquals(fresh, drainer.settings());
        assertEquals(SETTINGS, drainer.progress().plan().settings());
        get(drainer.cancel());
        assertEquals(fresh, drainer.start(fresh.order(true)).plan().settings());
    }

    @Test
    void shutDown_ofOneThatWouldStay_endsTheProcessOnce() throws Exception {
        startStaying();
        awaitTold("drained");
        assertFalse(drainer.isShutForGood(), "it may be taken back");
        drainer.shutDown();
        assertTrue(drainer.isShutForGood());
        drainer.shutDown();
        await(ends);
        assertEquals(1, endings.size());
        assertEquals(1, listeners.shuts.drainPermits());
    }

    /** Devices' event loops ask, for the checks of balancers. */
    @Test
    void isDraining_whileADrainBegins_waitsForNobody() throws Exception {
        CountDownLatch begins = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        ending = atMost -> {
            endings.add(atMost);
            begins.countDown();
            await(mayGoOn);
        };
        CompletableFuture<Void> asked = CompletableFuture.runAsync(() -> drainer.start(SETTINGS.order(false)));
        await(begins);
        CompletableFuture<Boolean> seen = CompletableFuture.supplyAsync(() -> {
            drainer.progress();
            return drainer.isDraining();
        });
        try {
            assertTrue(seen.get(LONG_SECONDS, TimeUnit.SECONDS));
        } finally {
            mayGoOn.countDown();
        }
        asked.get(LONG_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void shutDown_ofOneThatWouldStay_tellsTheTimeThatIsLeftOfIt() throws Exception {
        FakeSession device = device("one", this::loop);
        drainer.start(new DrainOrder(10_000, 1_000, Duration.ofHours(1), true, Duration.ZERO));
        drainer.shutDown();
        device.hangUp();
        await(ends);
        assertEquals(1, endings.size());
        assertTrue(endings.get(0).compareTo(Duration.ofMinutes(30)) > 0, endings::toString);
    }

    @Test
    void shutDown_ofOneThatIsOver_tellsThatNoTimeIsLeft() throws Exception {
        startStaying();
        awaitTold("drained");
        drainer.shutDown();
        await(ends);
        assertEquals(List.of(Duration.ZERO), endings);
    }

    // ------------------------------------------------------------------ taken back

    @Test
    void cancel_withoutADrain_isAConflict() throws Exception {
        assertThrows(DrainControl.Conflict.class, drainer::cancel);
        startStaying();
        get(drainer.cancel());
        assertThrows(DrainControl.Conflict.class, drainer::cancel);
    }

    @Test
    void cancel_whileDevicesAreTold_letsThemStay() throws Exception {
        FakeSession device = device("one", this::loop);
        startStaying();
        awaitGoAway(device);
        DrainProgress progress = get(drainer.cancel());
        assertEquals(DrainPhase.CANCELLED, progress.phase());
        assertEquals(1, progress.told());
        assertEquals(progress, drainer.progress());
        assertEquals(ConnectionState.ESTABLISHED, device.state());
        assertFalse(drainer.isDraining());
        assertEquals(1, listeners.opens.drainPermits());
    }

    @Test
    void cancel_againWhileTheListenersOpen_isAnsweredAndForgotten() throws Exception {
        listeners.mayOpen = new CountDownLatch(1);
        startStaying();
        CompletionStage<DrainProgress> first = drainer.cancel();
        await(listeners.opens);
        CompletionStage<DrainProgress> second = drainer.cancel();
        listeners.mayOpen.countDown();
        assertEquals(get(first), get(second));
        assertFalse(drainer.isDraining());

        // the next drain is not taken back by it
        FakeSession device = device("one", this::loop);
        startStaying();
        awaitGoAway(device);
        assertEquals(0, listeners.opens.drainPermits());
    }

    @Test
    void cancel_withListenersThatDoNotOpen_failsAndTheDrainGoesOn() throws Exception {
        FakeSession device = device("one", this::loop);
        listeners.stuck = new IOException("the address is taken");
        startStaying();
        assertSame(listeners.stuck, failure(drainer.cancel()));
        assertTrue(drainer.isDraining());
        device.hangUp();
        awaitTold("drained");
        listeners.stuck = null;
        assertEquals(DrainPhase.CANCELLED, get(drainer.cancel()).phase());
    }

    @Test
    void cancel_thenShutDown_isRefusedAtOnce() throws Exception {
        listeners.mayShut = new CountDownLatch(1);
        startStaying();
        await(listeners.shuts);
        CompletableFuture<DrainProgress> asked = drainer.cancel().toCompletableFuture();
        drainer.shutDown();
        assertTrue(asked.isDone());
        assertInstanceOf(DrainControl.Conflict.class, failure(asked));
        assertThrows(DrainControl.Conflict.class, drainer::cancel);
        listeners.mayShut.countDown();
        await(ends);
        assertEquals(0, listeners.opens.drainPermits());
    }

    /** Devices that came in through the open listeners are drained like all others. */
    @Test
    void shutDown_whileTheListenersOpen_endsTheProcessAllTheSame() throws Exception {
        listeners.mayOpen = new CountDownLatch(1);
        startStaying();
        CompletionStage<DrainProgress> asked = drainer.cancel();
        await(listeners.opens);
        drainer.shutDown();
        assertThrows(DrainControl.Conflict.class, drainer::cancel);
        listeners.mayOpen.countDown();
        assertEquals(DrainPhase.CANCELLED, get(asked).phase());
        assertTrue(drainer.isDraining());
        await(ends);
        assertEquals(1, endings.size());
        assertEquals(2, listeners.shuts.drainPermits());
    }

    // ------------------------------------------------------------------ with a notice

    @Test
    void cancel_inTheNotice_leavesTheListenersAsTheyAre() throws Exception {
        FakeSession device = device("one", this::loop);
        drainer.start(withNotice(Duration.ofHours(1)));
        awaitTold("notice");
        assertTrue(drainer.isDraining());
        assertEquals(DrainPhase.CANCELLED, get(drainer.cancel()).phase());
        assertFalse(drainer.isDraining());
        assertEquals(0, listeners.shuts.drainPermits() + listeners.opens.drainPermits());
        assertEquals(List.of(), device.goAways);
    }

    @Test
    void shutDown_inTheNoticeOfOneThatWouldStay_endsTheProcessAfterIt() throws Exception {
        drainer.start(withNotice(Duration.ofMillis(300)));
        drainer.shutDown();
        assertThrows(DrainControl.Conflict.class, drainer::cancel);
        await(ends);
        assertEquals(1, listeners.shuts.drainPermits());
        assertEquals(1, endings.size());
    }

    private static DrainOrder withNotice(Duration notice) {
        return new DrainOrder(10_000, 1_000, Duration.ofMinutes(5), true, notice);
    }

    // ------------------------------------------------------------------ of a share

    private DrainProgress startShare() {
        return drainer.start(new DrainOrder(10_000, 1_000, Duration.ofMinutes(5), new DrainOrder.Share(0.5, 100)));
    }

    /** Until one of them is told. */
    private List<FakeSession> startShareOfTwo() throws InterruptedException {
        FakeSession one = device("one", this::loop);
        FakeSession two = device("two", this::loop);
        startShare();
        awaitGoAway(one, two);
        return List.of(one, two);
    }

    @Test
    void start_share_keepsTheGatewayReadyAndIsForgottenWhenItIsOver() throws Exception {
        FakeSession one = device("one", this::loop);
        FakeSession two = device("two", this::loop);
        assertEquals(1, startShare().devices());
        assertFalse(drainer.isDraining());
        assertThrows(DrainControl.Conflict.class, this::startShare);
        assertThrows(DrainControl.Conflict.class, this::startStaying);
        awaitGoAway(one, two);
        (one.goAways.isEmpty() ? two : one).hangUp();
        awaitTold("a share: drained");
        while (drainer.progress().phase() != DrainPhase.DRAINED || !isForgotten()) {
            Thread.onSpinWait();
        }
        assertEquals(1, drainer.progress().left());
        assertEquals(1, gateway.registry.size());
        assertEquals(0, listeners.shuts.drainPermits() + listeners.opens.drainPermits() + endings.size());
    }

    private boolean isForgotten() {
        try {
            drainer.cancel();
            return false;
        } catch (DrainControl.Conflict forgotten) {
            return true;
        }
    }

    @Test
    void cancel_share_letsItStay() throws Exception {
        List<FakeSession> two = startShareOfTwo();
        assertEquals(DrainPhase.CANCELLED, get(drainer.cancel()).phase());
        assertTrue(two.stream().allMatch(each -> each.state() == ConnectionState.ESTABLISHED));
        assertEquals(0, listeners.opens.drainPermits());
    }

    @Test
    void shutDown_whileAShareGoes_drainsAllAndEndsTheProcess() throws Exception {
        List<FakeSession> two = startShareOfTwo();
        drainer.shutDown();
        assertThrows(DrainControl.Conflict.class, drainer::cancel);
        awaitGoAway(two.get(0));
        awaitGoAway(two.get(1));
        assertTrue(drainer.isDraining());
        two.forEach(FakeSession::hangUp);
        await(ends);
        assertEquals(List.of(SETTINGS.order(false).whole()), endings);
        assertEquals(1, listeners.shuts.drainPermits());
    }

    // ------------------------------------------------------------------ what breaks

    /** Its deadline is more than can be reckoned with. */
    private static final DrainSettings IMPOSSIBLE = settings(Duration.ofSeconds(Long.MAX_VALUE));

    @Test
    void start_thatCannotBegin_changesNothing() throws Exception {
        drainer.reconfigure(IMPOSSIBLE);
        assertThrows(ArithmeticException.class, () -> drainer.start(IMPOSSIBLE.order(false)));
        assertFalse(drainer.isDraining());
        assertEquals(List.of(), endings);
        drainer.reconfigure(SETTINGS);
        startStaying();
        get(drainer.cancel());
    }

    @Test
    void start_withoutAThreadForIt_countsNothing() throws Exception {
        FakeSession device = device("d", this::loop);
        CompletableFuture<Void> failed = new CompletableFuture<>();
        // a thread is made with the class loader of the one that makes it
        Thread caller =
                new Thread(() -> {
                    try {
                        drainer.start(SETTINGS.order(true));
                        failed.complete(null);
                    } catch (Throwable none) {
                        failed.completeExceptionally(none);
                    }
                }) {
                    @Override
                    public ClassLoader getContextClassLoader() {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                };
        caller.start();
        assertInstanceOf(
                OutOfMemoryError.class,
                assertThrows(ExecutionException.class, () -> failed.get(LONG_SECONDS, TimeUnit.SECONDS))
                        .getCause());
        assertFalse(drainer.isDraining());
        device.hangUp();
        await(ran);
        assertEquals(0, counts.leftTotal());
    }

    @Test
    void shutDown_withADrainThatCannotBegin_endsTheProcessOnce() throws Exception {
        drainer.reconfigure(IMPOSSIBLE);
        drainer.shutDown();
        await(ends);
        assertTrue(drainer.isDraining());
        drainer.shutDown();
        drainer.reconfigure(SETTINGS);
        assertThrows(DrainControl.Conflict.class, this::startStaying);
        assertEquals(0, ends.availablePermits());
    }

    @Test
    void shutDown_whileAShareGoesAndADrainCannotBegin_endsTheProcessOnce() throws Exception {
        startShareOfTwo();
        drainer.reconfigure(IMPOSSIBLE);
        drainer.shutDown();
        await(ends);
        assertEquals(1, endings.size());
        assertEquals(0, ends.availablePermits());
    }

    @Test
    void start_withListenersThatBreak_tellsTheDevicesAllTheSame() throws Exception {
        listeners.shutting = () -> {
            throw new IllegalStateException("planted");
        };
        FakeSession device = device("one", this::loop);
        drainer.start(SETTINGS.order(false));
        awaitGoAway(device);
        device.hangUp();
        await(ends);
    }

    /** What breaks costs that step alone, also of the last drain: who was not told yet is told, and not just cut off. */
    @Test
    void start_withAStatusThatBreaksOnce_goesOnBeforeTheProcessEnds() throws Exception {
        Semaphore broke = new Semaphore(1);
        Semaphore wentOn = new Semaphore(0);
        status = text -> {
            if (broke.tryAcquire()) {
                throw new IllegalStateException("planted");
            }
            wentOn.release();
        };
        FakeSession device = device("one", this::loop);
        drainer.start(SETTINGS.order(false));
        await(wentOn);
        assertEquals(0, ends.availablePermits());
        device.hangUp();
        await(ends);
    }

    @Test
    void cancel_withAStatusThatBreaks_isAnswered() throws Exception {
        status = text -> {
            throw new IllegalStateException("planted");
        };
        startStaying();
        assertEquals(DrainPhase.CANCELLED, get(drainer.cancel()).phase());
    }

    @Test
    void late_onALoopThatTakesNothing_doesNotEndTheDrain() throws Exception {
        startStaying();
        awaitTold("drained");
        Semaphore refused = new Semaphore(0);
        Thread own = Thread.currentThread();
        device("late", task -> {
            if (Thread.currentThread() != own) {
                refused.release();
                throw new RejectedExecutionException("planted");
            }
            task.run();
        });
        await(refused);
        assertEquals(DrainPhase.CANCELLED, get(drainer.cancel()).phase());
    }
}

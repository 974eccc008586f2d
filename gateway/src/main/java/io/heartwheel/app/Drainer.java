package io.heartwheel.app;

import io.heartwheel.drain.Drain;
import io.heartwheel.drain.DrainControl;
import io.heartwheel.drain.DrainCounts;
import io.heartwheel.drain.DrainOrder;
import io.heartwheel.drain.DrainPlan;
import io.heartwheel.drain.DrainProgress;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.drain.DrainText;
import io.heartwheel.session.SessionRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread of the drain that is under way, from its notice to the end of the process, or to the moment when the listeners are open again.
 *
 * <pre>
 *   start(order) --&gt; [ drain thread: notice, listeners shut, turns, drained ] --stay--&gt; parked --cancel--&gt; listeners open
 *   shutDown() -----------------------------------^ goes on to the end ------------&gt; whenOver
 * </pre>
 *
 * <p>What breaks on the way is logged and costs that step alone: the thread lives on until the drain has ended or is taken back, because nobody else
 * could end the process, or answer who asked.
 *
 * <p>Any thread may call; guarded by itself are which drain there is and what is wanted of it. {@link #isDraining}, {@link #isShutForGood} and {@link #progress} wait for nobody:
 * devices' event loops ask, and whoever begins a drain walks over all devices with the lock held. The listeners are opened and shut by the drain thread alone.
 */
final class Drainer implements DrainControl {
    private static final Logger LOG = LoggerFactory.getLogger(Drainer.class);
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** How often those are looked for who came in through the last gap. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The listeners of devices. Used by the drain thread. */
    interface ListenerControl {
        /** Takes nobody new, and sends those off who have not said who they are. */
        void shut();

        /**
         * Takes devices again.
         *
         * @throws IOException naming what does not open; then all are shut
         */
        void open() throws IOException;
    }

    private final SessionRegistry registry;
    private final DrainCounts counts;
    private final ListenerControl listeners;
    private final Consumer<Duration> ending;
    private final Runnable whenOver;
    private final Consumer<String> status;

    // ---- written with this locked; the volatile ones are read by any
    private volatile @Nullable Drain drain;
    private volatile @Nullable Thread thread;
    /** Whether the process goes on; once it is to end it stays so. */
    private volatile boolean stay = true;

    private volatile DrainProgress last = DrainProgress.NONE;
    private @Nullable CompletableFuture<DrainProgress> cancelling;

    private final OtherGateways others;
    /** Of the next drain. */
    private volatile DrainSettings settings;

    /**
     * Waits to be asked.
     *
     * @param others who takes the devices
     * @param counts told of the same sessions
     * @param ending told of a drain that will end the process, when it begins or when that is decided, and what it may take from then on; must be quick
     * @param whenOver ends the process; run once, by the drain thread, or by whoever wants the end if no drain can be begun
     * @param status told about once a second how it goes
     */
    Drainer(
            SessionRegistry registry,
            DrainSettings settings,
            OtherGateways others,
            DrainCounts counts,
            ListenerControl listeners,
            Consumer<Duration> ending,
            Runnable whenOver,
            Consumer<String> status) {
        this.registry = registry;
        this.settings = settings;
        this.others = others;
        this.counts = counts;
        this.listeners = listeners;
        this.ending = ending;
        this.whenOver = whenOver;
        this.status = status;
        registry.onStripeEmptied(this::wakeIfEmpty);
    }

    // ------------------------------------------------------------------ what may be asked

    @Override
    public DrainSettings settings() {
        return others.complete(settings);
    }

    /** Goes by these settings from the next drain on. */
    void reconfigure(DrainSettings fresh) {
        settings = fresh;
    }

    @Override
    public DrainPlan forecast(DrainOrder order) {
        return Drain.forecast(registry, settings, order);
    }

    @Override
    public synchronized DrainProgress start(DrainOrder order) {
        Drain running = drain;
        if (running != null || !stay) {
            throw new Conflict(running == null ? "the process ends" : DrainText.of(progress()));
        }
        DrainProgress begun = begin(order);
        stay = order.stay();
        if (!stay) {
            ending.accept(order.whole());
        }
        return begun;
    }

    /**
     * Drains, if that is not under way, and then ends the process. A drain that would have stayed goes on and ends it too. If none can be begun the process
     * ends without one, on the caller's thread.
     */
    void shutDown() {
        if (!goesOnToTheEnd()) {
            whenOver.run();
        }
    }

    private synchronized boolean goesOnToTheEnd() {
        if (!stay) {
            return true;
        }
        Drain running = drain;
        boolean goesOn = running != null && !running.isShare();
        stay = false;
        ending.accept(
                goesOn
                        ? Duration.ofNanos(progress().remainingNanos())
                        : settings.order(false).whole());
        if (running == null) {
            return beginsTheLast();
        }
        LOG.info("the process will end after {}", goesOn ? "the drain" : "a drain of all");
        running.doNotStay();
        refuse(cancelling);
        cancelling = null;
        wake();
        return true;
    }

    /** Guarded by this. */
    private boolean beginsTheLast() {
        try {
            begin(settings().order(false));
            return true;
        } catch (RuntimeException | Error broken) {
            LOG.error("the process ends without a drain: none can be begun", broken);
            return false;
        }
    }

    /** Guarded by this. */
    private DrainProgress begin(DrainOrder order) {
        DrainPlan plan = forecast(order);
        LOG.info("draining {}", DrainText.of(plan));
        Runnable shut = () -> attempt(listeners::shut);
        Drain begun = new Drain(
                registry,
                plan,
                shut,
                counts,
                others.leastLoaded(),
                new SplittableRandom(),
                System.nanoTime(),
                System.currentTimeMillis());
        try {
            // first of all, because there may be no thread to be had: then there is no drain either
            Thread own = new Thread(() -> run(begun), "drain");
            own.start();
            thread = own;
        } catch (RuntimeException | Error none) {
            begun.cancel(System.nanoTime());
            throw none;
        }
        drain = begun;
        return begun.progress(System.nanoTime());
    }

    @Override
    public synchronized CompletionStage<DrainProgress> cancel() {
        if (drain == null) {
            throw new Conflict("there is no drain to take back");
        }
        if (!stay) {
            throw new Conflict("this drain ends the process: it is not taken back");
        }
        CompletableFuture<DrainProgress> asked = cancelling;
        if (asked == null) {
            asked = new CompletableFuture<>();
            cancelling = asked;
            wake();
        }
        return asked;
    }

    @Override
    public DrainProgress progress() {
        Drain running = drain;
        return running == null ? last : running.progress(System.nanoTime());
    }

    /** Whether devices should go elsewhere: from the beginning of the notice on, unless it is only a share that goes and the process goes on. */
    boolean isDraining() {
        Drain running = drain;
        return !stay || (running != null && !running.isShare());
    }

    /** Whether the listeners are shut until the process has ended: who has gone comes back after that, or elsewhere. */
    boolean isShutForGood() {
        Drain running = drain;
        return !stay && (running == null || !running.isListening());
    }

    private void wake() {
        LockSupport.unpark(thread);
    }

    private void wakeIfEmpty() {
        if (thread != null && registry.size() == 0) {
            wake();
        }
    }

    // ------------------------------------------------------------------ the drain thread

    private void run(Drain running) {
        boolean over = false;
        while (!over) {
            if (!running.isOver()) {
                attempt(() -> turnToTheEnd(running));
            }
            over = waitForOrders(running);
        }
    }

    private static void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error broken) {
            LOG.error("the drain broke off", broken);
        }
    }

    private void turnToTheEnd(Drain running) {
        long logNanos = System.nanoTime() + LOG_NANOS;
        long statusNanos = System.nanoTime();
        long nextNanos = running.turn(System.nanoTime());
        while (!isBrokenOff(running) && nextNanos != Drain.OVER) {
            long nowNanos = System.nanoTime();
            if (nowNanos - statusNanos >= 0) {
                status.accept(DrainText.of(running.progress(nowNanos)));
                statusNanos = nowNanos + STATUS_NANOS;
            }
            if (nowNanos - logNanos >= 0) {
                LOG.info("{}", DrainText.of(running.progress(nowNanos)));
                logNanos = nowNanos + LOG_NANOS;
            }
            LockSupport.parkNanos(nextNanos - System.nanoTime());
            nextNanos = running.turn(System.nanoTime());
        }
        if (running.isOver()) {
            tell(running.progress(System.nanoTime()));
        }
    }

    private void tell(DrainProgress progress) {
        String text = DrainText.of(progress);
        LOG.info("{}", text);
        status.accept(text);
    }

    /** It is taken back, or it is of a share and all are to go. */
    private synchronized boolean isBrokenOff(Drain running) {
        return stay ? cancelling != null : running.isShare();
    }

    /** @return whether this thread is done */
    private boolean waitForOrders(Drain running) {
        CompletableFuture<DrainProgress> asked;
        boolean end;
        synchronized (this) {
            asked = cancelling;
            cancelling = null;
            end = !stay;
        }
        // one that broke off, or was to be taken back when the end was ordered, goes on as long as it may
        boolean over = running.isOver() || running.progress(System.nanoTime()).remainingNanos() == 0;
        if (end && !running.isShare() && over) {
            whenOver.run();
            return true;
        }
        if (asked != null) {
            return takeBack(running, asked);
        }
        if (running.isShare() && (end || running.isOver())) {
            forget(running.progress(System.nanoTime()), null);
            return true;
        }
        if (running.isOver()) {
            attempt(running::closeLate);
        }
        LockSupport.parkNanos(this, LATE_NANOS);
        return false;
    }

    private static void refuse(@Nullable CompletableFuture<DrainProgress> asked) {
        if (asked != null) {
            asked.completeExceptionally(new Conflict("the process is told to end meanwhile"));
        }
    }

    /** @return whether this thread is done */
    private boolean takeBack(Drain running, CompletableFuture<DrainProgress> asked) {
        try {
            if (!running.isListening()) {
                listeners.open();
            }
        } catch (IOException | RuntimeException | Error failed) {
            LOG.warn("the drain is not taken back: {}", failed.getMessage());
            asked.completeExceptionally(failed);
            return false;
        }
        attempt(() -> running.cancel(System.nanoTime()));
        DrainProgress progress = running.progress(System.nanoTime());
        attempt(() -> tell(progress));
        forget(progress, asked);
        return true;
    }

    /**
     * There is no drain any more, or another one: all are to go if that was decided meanwhile.
     *
     * @param asked who asked to have it taken back, and is answered like whoever asked again
     */
    private void forget(DrainProgress progress, @Nullable CompletableFuture<DrainProgress> asked) {
        CompletableFuture<DrainProgress> askedAgain;
        boolean goesOn;
        synchronized (this) {
            askedAgain = cancelling;
            cancelling = null;
            last = progress;
            drain = null;
            thread = null;
            goesOn = stay || beginsTheLast();
        }
        answer(asked, progress);
        answer(askedAgain, progress);
        if (!goesOn) {
            whenOver.run();
        }
    }

    private static void answer(@Nullable CompletableFuture<DrainProgress> asked, DrainProgress progress) {
        if (asked != null) {
            asked.complete(progress);
        }
    }
}

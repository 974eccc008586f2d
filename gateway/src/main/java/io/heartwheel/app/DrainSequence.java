package io.heartwheel.app;

import io.heartwheel.event.CloseReason;
import io.heartwheel.session.DrainSettings;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.wheel.Deadline;
import io.heartwheel.wheel.Timers;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends every device away in good order: GOAWAY to all in slices over the first half of the drain time, then a wait for them to leave, then CLOSE.
 *
 * <p>One thread, the one that shuts the gateway down; sessions act on their own loops.
 */
final class DrainSequence {
    private static final Logger LOG = LoggerFactory.getLogger(DrainSequence.class);
    private static final int SLICE = 1_000;
    private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final String EMPTY = "registry empty";

    private final SessionRegistry registry;
    private final DrainSettings settings;
    private final Waits<String, Boolean> waits;

    /** @param wheel one that is being turned, on {@link System#nanoTime}; holds the deadlines of the waits */
    DrainSequence(SessionRegistry registry, DrainSettings settings, TimingWheel wheel) {
        this.registry = registry;
        this.settings = settings;
        waits = new Waits<>(wheel, System::nanoTime, Timers.ON_WHEEL_THREAD, 1);
        registry.onStripeEmptied(() -> waits.check(EMPTY));
    }

    /** Runs to the end. An interrupt cuts every wait short. */
    void run() {
        long startNanos = System.nanoTime();
        long devices = registry.size();
        LOG.info("draining {} devices, at most {} s", devices, settings.drain().toSeconds());
        sendAway(startNanos);
        boolean empty = awaitEmpty(startNanos + settings.drain().toNanos());
        long left = registry.size();
        if (!empty) {
            registry.forEach(session -> session.closeSoon(CloseReason.SHUTDOWN, "the gateway is going down"));
            awaitEmpty(System.nanoTime() + CLOSING_NANOS);
        }
        LOG.info("drained: {} devices left by themselves, {} were closed", Math.max(0, devices - left), left);
    }

    private void sendAway(long startNanos) {
        GoAway goAway =
                new GoAway(settings.retryMin().toMillis(), settings.retryMax().toMillis(), settings.alternateHost());
        List<Session> all = new ArrayList<>();
        registry.forEach(all::add);
        long halfNanos = settings.drain().toNanos() / 2;
        for (int from = 0; from < all.size(); from += SLICE) {
            List<Session> slice = all.subList(from, Math.min(all.size(), from + SLICE));
            slice.forEach(session ->
                    session.onLoop(() -> session.sendAway(CloseReason.SHUTDOWN, goAway, Deadline.NO_DEADLINE)));
            long dueNanos = startNanos + halfNanos / Math.max(1, all.size() / SLICE) * (from / SLICE + 1);
            if (from + SLICE < all.size() && !sleepUntil(dueNanos)) {
                return;
            }
        }
    }

    private boolean awaitEmpty(long untilNanos) {
        Supplier<@Nullable Boolean> isEmpty = () -> registry.size() == 0 ? Boolean.TRUE : null;
        try {
            return waits.await(EMPTY, isEmpty, untilNanos - System.nanoTime()).get();
        } catch (ExecutionException timedOut) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean sleepUntil(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

package io.heartwheel.outlet;

import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.outlet.file.FileOutlet;
import io.heartwheel.outlet.kafka.KafkaOutlet;
import io.heartwheel.outlet.nats.NatsOutlet;
import io.heartwheel.outlet.webhook.WebhookOutlet;
import io.heartwheel.output.FileOutput;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All outlets of a gateway.
 *
 * <p>Open, start and close on one thread; {@link #all} and {@link #find} any thread.
 */
public final class Outlets implements AutoCloseable {
    /** Without a journal there are no outlets. */
    public static final Outlets NONE = new Outlets(List.of());

    private static final Logger LOG = LoggerFactory.getLogger(Outlets.class);

    /** Longest wait for all of them to end, if they do not heed the interrupt. */
    private static final Duration END = Duration.ofSeconds(5);

    private final List<OutletRunner> runners;

    private Outlets(List<OutletRunner> runners) {
        this.runners = List.copyOf(runners);
    }

    /**
     * Makes them; none delivers yet, or touches a file. From here on the cursors hold back what is dropped from the store.
     *
     * @param settings the enabled ones
     * @param instance name of this gateway, may be empty
     * @throws StoreException if the store cannot be read; nothing is left open then
     */
    public static Outlets open(List<OutletSettings> settings, Store store, String instance) throws StoreException {
        List<OutletRunner> opened = new ArrayList<>();
        for (OutletSettings each : settings) {
            opened.add(open(each, store, instance));
        }
        opened.sort(Comparator.comparing(OutletRunner::name));
        return new Outlets(opened);
    }

    private static OutletRunner open(OutletSettings settings, Store store, String instance) throws StoreException {
        return new OutletRunner(
                settings,
                () -> open(settings.target(), new CloudEvent(instance)),
                store,
                instance,
                System::currentTimeMillis,
                System::nanoTime,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    private static Outlet open(OutletSettings.Target target, CloudEvent form) throws IOException {
        if (target instanceof OutletSettings.ToFile file) {
            return new FileOutlet(file, FileOutput.Disk.REAL, System::currentTimeMillis, System::nanoTime);
        }
        if (target instanceof OutletSettings.Webhook webhook) {
            return new WebhookOutlet(webhook, form, System::currentTimeMillis);
        }
        if (target instanceof OutletSettings.Nats nats) {
            return new NatsOutlet(nats, form);
        }
        return target instanceof OutletSettings.Kafka kafka ? new KafkaOutlet(kafka, form) : new ConsoleOutlet();
    }

    /** Whom to tell when one of them finds that records are missing, on its thread; quick. Replaces the one before. */
    public void onGap(Runnable listener) {
        runners.forEach(runner -> runner.onGap(listener));
    }

    /** All of them begin to deliver, watched by this; once. */
    public void start(ThreadSupervisor threads) {
        runners.forEach(runner -> runner.start(threads.watch("outlet-" + runner.name())));
    }

    /** All of them in order of their names. */
    public List<OutletStatus> all() {
        return runners.stream().map(OutletRunner::status).toList();
    }

    /** The one of this name. */
    public Optional<OutletRunner> find(String name) {
        return runners.stream().filter(runner -> runner.name().equals(name)).findFirst();
    }

    /**
     * Waits until all of them have delivered everything up to a record, or cannot at the moment. For the end of the process, before {@link #close}.
     *
     * @param number of the record
     * @return whether all of it was delivered
     */
    public boolean awaitDelivered(long number, Duration atMost) throws InterruptedException {
        long endNanos = System.nanoTime() + atMost.toNanos();
        while (System.nanoTime() - endNanos < 0) {
            if (runners.stream().map(OutletRunner::status).noneMatch(status -> isOnItsWay(status, number))) {
                break;
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        return all().stream().allMatch(status -> status.cursor() >= number);
    }

    private static boolean isOnItsWay(OutletStatus status, long number) {
        return status.state() == OutletState.RUNNING && status.cursor() < number;
    }

    /** Ends all of them: attempts under way are interrupted, and what was not delivered is so after the next start. Blocks 5 s at most. */
    @Override
    public void close() {
        runners.forEach(OutletRunner::end);
        long endNanos = System.nanoTime() + END.toNanos();
        for (OutletRunner runner : runners) {
            try {
                long leftMillis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
                if (!runner.awaitEnd(Math.max(1, leftMillis))) {
                    LOG.warn("outlet {} does not end", runner.name());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}

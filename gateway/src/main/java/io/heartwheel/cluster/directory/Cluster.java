package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.event.EventSink;
import io.heartwheel.session.SessionRegistry;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Part of this gateway in its fleet: directory, sweep, and the thread that asks the engine, {@code heartwheel-cluster}. It turns ten times a second, so that no
 * claim waits longer than it should; what connects to the engine may block, and has a thread of its own, {@code heartwheel-cluster-nats}.
 *
 * <p>Any thread; {@link #close} once.
 */
public final class Cluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);

    private static final long TURN_MILLIS = 100;
    private static final long CALLS_IDLE_SECONDS = 10;
    /** For releases, when all devices have just been sent away. */
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Engine engine;
    private final ClusterCounts counts = new ClusterCounts();
    private final ClusterNode here;
    private final ScheduledThreadPoolExecutor thread;
    private final ExecutorService repairs =
            Executors.newSingleThreadExecutor(task -> new Thread(task, "heartwheel-cluster-nats"));
    /** For requests of the API that are carried: a thread that ends when there are none. Their number is bounded where they come in. */
    private final ThreadPoolExecutor calls = new ThreadPoolExecutor(
            1,
            1,
            CALLS_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new Thread(task, "heartwheel-cluster-api"));

    /**
     * Starts; what stands on the engine begins when it is there.
     *
     * @param engine closed with it
     * @param local of this process
     * @param handshakeNanos what a device has, from accept on, until it must be established
     * @param sink where what became of other gateways is told
     */
    public Cluster(
            ClusterSettings settings,
            NodeId node,
            Engine engine,
            SessionRegistry local,
            long handshakeNanos,
            EventSink sink) {
        this.engine = engine;
        thread = new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "heartwheel-cluster"));
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        calls.allowCoreThreadTimeOut(true);
        here = new ClusterNode(
                settings,
                node,
                engine,
                local,
                ClusterDirectory.patienceNanos(handshakeNanos),
                thread,
                repairs,
                calls,
                sink,
                System::nanoTime,
                System::currentTimeMillis,
                counts);
        thread.scheduleWithFixedDelay(this::turnOnce, 0, TURN_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void turnOnce() {
        try {
            here.turn();
        } catch (RuntimeException | Error failure) {
            LOG.error("cluster: a turn failed, the next follows", failure);
        }
    }

    /** What sessions claim their ids from. */
    public ClusterDirectory directory() {
        return here.directory;
    }

    /** The other gateways. */
    public Fleet fleet() {
        return here.fleet;
    }

    /** What it did. */
    public ClusterCounts counts() {
        return counts;
    }

    /** Whether the engine can be asked. */
    public boolean isReachable() {
        return !here.watch.isDown();
    }

    /** How many gateways are there, this one among them. */
    public int nodesThere() {
        return here.members.there(0).size();
    }

    private void leave() {
        try {
            here.own
                    .leave(here.directory.hasLeftNothing())
                    .toCompletableFuture()
                    .get(FAREWELL_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException unknown) {
            LOG.debug("cluster: nobody knows that this gateway ends: {}", unknown.getMessage());
        }
    }

    /** Gives back the ids of devices that have just been sent away, for a moment, and ends. */
    @Override
    public void close() {
        long untilNanos = System.nanoTime() + FAREWELL_NANOS;
        while (!here.watch.isDown() && here.directory.releasing() > 0 && System.nanoTime() - untilNanos < 0) {
            LockSupport.parkNanos(FAREWELL_NANOS / 200);
        }
        if (isReachable()) {
            leave();
        }
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(FAREWELL_NANOS, TimeUnit.NANOSECONDS)) { // it gives work to the other
                LOG.debug("cluster: a turn stands still");
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
        repairs.shutdownNow();
        calls.shutdown(); // what is in it does not block, and somebody waits for its end
        engine.close();
    }
}

package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.workers.WorkerGroup;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * End of a run before its time, when this process is told to end (SIGINT, SIGTERM, SIGHUP): the verdict on what was
 * seen so far, then no child is left, all within ten seconds, whatever the workers and the machine do. Exit status: the
 * verdict's, or 3 when there is none.
 *
 * <pre>
 *   signal --&gt; wanted: the coordinator stops; workers have 2 s for what they were asked, 2.5 s for each further question
 *          --&gt; verdict printed, or 6 s over --&gt; SIGKILL to all descendants --&gt; files removed, or 3 s over --&gt; halt
 * </pre>
 *
 * <p>Made and closed by the thread that runs; everything else from any thread. The hook is the only one that ends
 * processes: gateways that went by themselves would be judged for it.
 */
final class EarlyEnd implements AutoCloseable {

    private static final Duration ASKED = Duration.ofSeconds(2);
    private static final Duration FURTHER = Duration.ofMillis(2_500);
    private static final long VERDICT_MILLIS = 6_000;
    private static final long CHILDREN_MILLIS = 1_500;
    private static final long REST_MILLIS = 1_500;
    private static final long LOOK_MILLIS = 20;

    private final PrintWriter out;
    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch concluded = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::end, "early-end");

    private volatile @Nullable Worker worker;
    private volatile int status = RunVerdict.INCONCLUSIVE.exitStatus();

    /** From now on the process ends like this. */
    EarlyEnd(PrintWriter out) {
        this.out = out;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** From now on there is something to conclude. */
    void started(Worker running) {
        worker = running;
        if (wanted()) {
            hurry();
        }
    }

    /** The verdict is told: nothing is waited for any more. */
    void concluded(int exitStatus) {
        status = exitStatus;
        concluded.countDown();
    }

    /** Whether the run is to end now. */
    boolean wanted() {
        return wanted.getCount() == 0;
    }

    /** Sleeps, and wakes when the run is to end. */
    void sleep(long nanos) throws InterruptedException {
        if (wanted.await(nanos, TimeUnit.NANOSECONDS)) {
            // Nobody sleeps any more; a caller that does not ask why it woke must not spin.
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private void hurry() {
        if (worker instanceof WorkerGroup group) {
            group.hurry(ASKED, FURTHER);
        }
    }

    private void end() {
        wanted.countDown();
        hurry();
        if (worker != null) {
            if (!awaited(concluded, VERDICT_MILLIS)) {
                out.println("ended early: no verdict within " + VERDICT_MILLIS + " ms");
            }
        } else {
            out.println("ended early, before the devices began: there is nothing to judge");
        }
        out.flush();
        killDescendants(CHILDREN_MILLIS);
        awaited(closed, REST_MILLIS);
        out.flush();
        Runtime.getRuntime().halt(status);
    }

    /** Kills all processes that come of this one, those too that are just being started, and waits for so long. */
    static void killDescendants(long millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        List<ProcessHandle> left;
        do {
            left = ProcessHandle.current()
                    .descendants()
                    .filter(ProcessHandle::isAlive)
                    .toList();
            left.forEach(ProcessHandle::destroyForcibly);
        } while (!left.isEmpty() && !awaited(new CountDownLatch(1), LOOK_MILLIS) && System.nanoTime() - until < 0);
    }

    private static boolean awaited(CountDownLatch latch, long millis) {
        try {
            return latch.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The run is over and nothing of it left. */
    @Override
    public void close() {
        closed.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It is running, and has been told.
        }
    }
}

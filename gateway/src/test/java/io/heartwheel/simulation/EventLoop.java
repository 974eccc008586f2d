package io.heartwheel.simulation;

import io.heartwheel.liveness.LoopTasks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An event loop without a thread: tasks, and sockets that are ready to be read, in an order that chance decides. One {@link #step} is a round of one
 * kind; between two of them the loop may stand still.
 */
final class EventLoop implements LoopTasks {
    /** After a stall it looks at its clock so late at most. */
    static final long MOST_LATE_NANOS = 1_000_000;

    final int index;
    final TrueStalls.OfLoop stalls = new TrueStalls.OfLoop();
    private final SplittableRandom random;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Queue<Runnable> afterReads = new ArrayDeque<>();
    private List<Wire> ready = new ArrayList<>();
    private List<Wire> spare = new ArrayList<>();
    private boolean readsNext;
    private boolean inside;
    private final LongSupplier worldNanos;
    private LongConsumer ledger = nanos -> {};
    private @Nullable Runnable timer;
    private long nextLookNanos;
    /** What its clock shows while a timer is run belatedly. */
    private long timerNanos = -1;

    EventLoop(int index, SplittableRandom random, LongSupplier worldNanos) {
        this.index = index;
        this.random = random;
        this.worldNanos = worldNanos;
    }

    /** Who is told that the loop reads, when it was idle. */
    void turnsBy(LongConsumer told) {
        ledger = told;
    }

    /** Nanoseconds since the world began, as the loop's timers see them. */
    long now() {
        return timerNanos >= 0 ? timerNanos : worldNanos.getAsLong();
    }

    @Override
    public void executeIn(Runnable task, long nanos) {
        timer = task;
    }

    /** Runs belatedly what timers would have run in time, by the time that it was: each of them at the next of its looks, so not later than it asked for. */
    private void timers(long untilNanos) {
        while (nextLookNanos <= untilNanos) {
            long at = stalls.runsAt(nextLookNanos);
            if (at > nextLookNanos) {
                // much else is due after a stall
                at = stalls.runsAt(at + random.nextLong(MOST_LATE_NANOS));
            }
            nextLookNanos = at;
            if (at > untilNanos) {
                return;
            }
            look(at);
            nextLookNanos = at + StallCredit.PERIOD_NANOS - MOST_LATE_NANOS;
        }
    }

    private void look(long at) {
        Runnable task = timer;
        if (task != null) {
            timer = null;
            timerNanos = at;
            task.run();
            timerNanos = -1;
        }
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void executeAfterReads(Runnable task) {
        afterReads.add(task);
    }

    /** Runs it here and now if this is the loop's own doing, else soon. */
    void onLoop(Runnable task) {
        if (inside) {
            task.run();
        } else {
            execute(task);
        }
    }

    /** The socket has something for its handler. */
    void ready(Wire wire) {
        if (!wire.isReady) {
            wire.isReady = true;
            ready.add(wire);
        }
    }

    boolean hasWork() {
        return !tasks.isEmpty() || !ready.isEmpty() || !afterReads.isEmpty();
    }

    /** Reads every socket that is ready, or runs every task that waits. */
    void step(long nowNanos) {
        inside = true;
        // a timer's task that is due now runs with the other tasks, after the reads if those come first
        timers(readsNext ? nowNanos - 1 : nowNanos);
        if (readsNext) {
            if (timer == null && !ready.isEmpty()) {
                ledger.accept(nowNanos);
            }
            read();
        } else {
            for (int left = tasks.size(); left > 0; left--) {
                tasks.remove().run();
            }
        }
        inside = false;
        if (random.nextInt(8) != 0) {
            readsNext = !readsNext;
        }
        if (!hasWork()) {
            readsNext = random.nextBoolean();
        }
    }

    private void read() {
        int waiting = afterReads.size();
        List<Wire> now = ready;
        ready = spare;
        spare = now;
        for (Wire wire : now) {
            wire.isReady = false;
        }
        for (Wire wire : now) {
            wire.read();
        }
        now.clear();
        for (; waiting > 0; waiting--) {
            tasks.add(afterReads.remove());
        }
    }
}

package io.heartwheel.simulation;

import io.heartwheel.session.ExpiryInbox;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * An event loop without a thread: tasks, and sockets that are ready to be read, in an order that chance decides. One {@link #step} is a round of one
 * kind; between two of them the loop may stand still.
 */
final class EventLoop implements ExpiryInbox.Loop {
    /** After a stall it looks at its clock so late at most. */
    static final long MOST_LATE_NANOS = 1_000_000;

    final int index;
    final TrueStalls stalls = new TrueStalls();
    private final SplittableRandom random;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Queue<Runnable> afterReads = new ArrayDeque<>();
    private List<Wire> ready = new ArrayList<>();
    private List<Wire> spare = new ArrayList<>();
    private boolean readsNext;
    private boolean inside;
    private LongConsumer ledger = nanos -> {};
    private long nextTurnNanos;

    EventLoop(int index, SplittableRandom random) {
        this.index = index;
        this.random = random;
    }

    /** Who is told that the loop turns, each {@link StallCredit#PERIOD_NANOS}. */
    void turnsBy(LongConsumer told) {
        ledger = told;
    }

    /** Says belatedly what a timer would have said in time: that the loop turned, when it did. */
    private void turned(long untilNanos) {
        while (nextTurnNanos <= untilNanos) {
            long at = stalls.runsAt(nextTurnNanos);
            if (at > nextTurnNanos) {
                // much else is due after a stall
                at = stalls.runsAt(at + random.nextLong(MOST_LATE_NANOS));
            }
            nextTurnNanos = at;
            if (at > untilNanos) {
                return;
            }
            ledger.accept(at);
            nextTurnNanos = at + StallCredit.PERIOD_NANOS - MOST_LATE_NANOS;
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
        turned(readsNext ? nowNanos - 1 : nowNanos);
        if (readsNext) {
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

package io.heartwheel.session;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Work of one event loop for connections that are not established yet. However many come at once, the loop gives them {@link #SLICE_NANOS} of a round
 * and reads its sockets before it goes on, so that nobody who is established waits for strangers any longer.
 *
 * <pre>
 *   round n                          round n + 1
 *   read sockets | work, work, work  read sockets | work, work | other tasks
 *                  `---- a slice --&gt; what is left waits here: what the registered said, then who is to be registered
 * </pre>
 *
 * <p>Those who are registered are heard before anybody else is registered. A socket of a newcomer that is ready costs a read in any round, and its bytes wait in
 * a buffer: so no more are registered than can be heard, and the others stay in the kernel's hands. One a round is registered in any case, so that nobody keeps
 * the others out by talking.
 *
 * <p>Those who are accepted cost the loop nothing before their turn: the acceptor puts them in a queue from which the loop takes as many as the round has time
 * for. A task of the loop for each of a thousand would be run in one round.
 *
 * <p>Owner: the loop, the only caller of all but {@link #register}, which is for any thread. Shared are {@link #unregistered}, a queue without locks, and
 * {@link #known}: whoever turns it true sees to it that the loop comes, and the loop looks once more after it has turned it false, so that nobody is left behind.
 */
public final class NewcomerQueue {
    /** How long a loop works for newcomers before it reads its sockets again, nanoseconds. */
    static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The event loop, seen from here: a round reads the sockets that are ready, then runs tasks. */
    public interface Loop {
        /** Runs the task on the loop; asked for at the end of a round, in the next one, after its reads. */
        void execute(Runnable task);

        /** Runs the task at the end of this round. Loop only. */
        void executeAtTheEnd(Runnable task);
    }

    /** A connection that was accepted; run, it is registered with the loop. Loop only. */
    public interface Newcomer extends Runnable {
        /** Ends it instead, since the loop ends. */
        void refuse();
    }

    private final Loop loop;
    private final LongSupplier nanoClock;
    /** Of those who are registered, in the order it came. */
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    /** Those who are not, in the order they came. Any thread adds, the loop takes. */
    private final ConcurrentLinkedQueue<Newcomer> unregistered = new ConcurrentLinkedQueue<>();
    /** The loop will come for them. */
    private final AtomicBoolean known = new AtomicBoolean();

    private final Runnable roundEnds = this::roundEnds;
    private final Runnable goOn = this::goOn;
    private final Runnable registerSome = this::registerSome;
    /** The end of this round is awaited. */
    private boolean inRound;
    /** A piece of work is being done; what it adds is part of it. */
    private boolean working;
    /** Somebody was registered in this round. */
    private boolean registered;
    /** Nobody is registered any more. */
    private boolean ends;

    private long workedNanos;

    /** @param nanoClock monotonic nanoseconds */
    public NewcomerQueue(Loop loop, LongSupplier nanoClock) {
        this.loop = loop;
        this.nanoClock = nanoClock;
    }

    /** Whether work that is added now is done at once: this round has time left and nothing waits, or it is part of work under way. */
    public boolean hasTime() {
        return working || (waiting.isEmpty() && workedNanos < SLICE_NANOS);
    }

    /** Does the work now if this round {@link #hasTime}, else in its turn. */
    public void add(Runnable work) {
        if (hasTime()) {
            run(work);
        } else {
            waiting.addLast(work);
        }
    }

    /**
     * Registers a newcomer in its turn, or refuses it if the loop {@link #finish}es before. Any thread.
     *
     * @throws RejectedExecutionException if the loop has ended; then it is neither registered nor refused
     */
    public void register(Newcomer newcomer) {
        unregistered.add(newcomer);
        if (!known.get() && known.compareAndSet(false, true)) {
            try {
                loop.execute(registerSome);
            } catch (RejectedExecutionException ended) {
                known.set(false);
                unregistered.remove(newcomer);
                throw ended;
            }
        }
    }

    private void awaitEndOfRound() {
        if (!inRound) {
            inRound = true;
            loop.executeAtTheEnd(roundEnds);
        }
    }

    private void run(Runnable work) {
        if (working) {
            work.run();
            return;
        }
        awaitEndOfRound();
        long beganNanos = nanoClock.getAsLong();
        working = true;
        try {
            work.run();
        } finally {
            working = false;
            workedNanos += nanoClock.getAsLong() - beganNanos;
        }
    }

    private void roundEnds() {
        inRound = false;
        registered = false;
        workedNanos = 0;
        if (!waiting.isEmpty() || known.get()) {
            loop.execute(goOn);
        }
    }

    private void goOn() {
        while (!waiting.isEmpty() && workedNanos < SLICE_NANOS) {
            run(waiting.removeFirst());
        }
        registerSome();
    }

    private void registerSome() {
        while (ends || !registered || (waiting.isEmpty() && workedNanos < SLICE_NANOS)) {
            Newcomer next = unregistered.poll();
            if (next == null) {
                known.set(false);
                if (unregistered.isEmpty() || !known.compareAndSet(false, true)) {
                    return;
                }
            } else if (ends) {
                next.refuse();
            } else {
                registered = true;
                run(next);
            }
        }
        awaitEndOfRound();
    }

    /** Refuses who is not registered, now and later, and does all that waits, however long it takes: the loop is about to end. */
    public void finish() {
        ends = true;
        registerSome();
        while (!waiting.isEmpty()) {
            run(waiting.removeFirst());
        }
    }

    /** Pieces of work that wait for their turn. */
    int length() {
        return waiting.size() + unregistered.size();
    }

    /** Of these, what those said who are registered. */
    int unheard() {
        return waiting.size();
    }
}

package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.fleet.DeviceAssignment;
import io.heartwheel.loadgen.fleet.PushOutcome;
import io.heartwheel.loadgen.fleet.PushReport;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.pace.Chance;
import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.wire.PushMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sender of a scenario's pushes: each at its time, a bounded number at once; collects what came of them. A recipient has one
 * call at a time, so that the order in which its messages are to come is known; others do not wait for it.
 *
 * <p>A thread of its own makes the calls; {@link #begin}, {@link #report} and {@link #settle} are for the thread that asks
 * the players.
 */
public final class Pusher implements AutoCloseable {

    private static final int MOST_IN_A_REPORT = 5_000;
    private static final int MOST_WAITING = 10_000;
    private static final long SIZE_DRAW = 4_000_037;
    private static final long BYTES_DRAW = 5_000_011;
    private static final long RECIPIENT_DRAW = 6_000_011;
    private static final long WATCH_MILLIS = 200;
    private static final long LOOK_MILLIS = 50;
    private static final long SECOND = 1_000_000_000L;
    private static final long MOST_PATIENCE_NANOS = 60 * SECOND;
    private static final Timing[] SLOWNESS = {Timing.ROUND_TRIP, Timing.PUSH, Timing.PUSH_CALL};

    private final Downlink downlink;
    private final Scenario scenario;
    private final DeviceAssignment assignment;
    private final int[] recipients;
    private final PushCalls calls;
    private final NanoClock clock;
    private final String clockName;
    private final Semaphore free;
    private final Semaphore waiting = new Semaphore(MOST_WAITING);
    /** Of each recipient with a call under way: who waits for the end of it. */
    private final Map<Integer, ArrayDeque<Push>> busy = new HashMap<>(); // guarded by busy

    private final Map<Integer, Integer> sequences = new HashMap<>(); // the thread's
    private final ConcurrentLinkedQueue<PushOutcome> outcomes = new ConcurrentLinkedQueue<>();
    private final AtomicLong answered = new AtomicLong();
    private final Thread thread;

    private long slowestNanos; // of the thread that asks the players
    private volatile boolean closed;
    private volatile long beganNanos;

    /**
     * A pusher that has not begun.
     *
     * @param scenario one that pushes
     * @param clock the monotonic one of this process
     * @param clockName names it, so that players of the same machine know it for their own
     */
    public Pusher(Scenario scenario, NanoClock clock, String clockName) {
        this.downlink = Objects.requireNonNull(scenario.downlink(), "downlink = none: need one");
        this.scenario = scenario;
        this.assignment = new DeviceAssignment(scenario);
        this.recipients = assignment.recipients(downlink).stream().toArray();
        this.clock = clock;
        this.clockName = clockName;
        this.free = new Semaphore(downlink.concurrency());
        Duration limit = Duration.ofNanos(downlink.timeoutNanos());
        this.calls = switch (downlink.by()) {
            case HTTP -> new HttpCalls(downlink, limit);
            case MQTT -> new MqttCalls(downlink.mqtt(), limit);
            case EXEC -> new ExecCalls(downlink.exec(), limit);
        };
        this.thread = new Thread(this::push, "pushes");
        thread.setDaemon(true);
    }

    /**
     * Begins; times count from here.
     *
     * @throws IllegalStateException when there is nobody to push to, or nobody to push through
     */
    public void begin(Worker worker) {
        if (recipients.length == 0) {
            throw new IllegalStateException("downlink.among: no device is meant by it");
        }
        try {
            calls.open();
        } catch (IOException e) {
            throw new IllegalStateException("downlink: " + e.getMessage(), e);
        }
        report(worker);
        beganNanos = clock.nanos();
        thread.start();
    }

    // ---- the calls

    private void push() {
        try {
            for (long number = 0; number < downlink.count() && !closed; number++) {
                long intended = beganNanos + downlink.dueNanos(number);
                // That all calls are under way is the server's slowness: of its own lag it is no part.
                long own = Math.max(intended, clock.nanos());
                for (long left = intended - clock.nanos(); left > 0 && !closed; left = intended - clock.nanos()) {
                    LockSupport.parkNanos(this, left);
                }
                Push push = next(number, intended, clock.nanos() - own);
                if (!waits(push)) {
                    free.acquire();
                    call(push);
                }
            }
        } catch (InterruptedException e) {
            // Closed: what was not called is missing in the count.
        }
    }

    private Push next(long number, long intended, long lag) {
        int recipient = PushMessage.ALL;
        if (!downlink.toAll()) {
            long which = downlink.random()
                    ? Long.remainderUnsigned(Chance.bits(scenario.seed(), number, RECIPIENT_DRAW), recipients.length)
                    : number % recipients.length;
            recipient = recipients[(int) which];
        }
        int sequence = sequences.merge(recipient, 1, Integer::sum);
        int bytes = downlink.payload().bytes(Chance.unit(scenario.seed(), number, SIZE_DRAW));
        byte[] message = PushMessage.of(
                downlink.nonce(),
                recipient,
                sequence,
                intended,
                bytes,
                downlink.text(),
                Chance.bits(scenario.seed(), number, BYTES_DRAW));
        Acks acks = downlink.acks();
        long seed = scenario.seed();
        boolean acknowledges = assignment.acknowledgesPushes(recipient);
        Acks.Ask ask = acks == null ? Acks.Ask.NOTHING : acks.ask(seed, recipient, sequence, acknowledges);
        return new Push(
                recipient,
                downlink.toAll() ? "" : scenario.deviceDefaults().idPrefix() + recipient,
                sequence,
                intended,
                lag,
                message,
                ask,
                acks == null ? "" : acks.parameters(ask, acknowledges),
                acks != null && acks.again(seed, recipient, sequence),
                Long.toHexString(downlink.nonce()) + "-" + recipient + "-" + sequence);
    }

    /** Whether it has to wait for the push before it to the same recipient. */
    private boolean waits(Push push) throws InterruptedException {
        waiting.acquire();
        synchronized (busy) {
            ArrayDeque<Push> before = busy.get(push.recipient());
            if (before != null) {
                before.add(push);
                return true;
            }
            busy.put(push.recipient(), new ArrayDeque<>(1));
        }
        waiting.release();
        return false;
    }

    private void call(Push push) {
        long called = clock.nanos();
        calls.call(push).thenAccept(answer -> {
            long now = clock.nanos();
            outcomes.add(new PushOutcome(
                    push.recipient(),
                    push.sequence(),
                    push.ask(),
                    answer.said(),
                    answer.text(),
                    answer.messageId(),
                    push.intendedNanos(),
                    push.lagNanos(),
                    called,
                    now));
            answered.incrementAndGet();
            over(push.recipient());
        });
    }

    /** A call is over: the next to the same recipient takes its place. */
    private void over(int recipient) {
        Push next;
        synchronized (busy) {
            ArrayDeque<Push> behind = Objects.requireNonNull(busy.get(recipient));
            next = behind.poll();
            if (next == null) {
                busy.remove(recipient);
            }
        }
        if (next == null || closed) {
            free.release();
        } else {
            waiting.release();
            call(next);
        }
    }

    // ---- what came of them

    /**
     * The same after a look at the run.
     *
     * @param seen its timings are those since the look before
     */
    public void report(Worker worker, Ledger seen) {
        for (Timing timing : SLOWNESS) {
            slowestNanos = Math.max(slowestNanos, seen.of(timing).summary().maxNanos());
        }
        report(worker);
    }

    /** Tells the worker what came of pushes since the last report. */
    private void report(Worker worker) {
        do {
            List<PushOutcome> some = new ArrayList<>();
            for (PushOutcome each = poll(some); each != null; each = poll(some)) {
                some.add(each);
            }
            worker.pushed(new PushReport(clockName, clock.nanos(), some));
        } while (!outcomes.isEmpty() && !closed);
    }

    private @Nullable PushOutcome poll(List<PushOutcome> some) {
        return some.size() < MOST_IN_A_REPORT ? outcomes.poll() : null;
    }

    /**
     * Waits for what is still under way: first for the answers, as long as the run was at most, then for as long as an accepted message may take; while
     * some have not come longer, twice as long as anything took in this run, so that on a machine that stands still for
     * seconds one that is only late is not taken for lost.
     *
     * @param snapshot takes a look at the run and answers what was counted so far
     * @param stop whether not to wait any longer
     */
    public void settle(Worker worker, Supplier<Ledger> snapshot, BooleanSupplier stop) throws InterruptedException {
        long most = clock.nanos() + scenario.durationNanos();
        long known = -1;
        long giveUp = clock.nanos();
        while (answered.get() < downlink.count()
                && (clock.nanos() - giveUp < 0 || answered.get() > known)
                && clock.nanos() - most < 0
                && !stop.getAsBoolean()) {
            if (answered.get() > known) {
                // As long as answers come, those behind them are called.
                known = answered.get();
                giveUp = clock.nanos() + downlink.timeoutNanos() + SECOND;
            }
            watch(worker, snapshot);
        }
        report(worker);
        long by = clock.nanos() + scenario.contract().answerWithinNanos();
        while (clock.nanos() - by < 0 && !stop.getAsBoolean()) {
            watch(worker, snapshot);
        }
        long last = clock.nanos()
                + Math.max(
                        Math.max(scenario.contract().missedAfterNanos(), downlink.withinNanos()),
                        Math.min(MOST_PATIENCE_NANOS, 2 * slowestNanos));
        while (!allCame(snapshot.get()) && clock.nanos() - last < 0 && !stop.getAsBoolean()) {
            watch(worker, snapshot);
        }
        if (stop.getAsBoolean()) {
            return;
        }
        // Two more: between them each loop has read what lies in its sockets.
        report(worker);
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        report(worker);
    }

    private void watch(Worker worker, Supplier<Ledger> snapshot) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
        report(worker, snapshot.get());
    }

    private boolean allCame(Ledger seen) {
        long each = downlink.toAll() ? recipients.length : 1;
        long gone = seen.of(Count.PUSHES_EXCUSED) + seen.of(Count.PUSHES_TO_NOBODY);
        // what expired may have come all the same
        long promised = seen.of(Count.PUSHES_ACKNOWLEDGED) + seen.of(Count.PUSHES_EXPIRED) + seen.of(Count.PUSHES_QUEUED);
        return seen.of(Count.PUSHES_DELIVERED) + gone >= seen.of(Count.PUSHES_ACCEPTED) * each + promised;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        calls.close();
    }
}

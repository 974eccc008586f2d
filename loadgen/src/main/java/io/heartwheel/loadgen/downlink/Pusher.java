package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.fleet.DeviceAssignment;
import io.heartwheel.loadgen.fleet.PushOutcome;
import io.heartwheel.loadgen.fleet.PushReport;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.pace.Chance;
import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.wire.PushMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sender of one of a scenario's downlinks: each at its time, a bounded number at once; collects what came of them. A recipient has one
 * call at a time, so that the order in which its messages are to come is known; others do not wait for it.
 *
 * <p>A thread of its own makes the calls; {@link #begin} and {@link #report} are for the thread that asks the players.
 */
final class Pusher implements AutoCloseable {

    private static final int MOST_IN_A_REPORT = 5_000;
    private static final int MOST_WAITING = 10_000;
    private static final long SIZE_DRAW = 4_000_037;
    private static final long BYTES_DRAW = 5_000_011;
    private static final long RECIPIENT_DRAW = 6_000_011;

    private final int number;
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
    private final AtomicLong promised = new AtomicLong();
    private final Thread thread;

    private volatile boolean closed;
    private volatile long beganNanos;

    /**
     * A pusher that has not begun.
     *
     * @param number of the scenario's downlinks
     * @param clock the monotonic one of this process
     * @param clockName names it, so that players of the same machine know it for their own
     */
    Pusher(Scenario scenario, int number, NanoClock clock, String clockName) {
        this.number = number;
        this.downlink = scenario.downlinks().get(number);
        this.scenario = scenario;
        this.assignment = new DeviceAssignment(scenario);
        this.recipients = assignment.recipients(downlink).stream().toArray();
        this.clock = clock;
        this.clockName = clockName;
        this.free = new Semaphore(downlink.concurrency());
        Duration limit = Duration.ofNanos(downlink.timeoutNanos());
        this.calls = switch (downlink.by()) {
            case HTTP ->
                new HttpCalls(
                        downlink, Arrays.stream(recipients).mapToObj(this::id).toList(), limit, clock);
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
    void begin(Worker worker) {
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
        boolean acknowledges = !downlink.toAll() && assignment.acknowledgesPushes(recipient);
        Acks.Ask ask = acks == null ? Acks.Ask.NOTHING : acks.ask(seed, recipient, sequence, acknowledges);
        return new Push(
                recipient,
                downlink.toAll() ? "" : id(recipient),
                sequence,
                intended,
                lag,
                message,
                ask,
                acks == null
                        ? (acknowledges ? Acks.Ask.DEVICE : Acks.Ask.RECEIVED).label()
                        : acks.parameters(ask, acknowledges),
                acks != null && acks.again(seed, recipient, sequence),
                Long.toHexString(downlink.nonce()) + "-" + recipient + "-" + sequence);
    }

    private String id(int recipient) {
        return scenario.deviceDefaults().idPrefix() + recipient;
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
        Downlink.Later later = downlink.later();
        calls.call(push).thenAccept(answer -> {
            long now = clock.nanos();
            PushOutcome.Said said = later != null && answer.said() == PushOutcome.Said.ACCEPTED
                    ? PushOutcome.Said.QUEUED
                    : answer.said();
            outcomes.add(new PushOutcome(
                    push.recipient(),
                    push.sequence(),
                    push.ask(),
                    said,
                    answer.text(),
                    numbers(answer.absent()),
                    answer.messageId(),
                    push.intendedNanos(),
                    push.lagNanos(),
                    called,
                    now));
            promised.addAndGet(
                    switch (said) {
                        case ACCEPTED ->
                            downlink.toAll()
                                    ? recipients.length - answer.absent().size()
                                    : 1;
                        case ACKNOWLEDGED, QUEUED, EXPIRED -> later == null ? 1 : later.endless() ? 0 : later.times();
                        default -> 0;
                    });
            answered.incrementAndGet();
            over(push.recipient());
        });
    }

    /** Numbers of those recipients. */
    private List<Integer> numbers(List<String> ids) {
        return ids.isEmpty()
                ? List.of()
                : IntStream.of(recipients)
                        .filter(each -> ids.contains(id(each)))
                        .boxed()
                        .toList();
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

    /** Tells the worker what came of pushes since the last report. */
    void report(Worker worker) {
        do {
            List<PushOutcome> some = new ArrayList<>();
            for (PushOutcome each = poll(some); each != null; each = poll(some)) {
                some.add(each);
            }
            worker.pushed(new PushReport(number, clockName, clock.nanos(), some));
        } while (!outcomes.isEmpty() && !closed);
    }

    private @Nullable PushOutcome poll(List<PushOutcome> some) {
        return some.size() < MOST_IN_A_REPORT ? outcomes.poll() : null;
    }

    /** Whether each call was answered. */
    boolean isAnswered() {
        return answered.get() >= downlink.count();
    }

    /** Calls that were answered so far. */
    long answered() {
        return answered.get();
    }

    /** Messages that devices were to get by those answers, or may have got. */
    long promised() {
        return promised.get();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        calls.close();
    }
}

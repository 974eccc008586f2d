package io.heartwheel.push.group;

import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.group.JobProgress.State;
import io.heartwheel.session.Outbox;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionCall;
import io.heartwheel.session.SharedPayload;
import io.heartwheel.wheel.Timer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Broadcast under way: one message, under one id, to each device of a list that is made when it begins.
 *
 * <pre>
 *   list --rate--&gt; queue of each loop --slice, 1 ms--&gt; on the loop: push, push, push ... --&gt; results
 *     ^                                                     |
 *     +------ next step, on the jobs' thread ---------------+
 * </pre>
 *
 * <p>A device is pushed to on the loop of its connection, so the message is written there without another hop; one that is not connected, on the jobs' thread. A
 * loop has one slice of a job at a time, and reads and writes its sockets before the next.
 *
 * <p>Threads. Steps run on the jobs' thread, one after the other. Slices run on loops and touch the results only. {@link #cancel} and {@link #progress}: any
 * (jcstress: {@code JobEndsOnceStress}).
 */
final class Job {
    private static final Logger LOG = LoggerFactory.getLogger(Job.class);

    private static final byte[] NOTHING = new byte[0];
    private static final int SLICE_DEVICES = 256;
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** The thread is shared with other jobs. */
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Devices that wait for their loops. */
    private static final int MOST_QUEUED = 4_096;
    /** What is stored has its result when it is on the disk: so many are on the way there. */
    private static final int MOST_UNSTORED = 1_000;
    /** Jobs that wait for devices take this part of the memory for all messages together at most. */
    private static final int PART_OF_MEMORY = 2;
    /** And what those that store have on the way to the disk, this one. */
    private static final int PART_OF_STORED = 4;
    /** The job looks at its results when so many have come, or a quarter of what it may wait for, and at the last. */
    private static final int RESULTS_A_STEP = 250;
    /** What a rate allows and was not used is kept for so long. */
    private static final long KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long PATIENCE_NANOS = SessionCall.PATIENCE.toNanos();
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Between two looks for messages that were on their way when they were to be taken back. */
    private static final long TAKE_BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long id;
    private final long startedMillis;
    private final long startedNanos;
    /** Between two devices; 0: none. */
    private final long periodNanos;

    /** Without its payload: it may be remembered for long. */
    private final Broadcast broadcast;

    /** So many devices may be without a result at once, if no other job waits for the same. */
    private final long mostUnanswered;

    /** Jobs under way that wait for the same, this one too. */
    private final Set<Job> sharers;

    private final Share share;
    private final Jobs.Context context;
    private final Consumer<JobProgress> whenOver;
    private final AtomicBoolean stepAsked = new AtomicBoolean();
    private final AtomicBoolean faultTold = new AtomicBoolean();
    /** Devices that are being asked for what is to be taken back. */
    private final AtomicInteger takingBack = new AtomicInteger();

    /** A step is due when no more than so many are without a result; negative: never. */
    private volatile int wakeAt = -1;
    /** Both are null when it is over. */
    private volatile @Nullable Broadcast message;

    private volatile @Nullable SharedPayload shared;

    // ---- guarded by this
    private State state = State.RUNNING;
    private final int[] counts = new int[Outcome.values().length];
    private final List<JobProgress.NotReached> notReached = new ArrayList<>();
    private int devices = -1;
    private int handed;
    private int unanswered;
    private long endedNanos;

    // ---- the jobs' thread
    private @Nullable List<byte[]> targets;
    /** The first target whose turn has not come. */
    private int next;
    /** The first that has not been looked at for what is to be taken back. */
    private int takenBack;

    private final IdentityHashMap<Outbox<Session>, LoopQueue> loops = new IdentityHashMap<>();
    private int queued;
    /** Of its part of what the sharers have, when they were told last. */
    private int inUseTold;
    /** It would go on if there was room. */
    private boolean waitsForRoom;
    /** Since when the rate allows one more. */
    private long sinceNanos;

    private @Nullable Timer pause;
    private boolean told;

    /** Devices that wait for a slice of their loop. The jobs' thread only. */
    private static final class LoopQueue {
        private final Deque<String> waiting = new ArrayDeque<>();
        private boolean underWay;
        /** When no longer is waited for its slice. */
        private @Nullable Timer late;
    }

    /** @param whenOver told once, on the jobs' thread */
    Job(
            long id,
            Broadcast broadcast,
            Share share,
            long startedMillis,
            Jobs.Context context,
            Consumer<JobProgress> whenOver) {
        this.id = id;
        this.share = share;
        this.broadcast = broadcast.with(NOTHING);
        // its own: forms on the wire are found by the array, and another job may have the same
        message = broadcast.with(broadcast.payload().clone());
        this.startedMillis = startedMillis;
        this.context = context;
        this.whenOver = whenOver;
        int rate = broadcast.devicesPerSecond();
        periodNanos = rate == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / rate;
        startedNanos = context.now();
        shared = new SharedPayload(message.payload());
        long fit = context.pushes().limitBytes()
                / (broadcast.store() ? PART_OF_STORED : PART_OF_MEMORY)
                / (PushSettings.MESSAGE_BYTES + broadcast.payload().length);
        mostUnanswered = Math.min(broadcast.store() ? MOST_UNSTORED : Long.MAX_VALUE, Math.max(1, fit));
        sharers = broadcast.store() ? context.storing() : context.waiting();
        sharers.add(this);
    }

    long id() {
        return id;
    }

    // ------------------------------------------------------------------ any thread

    /** Goes on, soon. */
    void wake() {
        if (stepAsked.compareAndSet(false, true)) {
            onThread(this::step);
        }
    }

    private void onThread(Runnable task) {
        try {
            context.thread().execute(task);
        } catch (RejectedExecutionException ended) {
            // the process ends, and what it does in memory with it
        }
    }

    /** Ends it before its time, soon; see {@link Jobs#cancel}. */
    JobProgress cancel() {
        synchronized (this) {
            if (state.isOver() ? isAnyStored() : state != State.CANCELLING) {
                state = State.CANCELLING;
            }
        }
        JobProgress meanwhile = progress();
        wake();
        return meanwhile;
    }

    /** Whether it is over, and since when it has been so at least this long. */
    synchronized boolean isOverFor(long nanos, long nowNanos) {
        return state.isOver() && nowNanos - endedNanos >= nanos;
    }

    synchronized State state() {
        return state;
    }

    synchronized JobProgress progress() {
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            if (counts[outcome.ordinal()] > 0) {
                outcomes.put(outcome, counts[outcome.ordinal()]);
            }
        }
        return new JobProgress(
                id,
                broadcast,
                state,
                startedMillis,
                (state.isOver() ? endedNanos : context.now()) - startedNanos,
                devices,
                handed,
                unanswered,
                outcomes,
                List.copyOf(notReached));
    }

    private synchronized boolean enter(State from, State to) {
        if (state != from) {
            return false;
        }
        state = to;
        endedNanos = context.now();
        return true;
    }

    private synchronized boolean isAnyStored() {
        return broadcast.store() && (counts[Outcome.QUEUED.ordinal()] > 0 || counts[Outcome.UNKNOWN.ordinal()] > 0);
    }

    // ------------------------------------------------------------------ results; any thread

    /** On the loop of the device, or on the jobs' thread if it is not connected. */
    private void push(String deviceId) {
        Broadcast toAll = message;
        if (toAll == null || !begin()) {
            return;
        }
        try {
            way(deviceId).apply(toAll.to(deviceId)).whenComplete((result, fault) -> answered(deviceId, result, fault));
        } catch (RuntimeException | Error fault) {
            answered(deviceId, null, fault); // also without memory: else the job would never end
        }
    }

    private Function<Push, CompletionStage<@Nullable PushResult>> way(String deviceId) {
        Function<Push, CompletionStage<@Nullable PushResult>> elsewhere = share.elsewhere();
        Session session = elsewhere == null ? null : context.registry().serving(deviceId);
        boolean here = session != null && session.isEstablished();
        return here || elsewhere == null ? context.pushes()::send : elsewhere;
    }

    /** The turn of a device has come; false if no more may have theirs. */
    private synchronized boolean begin() {
        if (state != State.RUNNING) {
            return false;
        }
        handed++;
        unanswered++;
        return true;
    }

    private void answered(String deviceId, @Nullable PushResult result, @Nullable Throwable fault) {
        if (fault != null && faultTold.compareAndSet(false, true)) {
            LOG.error("job {}: what became of messages is unknown", Long.toUnsignedString(id), fault);
        }
        boolean anothers = result == null && fault == null;
        Outcome outcome = result == null ? Outcome.UNKNOWN : result.outcome();
        if (broadcast.store() && outcome == Outcome.ID_IN_USE) {
            outcome = Outcome.QUEUED; // by the job of the same message before a crash
        }
        int left;
        synchronized (this) {
            if (anothers) {
                devices--;
                handed--;
            } else {
                count(deviceId, outcome);
            }
            left = --unanswered;
        }
        if (left <= wakeAt) {
            wake();
        }
    }

    private synchronized void count(String deviceId, Outcome outcome) {
        counts[outcome.ordinal()]++;
        if (!JobProgress.isReached(outcome) && notReached.size() < JobProgress.MOST_NOT_REACHED) {
            notReached.add(new JobProgress.NotReached(deviceId, outcome));
        }
    }

    private synchronized int unanswered() {
        return unanswered;
    }

    // ------------------------------------------------------------------ steps; the jobs' thread

    private void step() {
        stepAsked.set(false);
        if (!share.begin().isDone()) {
            return; // that wakes it
        }
        wakeAt = -1;
        try {
            switch (state()) {
                case RUNNING -> run(context.now());
                case WAITING -> {
                    wakeWithResults();
                    if (unanswered() == 0) {
                        end(State.WAITING, State.DONE);
                    }
                }
                case CANCELLING -> {
                    wakeWithResults();
                    takeBack();
                }
                default -> {
                    // it is over
                }
            }
        } catch (RuntimeException | Error fault) {
            LOG.error("job {}: a step failed, and the job ends", Long.toUnsignedString(id), fault);
            end(state(), State.CANCELLED);
        }
        int now = inUse();
        if (now < inUseTold) {
            sharers.forEach(Job::roomLeft);
        }
        inUseTold = now;
    }

    /** Some of those that share with it have their results. */
    private void roomLeft() {
        if (waitsForRoom) {
            waitsForRoom = false;
            wake();
        }
    }

    /** The next step is due with some results more. To be called before a look at them, so that none is missed. */
    private void wakeWithResults() {
        wakeAt = (int) Math.max(0, inUse() - Math.max(1, Math.min(RESULTS_A_STEP, share() / 4)));
    }

    private void run(long nowNanos) {
        List<byte[]> all = targets;
        if (all == null) {
            all = context.members().targets(broadcast.group(), broadcast.store(), share.rest());
            targets = all;
            sinceNanos = nowNanos;
            synchronized (this) {
                devices = all.size();
            }
        }
        handOver(all, nowNanos);
        loops.forEach(this::sendSlice);
        if (next == all.size() && queued == 0 && enter(State.RUNNING, State.WAITING)) {
            wake();
        }
    }

    /** Where it stops before the end, a timer, a slice, a result or another step goes on. */
    private void handOver(List<byte[]> all, long nowNanos) {
        int until = (int) Math.min(all.size(), next + allowed(nowNanos));
        int first = next;
        while (next < until && queued < MOST_QUEUED && isRoom()) {
            if ((next - first & 63) == 63 && context.now() - nowNanos > STEP_NANOS) {
                wake();
                break;
            }
            String deviceId = new String(all.get(next), StandardCharsets.UTF_8);
            next++;
            Session session = context.registry().find(deviceId);
            if (session == null) {
                push(deviceId);
            } else {
                loops.computeIfAbsent(session.sessionContext().outbox(), loop -> new LoopQueue())
                        .waiting
                        .add(deviceId);
                queued++;
            }
        }
        sinceNanos += (next - first) * periodNanos;
        if (next == until && next < all.size()) {
            pause(Math.max(SHORTEST_PAUSE_NANOS, periodNanos));
        }
    }

    /** How many the rate allows now. What it allowed long ago and was not used, as while the process stood still, is not made up for. */
    private long allowed(long nowNanos) {
        if (periodNanos == 0) {
            return Integer.MAX_VALUE;
        }
        long mostNanos = Math.max(KEPT_NANOS, periodNanos);
        if (nowNanos - sinceNanos > mostNanos) {
            sinceNanos = nowNanos - mostNanos;
        }
        return (nowNanos - sinceNanos) / periodNanos;
    }

    private boolean isRoom() {
        if (inUse() < most()) {
            return true;
        }
        waitsForRoom = true;
        wakeWithResults();
        return inUse() < most();
    }

    /** Without a result, or on their way to be so. */
    private int inUse() {
        return unanswered() + queued;
    }

    private long share() {
        return Math.max(1, mostUnanswered / Math.max(1, sharers.size()));
    }

    /** So many it may have in use: an equal part, as far as others have not taken more than theirs. One in any case. */
    private long most() {
        double free = 1;
        for (Job other : sharers) {
            free -= other == this ? 0 : (double) other.inUse() / other.mostUnanswered;
        }
        return Math.max(1, Math.min(share(), (long) (mostUnanswered * free)));
    }

    private void pause(long nanos) {
        if (pause == null || pause.state() != Timer.State.PENDING) {
            try {
                pause = context.timers().once(nanos, this::wake);
            } catch (RejectedExecutionException full) {
                if (state() == State.RUNNING) {
                    // without a timer it has no pace, and it must not go faster
                    LOG.warn("job {} ends early: {}", Long.toUnsignedString(id), full.getMessage());
                    cancel();
                } // else the sweep goes on
            }
        }
    }

    private void sendSlice(Outbox<Session> loop, LoopQueue its) {
        if (its.underWay || its.waiting.isEmpty()) {
            return;
        }
        its.underWay = true;
        List<String> slice = new ArrayList<>(Math.min(SLICE_DEVICES, its.waiting.size()));
        while (slice.size() < SLICE_DEVICES && !its.waiting.isEmpty()) {
            slice.add(its.waiting.remove());
        }
        AtomicBoolean begun = new AtomicBoolean();
        try {
            its.late = context.timers().once(PATIENCE_NANOS, () -> onThread(() -> late(its, slice, begun)));
        } catch (RejectedExecutionException noRoom) {
            its.late = null; // it waits for this loop as long as that takes
        }
        try {
            loop.execute(() -> onLoop(its, slice, begun));
        } catch (RejectedExecutionException ended) {
            onLoop(its, slice, begun); // they are gone, and the pushes say so
        }
    }

    /** The loop stands still: the others do not wait for it, and for each of its devices no longer is waited than a push does. */
    private void late(LoopQueue its, List<String> slice, AtomicBoolean begun) {
        if (begun.compareAndSet(false, true)) {
            slice.addAll(its.waiting);
            its.waiting.clear();
            slice.forEach(this::push);
            sliceDone(its, slice, slice.size());
        }
    }

    /** On the loop of these devices. */
    private void onLoop(LoopQueue its, List<String> slice, AtomicBoolean begun) {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        SharedPayload forms = shared;
        long beganNanos = context.now();
        int[] done = new int[1];
        if (forms != null) {
            forms.during(() -> {
                do {
                    push(slice.get(done[0]++));
                } while (done[0] < slice.size() && context.now() - beganNanos < SLICE_NANOS);
            });
        }
        onThread(() -> sliceDone(its, slice, done[0]));
    }

    private void sliceDone(LoopQueue its, List<String> slice, int done) {
        its.underWay = false;
        stop(its.late);
        queued -= done;
        for (int i = slice.size() - 1; i >= done; i--) {
            its.waiting.addFirst(slice.get(i));
        }
        step();
    }

    // ------------------------------------------------------------------ its end; the jobs' thread

    /**
     * What waits in memory ends with a result of its own, and is looked for again until all have theirs: some was on its way. What is stored is taken back when
     * all is on the disk.
     */
    private void takeBack() {
        if (targets == null && isAnyStored()) {
            targets = context.members()
                    .targets(broadcast.group(), true, share.rest()); // it was over: those who are known now
            next = targets.size();
        }
        List<byte[]> all = targets;
        boolean waiting = unanswered() > 0;
        if (waiting && broadcast.store()) {
            return; // the disk answers soon, and its answer goes on
        }
        boolean through = takenBack == next && takingBack.get() == 0;
        if (all == null || (!waiting && (through || !isAnyStored()))) {
            end(State.CANCELLING, State.CANCELLED);
            return;
        }
        int until = Math.min(next, takenBack + SLICE_DEVICES);
        while (takenBack < until && takingBack.get() < SLICE_DEVICES) {
            takeBack(new String(all.get(takenBack), StandardCharsets.UTF_8));
            takenBack++;
        }
        if (takenBack < next && takingBack.get() < SLICE_DEVICES) {
            wake();
        } else if (waiting) {
            takenBack = 0;
            pause(TAKE_BACK_NANOS);
        }
    }

    private void takeBack(String deviceId) {
        if (!broadcast.store()) {
            context.pushes().cancel(deviceId, broadcast.messageId(), false);
        } else {
            CompletionStage<Boolean> asked = context.pushes().cancel(deviceId, broadcast.messageId(), true);
            takingBack.incrementAndGet();
            asked.whenComplete((any, fault) -> {
                if (fault == null && any) {
                    takenBack(deviceId);
                }
                takingBack.decrementAndGet();
                wake();
            });
        }
    }

    private synchronized void takenBack(String deviceId) {
        Outcome was = counts[Outcome.QUEUED.ordinal()] > 0 ? Outcome.QUEUED : Outcome.UNKNOWN;
        if (counts[was.ordinal()] > 0) { // else it was stored by the job before a crash, which counted it
            counts[was.ordinal()]--;
            count(deviceId, Outcome.CANCELLED);
        }
    }

    private static void stop(@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    private void end(State from, State to) {
        if (!enter(from, to)) {
            return;
        }
        stop(pause);
        loops.values().forEach(its -> stop(its.late));
        message = null;
        shared = null;
        targets = null;
        takenBack = 0;
        loops.clear();
        if (!told) {
            told = true;
            sharers.remove(this);
            sharers.forEach(Job::roomLeft);
            whenOver.accept(progress());
        }
    }
}

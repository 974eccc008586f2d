package io.heartwheel.push.group;

import io.heartwheel.push.Pushes;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.wheel.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Broadcasts under way, and the latest that are over. In memory only; what they stored is on the disk.
 *
 * <p>Any thread; never blocks.
 */
public final class Jobs {
    private final Context context;
    private final LongSupplier wallMillis;
    private volatile JobSettings settings;

    // ---- guarded by jobs
    private final TreeMap<Long, Job> jobs = new TreeMap<>();
    private long lastId;

    /**
     * Surroundings of all jobs.
     *
     * @param storing jobs under way that wait for the disk
     * @param waiting all others that are under way: what they send may wait for devices
     */
    record Context(
            GroupMembers members,
            SessionRegistry registry,
            Pushes pushes,
            Timers timers,
            Executor thread,
            LongSupplier nanoClock,
            Set<Job> storing,
            Set<Job> waiting) {
        long now() {
            return nanoClock.getAsLong();
        }
    }

    /**
     * None yet.
     *
     * @param timers for their pace; {@code nanoClock} turns their wheel
     * @param thread runs one task at a time, in order
     * @param nanoClock monotonic nanoseconds
     * @param wallMillis milliseconds since 1970
     */
    public Jobs(
            GroupMembers members,
            SessionRegistry registry,
            Pushes pushes,
            Timers timers,
            Executor thread,
            LongSupplier nanoClock,
            LongSupplier wallMillis,
            JobSettings settings) {
        context = new Context(
                members,
                registry,
                pushes,
                timers,
                thread,
                nanoClock,
                ConcurrentHashMap.newKeySet(),
                ConcurrentHashMap.newKeySet());
        this.wallMillis = wallMillis;
        this.settings = settings;
    }

    /** Other limits for what comes; members that are there stay. */
    public void reconfigure(JobSettings fresh) {
        settings = fresh;
        context.members().limit(fresh.members());
    }

    /** Begins one. Its progress, before its first step. */
    public JobProgress start(Broadcast broadcast) {
        return start(broadcast, over -> {});
    }

    /**
     * The same, for somebody who wants to know of its end.
     *
     * @param whenOver called once when each device has its result, quick; never if the process ends before
     * @throws RejectedExecutionException if as many are under way as may be
     */
    public JobProgress start(Broadcast broadcast, Consumer<JobProgress> whenOver) {
        return start(broadcast, Share.WHOLE, whenOver);
    }

    /** The same, where other gateways have their shares of it. */
    public JobProgress start(Broadcast broadcast, Share share, Consumer<JobProgress> whenOver) {
        Job job;
        synchronized (jobs) {
            makeRoom();
            long nowMillis = wallMillis.getAsLong();
            lastId = Math.max(lastId + 1, TimeUnit.MILLISECONDS.toMicros(nowMillis));
            job = new Job(lastId, broadcast, share, nowMillis, context, whenOver);
            jobs.put(lastId, job);
        }
        JobProgress begun = job.progress();
        share.begin().thenRun(job::wake);
        return begun;
    }

    /** Under the lock. */
    private void makeRoom() {
        forget();
        int most = settings.max();
        while (jobs.size() >= most) {
            long oldest = jobs.values().stream()
                    .filter(job -> job.state().isOver())
                    .mapToLong(Job::id)
                    .findFirst()
                    .orElseThrow(() -> new RejectedExecutionException(
                            "messages.jobs.max = " + most + ": that many are under way"));
            jobs.remove(oldest);
        }
    }

    /** Those whose time is over. Under the lock. */
    private void forget() {
        long nowNanos = context.now();
        long keepNanos = settings.keep().toNanos();
        jobs.values().removeIf(job -> job.isOverFor(keepNanos, nowNanos));
    }

    private @Nullable Job job(long id) {
        synchronized (jobs) {
            forget();
            return jobs.get(id);
        }
    }

    /** One that is remembered. */
    public Optional<JobProgress> find(long id) {
        return Optional.ofNullable(job(id)).map(Job::progress);
    }

    /**
     * Ends one before its time: no device gets its message any more, and what is not acknowledged is taken back, soon.
     *
     * @return its progress meanwhile; empty if there is none
     */
    public Optional<JobProgress> cancel(long id) {
        return Optional.ofNullable(job(id)).map(Job::cancel);
    }

    /**
     * Some of those that are remembered, the newest first.
     *
     * @param before the id of the last one of the page before, null for the first page
     * @param limit at most so many
     */
    public List<JobProgress> list(@Nullable Long before, int limit) {
        List<Job> some = new ArrayList<>();
        synchronized (jobs) {
            forget();
            (before == null ? jobs : jobs.headMap(before, false))
                    .descendingMap().values().stream().limit(limit).forEach(some::add);
        }
        return some.stream().map(Job::progress).toList();
    }

    /** To be called about once a second: each looks whether it can go on, be it that too little came to be told of, or that the wheel is full. */
    public void sweep() {
        synchronized (jobs) {
            jobs.values().stream().filter(job -> !job.state().isOver()).forEach(Job::wake);
        }
    }

    /** Jobs that are not over. */
    public long running() {
        synchronized (jobs) {
            return jobs.values().stream().filter(job -> !job.state().isOver()).count();
        }
    }
}

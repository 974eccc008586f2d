package io.heartwheel.auth.jwt;

import io.heartwheel.auth.AuthText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys that an issuer publishes at a URL, fetched by a thread of its own.
 *
 * <pre>
 *   owner    the thread jwt-keys, which calls step(); callers of inForce() and missing() are workers and event loops
 *   current  volatile, written by step()
 *   underWay the owner's alone
 *   schedule, waiters, wanted, absent   under the lock; nothing is read, fetched, logged or told under it
 * </pre>
 *
 * <p>A key id is unknown for certain only if it was wanted when a fetch brought keys, and was not among them. Others may belong to a key that the issuer has
 * just begun to use: whoever floods the gateway with ids of his own uses up the fetches, but has no other refused.
 */
final class KeyUrl implements KeySource {
    /** As many may wait for one fetch. */
    static final int MOST_WAITING = 1_024;
    /** As many key ids are known to be unknown. */
    static final int MOST_ABSENT = 256;

    private static final Logger LOG = LoggerFactory.getLogger(KeyUrl.class);
    private static final int LONGEST_PROBLEM = 200;
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_WAIT_NANOS = Duration.ofMinutes(1).toNanos();

    /** Keys of the last good fetch. */
    private record Current(KeySet keys, long fetchedNanos, long untilNanos) {}

    /** A good fetch. */
    private record Fetched(KeySet keys, String ignored, long maxAgeNanos) {}

    /** Fetch under way. */
    private record Call(
            CompletableFuture<KeyFetcher.Document> document, CompletableFuture<Fetched> keys, long startedNanos) {}

    private record Waiting(long deadlineNanos, Waiter waiter) {}

    private final String place;
    private final KeyFetcher fetcher;
    private final JwksReader reader;
    private final LongSupplier nanoClock;
    private final long timeoutNanos;

    private volatile @Nullable Current current;
    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    private final Object lock = new Object();
    private final KeySchedule schedule;
    private final List<Waiting> waiters = new ArrayList<>();
    /** Key ids asked for since the latest good fetch. */
    private final Set<String> wanted = new HashSet<>();
    /** Those asked for before it that it did not bring. */
    private Set<String> absent = Set.of();

    private final LongAdder goodFetches = new LongAdder();
    private final LongAdder failedFetches = new LongAdder();
    private @Nullable Call underWay;

    /** @param place URL as it may be shown */
    KeyUrl(
            String place,
            KeyFetcher fetcher,
            JwksReader reader,
            KeySchedule schedule,
            Duration timeout,
            LongSupplier nanoClock) {
        this.place = place;
        this.fetcher = fetcher;
        this.reader = reader;
        this.schedule = schedule;
        this.nanoClock = nanoClock;
        timeoutNanos = timeout.toNanos();
    }

    /** Starts its thread. */
    KeyUrl start() {
        Thread started = new Thread(this::run, "jwt-keys");
        started.setDaemon(true);
        thread = started;
        started.start();
        return this;
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, stepOrPause());
        }
    }

    /** A fault of ours must not end the thread: nobody would fetch keys any more. */
    private long stepOrPause() {
        try {
            return step(nanoClock.getAsLong());
        } catch (RuntimeException | Error fault) {
            LOG.error("keys of {}: a step failed", place, fault);
            return PAUSE_NANOS;
        }
    }

    private void wake() {
        Thread sleeping = thread;
        if (sleeping != null) {
            LockSupport.unpark(sleeping);
        }
    }

    // ------------------------------------------------------------------ its own thread

    /**
     * Does what is due: takes a fetch that is done, tells those who have waited, starts a fetch.
     *
     * @return nanoseconds until there is something to do again, unless it is woken
     */
    long step(long nowNanos) {
        Call call = underWay;
        if (call != null && (call.keys.isDone() || nowNanos - call.startedNanos >= timeoutNanos)) {
            underWay = null;
            finish(call, nowNanos);
        }
        tellLate(nowNanos);
        boolean begins;
        synchronized (lock) {
            begins = schedule.isDue(nowNanos);
            if (begins) {
                schedule.started(nowNanos);
            }
        }
        if (begins) {
            underWay = begin(nowNanos);
        }
        return waitNanos(nowNanos);
    }

    /** One that cannot begin has failed, or no other would ever be due. */
    private CompletableFuture<KeyFetcher.Document> fetch() {
        try {
            return fetcher.fetch();
        } catch (RuntimeException | Error fault) {
            return CompletableFuture.failedFuture(fault);
        }
    }

    private Call begin(long nowNanos) {
        CompletableFuture<KeyFetcher.Document> document = fetch();
        CompletableFuture<Fetched> keys = document.thenApply(this::read);
        keys.whenComplete((done, failure) -> wake());
        return new Call(document, keys, nowNanos);
    }

    /** On a thread of the fetcher. */
    private Fetched read(KeyFetcher.Document document) {
        StringBuilder ignored = new StringBuilder();
        try {
            KeySet keys = reader.read(document.body(), note -> ignored.append(ignored.isEmpty() ? "" : "; ")
                    .append(note));
            return new Fetched(keys, ignored.toString(), document.maxAgeNanos());
        } catch (IOException bad) {
            throw new UncheckedIOException(bad.getMessage(), bad);
        }
    }

    private void finish(Call call, long nowNanos) {
        Outcome outcome = Outcome.FAILED;
        try {
            if (call.keys.isDone()) {
                inForce(call.keys.join(), nowNanos);
                outcome = Outcome.READ;
            } else {
                call.document.cancel(true);
                failed("no answer within " + timeoutNanos / 1_000_000 + " ms", nowNanos);
            }
        } catch (CompletionException | CancellationException failure) {
            failed(text(failure), nowNanos);
        }
        tellAll(outcome);
    }

    private void tellAll(Outcome outcome) {
        List<Waiting> told;
        synchronized (lock) {
            told = List.copyOf(waiters);
            waiters.clear();
        }
        for (Waiting each : told) {
            each.waiter.done(outcome);
        }
    }

    private void inForce(Fetched fetched, long nowNanos) {
        long untilNanos;
        boolean failedBefore;
        synchronized (lock) {
            failedBefore = schedule.isFailing();
            untilNanos = schedule.fetched(nowNanos, fetched.maxAgeNanos);
            wanted.removeIf(fetched.keys::has);
            absent = Set.copyOf(wanted);
            wanted.clear();
        }
        Current before = current;
        boolean changed = before == null || !before.keys.hasKeysOf(fetched.keys);
        current = new Current(before == null || changed ? fetched.keys : before.keys, nowNanos, untilNanos);
        goodFetches.increment();
        if (changed && !fetched.ignored.isEmpty()) {
            LOG.warn("keys of {}: not used: {}", place, fetched.ignored);
        }
        if (changed || failedBefore) {
            LOG.info("keys of {}: {} in force", place, fetched.keys.size());
        }
    }

    private void failed(String problem, long nowNanos) {
        boolean first;
        synchronized (lock) {
            first = !schedule.isFailing();
            schedule.failed(nowNanos);
        }
        failedFetches.increment();
        if (first) {
            Current now = current;
            LOG.warn(
                    "keys of {} cannot be fetched: {}; {}",
                    place,
                    problem,
                    now == null
                            ? "there are none, devices are told to come later"
                            : "those in force stay for " + (now.untilNanos - nowNanos) / 1_000_000_000 + " s");
        }
    }

    private static String text(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        String message = cause.getMessage();
        return message == null || message.isEmpty()
                ? cause.getClass().getSimpleName()
                : AuthText.line(message, LONGEST_PROBLEM);
    }

    private void tellLate(long nowNanos) {
        List<Waiting> late = new ArrayList<>();
        synchronized (lock) {
            for (Iterator<Waiting> each = waiters.iterator(); each.hasNext(); ) {
                Waiting waiting = each.next();
                if (nowNanos - waiting.deadlineNanos >= 0) {
                    late.add(waiting);
                    each.remove();
                }
            }
        }
        late.forEach(each -> each.waiter.done(Outcome.TOO_LATE));
    }

    private long waitNanos(long nowNanos) {
        Call call = underWay;
        synchronized (lock) {
            long nanos = call == null ? schedule.nextNanos() - nowNanos : call.startedNanos + timeoutNanos - nowNanos;
            for (Waiting each : waiters) {
                nanos = Math.min(nanos, each.deadlineNanos - nowNanos);
            }
            return Math.max(1, Math.min(nanos, LONGEST_WAIT_NANOS));
        }
    }

    // ------------------------------------------------------------------ any thread

    @Override
    public @Nullable KeySet inForce() {
        Current now = current;
        return now == null || nanoClock.getAsLong() - now.untilNanos > 0 ? null : now.keys;
    }

    @Override
    public Missing missing(@Nullable String kid, long deadlineNanos, Waiter waiter) {
        synchronized (lock) {
            if (closed) {
                return Missing.OUTAGE;
            }
            boolean worthWaiting = schedule.unknownKey(nanoClock.getAsLong());
            if (kid != null && wanted.size() < MOST_ABSENT) {
                wanted.add(kid);
            }
            if (!worthWaiting) {
                return schedule.isFailing() ? Missing.OUTAGE : certain(kid);
            }
            if (waiters.size() >= MOST_WAITING) {
                return Missing.BUSY;
            }
            waiters.add(new Waiting(deadlineNanos, waiter));
        }
        wake();
        return Missing.WAITING;
    }

    private Missing certain(@Nullable String kid) {
        return kid != null && absent.contains(kid) ? Missing.NO_SUCH_KEY : Missing.NOT_YET;
    }

    @Override
    public JwkStatus status() {
        Current now = current;
        KeySet keys = inForce();
        return new JwkStatus(
                keys == null ? 0 : keys.size(),
                now == null ? 0 : nanoClock.getAsLong() - now.fetchedNanos,
                goodFetches.sum(),
                failedFetches.sum());
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true; // nobody waits after this
        }
        wake();
        fetcher.close();
        tellAll(Outcome.FAILED);
    }
}

package io.heartwheel.app;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthChain;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthObserver;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.AuthWorkers;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.MethodSettings;
import io.heartwheel.liveness.ThreadProgress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Methods of authentication of a gateway: opened at start, exchanged by a reload, their files watched by a thread of their own.
 *
 * <pre>
 *   reload --settings--&gt; prepare: open what is new --problems--&gt; closed again, nothing has changed
 *                           | good
 *                        take: the chain asks them --&gt; what is asked no more is closed
 *   watch, each period --&gt; refresh: files that have changed; a mistake is told once, and what was read before stays in force
 * </pre>
 *
 * A method whose settings are the same stays as it is, with all that it knows.
 *
 * <p>Any thread that may block on files; what opens, exchanges and refreshes methods is guarded by this. {@link #close} waits a second for it at most: a read
 * of a mount that hangs would hold up the end of the process.
 */
final class Authentication implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Authentication.class);
    /** What start-up may take longer so that the first devices do not. */
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanoClock;
    private final ThreadProgress progress;
    private final AuthWorkers workers;
    private final AuthContext context;
    private final AuthChain chain;
    private final MethodFigures figures;

    // ---- guarded by this
    private final Map<MethodSettings, Authenticator> open = new HashMap<>();
    private final Set<String> told = new HashSet<>();
    private AuthSettings settings;
    private long nextLookNanos;
    private volatile @Nullable Housekeeping watch;

    private volatile boolean closed;
    private volatile int fileProblems;

    private Authentication(
            AuthSettings settings,
            LongSupplier nanoClock,
            AuthContext context,
            AuthWorkers workers,
            AuthChain chain,
            ThreadProgress progress) {
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.progress = progress;
        this.context = context;
        this.workers = workers;
        this.chain = chain;
        figures = new MethodFigures(chain.methods());
        nextLookNanos = nanoClock.getAsLong() + settings.watch().period().toNanos();
    }

    /**
     * Opens the methods.
     *
     * @param observer told of each answer; faults of methods are logged here
     * @param nanoClock monotonic nanoseconds
     * @param wallMillis milliseconds since 1970
     * @param progress of the thread that watches files
     * @throws IOException naming each that cannot be opened; nothing is left running then
     */
    static Authentication open(
            AuthSettings settings,
            AuthObserver observer,
            LongSupplier nanoClock,
            LongSupplier wallMillis,
            ThreadProgress progress)
            throws IOException {
        AuthWorkers workers = new AuthWorkers(settings.workers());
        AuthContext context = new AuthContext(workers, new Grants(), nanoClock, wallMillis);
        Map<MethodSettings, Authenticator> opened = new HashMap<>();
        List<String> problems = openEach(settings.methods(), context, opened);
        if (!problems.isEmpty()) {
            opened.values().forEach(Authentication::closeQuietly);
            workers.close();
            throw new IOException(String.join("; ", problems));
        }
        AuthChain chain =
                new AuthChain(settings, inOrder(settings, opened), new Faults(observer, nanoClock), nanoClock);
        Authentication all = new Authentication(settings, nanoClock, context, workers, chain, progress);
        all.begin(opened);
        return all;
    }

    private synchronized void begin(Map<MethodSettings, Authenticator> opened) {
        open.putAll(opened);
        long untilNanos = nanoClock.getAsLong() + WARM_UP_NANOS;
        chain.methods().forEach(method -> warmUp(method, untilNanos));
        watchFiles();
    }

    private static void warmUp(Authenticator method, long untilNanos) {
        try {
            method.warmUp(untilNanos);
        } catch (RuntimeException fault) {
            LOG.warn("auth.{} answers its first devices more slowly: {}", method.name(), fault.toString());
        }
    }

    /** What sessions ask: the same object for as long as the gateway runs. */
    AuthChain chain() {
        return chain;
    }

    /** Mistakes in files now. */
    int fileProblems() {
        return fileProblems;
    }

    /** Figures of the methods. */
    MethodFigures figures() {
        return figures;
    }

    // ------------------------------------------------------------------ reload

    /** Methods that are ready to be asked, but are not yet: to be taken, or to be discarded. One thread, once. */
    final class Change {
        private final AuthSettings fresh;
        private final Map<MethodSettings, Authenticator> opened;
        private final List<String> problems;

        private Change(AuthSettings fresh, Map<MethodSettings, Authenticator> opened, List<String> problems) {
            this.fresh = fresh;
            this.opened = opened;
            this.problems = problems;
        }

        /** What cannot be used; empty: it may be taken. */
        List<String> problems() {
            return problems;
        }

        /** Asks these from now on, and closes those that are asked no more. */
        void take() {
            exchange(fresh, opened);
        }

        /** Leaves all as it was. */
        void discard() {
            opened.values().forEach(Authentication::closeQuietly);
        }
    }

    /** Opens the methods that are new in these settings, and reads the files of the others again. */
    synchronized Change prepare(AuthSettings fresh) {
        List<MethodSettings> missing =
                fresh.methods().stream().filter(each -> !open.containsKey(each)).toList();
        Map<MethodSettings, Authenticator> opened = new HashMap<>();
        List<String> problems = openEach(missing, context, opened);
        for (MethodSettings each : fresh.methods()) {
            Authenticator kept = open.get(each);
            if (kept != null) {
                problems.addAll(attempted(kept, Authenticator::reload));
            }
        }
        return new Change(fresh, opened, problems);
    }

    /**
     * Goes by these settings from now on.
     *
     * @return what cannot be used; then nothing has changed
     */
    List<String> reconfigure(AuthSettings fresh) {
        Change change = prepare(fresh);
        if (change.problems().isEmpty()) {
            change.take();
        } else {
            change.discard();
        }
        return change.problems();
    }

    private synchronized void exchange(AuthSettings fresh, Map<MethodSettings, Authenticator> opened) {
        open.putAll(opened);
        settings = fresh;
        List<Authenticator> left = chain.reconfigure(fresh, inOrder(fresh, open));
        figures.exchange(chain.methods());
        open.keySet().retainAll(fresh.methods());
        left.forEach(Authentication::closeQuietly);
        if (closed) {
            close(); // those that have come meanwhile
        }
        nextLookNanos = nanoClock.getAsLong() + fresh.watch().period().toNanos();
        tellProblems(List.of());
        watchFiles();
    }

    private static List<Authenticator> inOrder(AuthSettings settings, Map<MethodSettings, Authenticator> of) {
        return settings.methods().stream().map(of::get).toList();
    }

    private static List<String> openEach(
            List<MethodSettings> wanted, AuthContext context, Map<MethodSettings, Authenticator> into) {
        List<String> problems = new ArrayList<>();
        for (MethodSettings each : wanted) {
            try {
                into.put(each, each.open(context));
            } catch (IOException unusable) {
                problems.add(String.valueOf(unusable.getMessage()));
            } catch (RuntimeException fault) {
                LOG.error("auth.{} cannot be opened", each.method(), fault);
                problems.add("auth." + each.method() + ": " + fault);
            }
        }
        return problems;
    }

    private static void closeQuietly(Authenticator method) {
        try {
            method.close();
        } catch (RuntimeException fault) {
            LOG.warn("auth.{} did not close: {}", method.name(), fault.toString());
        }
    }

    // ------------------------------------------------------------------ files

    /** Files are watched from the first method on. */
    private void watchFiles() {
        if (watch == null && !closed && !open.isEmpty()) {
            watch = new Housekeeping(progress, this::look).begin();
        }
    }

    /** Does what is due. */
    synchronized void look() {
        long nowNanos = nanoClock.getAsLong();
        if (settings.watch().enabled() && nowNanos - nextLookNanos >= 0) {
            nextLookNanos = nowNanos + settings.watch().period().toNanos();
            refresh();
        }
    }

    /** Reads files again that have changed. */
    synchronized void refresh() {
        List<String> problems = new ArrayList<>();
        chain.methods().forEach(method -> problems.addAll(attempted(method, Authenticator::refresh)));
        tellProblems(problems);
    }

    private static List<String> attempted(Authenticator method, Function<Authenticator, List<String>> reading) {
        try {
            return reading.apply(method);
        } catch (RuntimeException fault) {
            return List.of("auth." + method.name() + ": " + fault);
        }
    }

    /** Each problem once, until it is gone. */
    private void tellProblems(List<String> problems) {
        fileProblems = problems.size();
        told.retainAll(problems);
        for (String problem : problems) {
            if (told.add(problem)) {
                LOG.warn("{}; not taken, what was read before stays in use", problem);
            }
        }
    }

    @Override
    public void close() {
        closed = true; // first: an exchange that did not see it has its methods closed here
        Housekeeping files = watch;
        if (files != null) {
            files.close();
        }
        chain.methods().forEach(Authentication::closeQuietly);
        workers.close();
    }

    /** Observer that logs faults, one in ten seconds with its trace, and passes the rest on. */
    private static final class Faults implements AuthObserver {
        private final AuthObserver next;
        private final LongSupplier nanoClock;
        private final AtomicLong tellNanos;
        private final AtomicLong untold = new AtomicLong();

        Faults(AuthObserver next, LongSupplier nanoClock) {
            this.next = next;
            this.nanoClock = nanoClock;
            tellNanos = new AtomicLong(nanoClock.getAsLong());
        }

        @Override
        public void asked(long nanos) {
            next.asked(nanos);
        }

        @Override
        public void answered(String method, @Nullable AuthCause cause, long nanos) {
            next.answered(method, cause, nanos);
        }

        @Override
        public void failed(String method, Throwable fault) {
            next.failed(method, fault);
            long nowNanos = nanoClock.getAsLong();
            long dueNanos = tellNanos.get();
            if (nowNanos - dueNanos >= 0 && tellNanos.compareAndSet(dueNanos, nowNanos + TELL_NANOS)) {
                LOG.error(
                        "authentication by {} failed; {} more since it was told last",
                        method,
                        untold.getAndSet(0),
                        fault);
            } else {
                untold.incrementAndGet();
            }
        }
    }
}

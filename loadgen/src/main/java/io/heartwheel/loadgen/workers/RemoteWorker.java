package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.workers.WorkerRequest.Ask;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A worker in another process. Each request goes out and its reply comes in on a thread of this worker's own, so that
 * neither a full pipe nor a silent process holds up the caller for longer than the time limit. That thread may be stuck
 * then, and so may whoever cuts the link: a failure reaches the caller over neither of them.
 *
 * <p>One caller at a time. A worker that did not reply in time, or whose stream ended, is lost: its link is cut, and
 * every further request fails at once.
 *
 * <pre>
 *   caller -- ask --&gt; [own thread: write line, read line] -- reply or failure --&gt; caller
 *      |                                                                            ^
 *      +------------------------ time limit: cut the link ---------------------------+
 * </pre>
 */
final class RemoteWorker implements AutoCloseable {

    private static final Duration GOODBYE = Duration.ofSeconds(20);
    private static final long CUT_MILLIS = 2_000;
    private static final ExecutorService GIVING_UP =
            Executors.newCachedThreadPool(new DefaultThreadFactory("giving-up", true));

    private final String name;
    private final LineChannel lines;
    private final Link link;
    private final ExecutorService thread;

    private volatile Duration limit;
    private volatile @Nullable CompletableFuture<WorkerReply> pending;
    private volatile @Nullable Duration hurried;
    private volatile long devices;
    private volatile boolean lost;
    private volatile boolean closed;

    /** Connection that a conversation uses. Any thread. */
    interface Link {

        /** Ends it at once, without waiting; whoever reads from it sees the end. */
        void cut();

        /** Ends it in good order; may take seconds. Idempotent. */
        default void close() {
            cut();
        }

        /** What the other side said last, outside the conversation; empty when nothing. */
        default String lastWords() {
            return "";
        }

        /** The process on this machine that is on the other side, if it is one. */
        default OptionalLong pid() {
            return OptionalLong.empty();
        }
    }

    /** @param name for people, for example {@code worker 3} */
    RemoteWorker(String name, LineChannel lines, Duration limit, Link link) {
        this.name = name;
        this.lines = lines;
        this.limit = limit;
        this.link = link;
        this.thread = Executors.newSingleThreadExecutor(new DefaultThreadFactory("to " + name, true));
    }

    /** Its process, if it is one on this machine. */
    OptionalLong pid() {
        return link.pid();
    }

    /** Devices it was given, 0 before that. */
    long devices() {
        return devices;
    }

    /** From now on it has less time: so much for what it was asked, and so much for each further request. Any thread. */
    void hurry(Duration asked, Duration further) {
        limit = further;
        CompletableFuture<WorkerReply> current = pending;
        if (current != null && !current.isDone()) {
            hurried = asked;
            current.orTimeout(asked.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** What its machine allows. */
    MachineLimits capacity() {
        return answered(ask(WorkerRequest.of(Ask.CAPACITY)), WorkerReply::limits);
    }

    /** Gives it its part; within a time limit of its own, because an agent starts processes for it. */
    CompletableFuture<WorkerReply> prepare(Assignment assignment, Duration startLimit) {
        devices = assignment.shares().stream()
                .mapToLong(share -> share.slice().count())
                .sum();
        return ask(WorkerRequest.of(assignment), startLimit);
    }

    /** Ends the worker and what it runs in. Never throws; idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (!lost) {
                // Asked for the sake of good order only: whatever the reply is, the link is closed behind it.
                ask(WorkerRequest.of(Ask.CLOSE), GOODBYE)
                        .exceptionally(failure -> WorkerReply.DONE)
                        .join();
            }
            lost = true;
            link.close();
            thread.shutdownNow();
        }
    }

    /** Asks within the usual limit; the future fails with an {@link IllegalStateException} that names this worker. */
    CompletableFuture<WorkerReply> ask(WorkerRequest request) {
        return ask(request, limit);
    }

    private CompletableFuture<WorkerReply> ask(WorkerRequest request, Duration within) {
        if (lost) {
            return CompletableFuture.failedFuture(new IllegalStateException(name + " is lost"));
        }
        CompletableFuture<WorkerReply> told = new CompletableFuture<>();
        CompletableFuture<WorkerReply> exchanged = CompletableFuture.supplyAsync(() -> exchange(request), thread);
        pending = exchanged;
        hurried = null;
        exchanged.orTimeout(within.toMillis(), TimeUnit.MILLISECONDS).whenComplete((reply, failure) -> {
            if (failure != null) {
                giveUp(told, request, Objects.requireNonNullElse(hurried, within), failure);
            } else if (reply.error() != null) {
                told.completeExceptionally(new IllegalStateException(name + ": " + reply.error()));
            } else {
                told.complete(reply);
            }
        });
        return told;
    }

    /** What could not be asked or understood cannot be trusted to reply the next request either. */
    private void giveUp(
            CompletableFuture<WorkerReply> told, WorkerRequest request, Duration within, Throwable failure) {
        lost = true;
        CompletableFuture.runAsync(link::cut, GIVING_UP)
                .orTimeout(CUT_MILLIS, TimeUnit.MILLISECONDS)
                .handleAsync((cut, stuck) -> told.completeExceptionally(failed(request, within, failure)), GIVING_UP);
    }

    private WorkerReply exchange(WorkerRequest request) {
        try {
            lines.write(Json.text(request));
            String line = lines.read();
            if (line == null) {
                throw new IOException("its stream ended");
            }
            return Json.value(line, WorkerReply.class).toldBy(name);
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    private IllegalStateException failed(WorkerRequest request, Duration within, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        String asked = request.ask().label();
        String what = cause instanceof TimeoutException
                ? String.format(Locale.ROOT, "did not answer %s within %,d ms", asked, within.toMillis())
                : "was lost at " + asked + " (" + cause.getMessage() + ")";
        String last = link.lastWords();
        return new IllegalStateException(
                name + " " + what + (last.isEmpty() ? "" : "; its last words:\n" + last), cause);
    }

    /** Waits for a reply. */
    WorkerReply answered(CompletableFuture<WorkerReply> pending) {
        return answered(pending, reply -> reply);
    }

    /**
     * Waits for a reply and takes from it what was asked for.
     *
     * @throws IllegalStateException naming this worker
     */
    <T> T answered(CompletableFuture<WorkerReply> pending, Function<WorkerReply, @Nullable T> what) {
        try {
            T value = what.apply(pending.join());
            if (value == null) {
                throw new IllegalStateException(name + ": its answer lacks what was asked for");
            }
            return value;
        } catch (CompletionException e) {
            throw e.getCause() instanceof IllegalStateException known ? known : new IllegalStateException(e);
        }
    }
}

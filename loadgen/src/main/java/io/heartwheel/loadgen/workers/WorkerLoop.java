package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.Worker;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The worker's side of a conversation: a request a line, a reply a line, one after the other, until the coordinator says
 * CLOSE or the stream ends. A coordinator that is gone must not be outlived: the end of the stream is noticed also while a
 * request is being worked on, which is then interrupted.
 *
 * <p>{@link #run} belongs to one thread, on which the worker is called too; a second one reads.
 */
public final class WorkerLoop {

    private static final int QUEUED_LINES = 4;

    private final LineChannel lines;
    private final Function<Assignment, ? extends Worker> factory;
    private final Supplier<MachineLimits> limits;
    private final Runnable lost;
    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(QUEUED_LINES);
    private final Object lock = new Object();

    private boolean over; // guarded by lock: no interrupt any more
    private volatile boolean deserted; // reader
    private @Nullable Worker worker; // the loop's thread

    /**
     * A conversation that has not begun.
     *
     * @param factory makes the worker of an assignment, not begun; called once, and what it throws is told to the coordinator
     * @param limits what this machine allows, if asked
     * @param lost called once on another thread when the coordinator is gone; at once, whatever the worker is doing
     */
    public WorkerLoop(
            InputStream in,
            OutputStream out,
            Function<Assignment, ? extends Worker> factory,
            Supplier<MachineLimits> limits,
            Runnable lost) {
        this.lines = new LineChannel(in, out, Json.MOST_LINE_BYTES);
        this.factory = factory;
        this.limits = limits;
        this.lost = lost;
    }

    /** Runs until the end; the worker is closed then, whatever happened. */
    public void run() {
        Thread self = Thread.currentThread();
        Thread reader = new DefaultThreadFactory("questions", true).newThread(() -> read(self));
        reader.start();
        try {
            converse();
        } catch (InterruptedException e) {
            // By the reader: the coordinator is gone, and the rest below is all that is left to do.
        } finally {
            finish();
            // The reader's, if it came late: closing takes its time in good order.
            Thread.interrupted();
            closeWorker();
            reader.interrupt();
        }
    }

    private void finish() {
        synchronized (lock) {
            over = true;
        }
    }

    private void converse() throws InterruptedException {
        boolean last = false;
        // Asked each time: what the worker does may have swallowed the interrupt.
        while (!deserted && !last) {
            WorkerReply reply;
            try {
                WorkerRequest request = Json.value(queue.take(), WorkerRequest.class);
                last = request.ask() == WorkerRequest.Ask.CLOSE;
                reply = reply(request);
            } catch (IOException e) {
                reply = WorkerReply.failure("not a question: " + e.getMessage());
            }
            if (last) {
                // From here on the coordinator may hang up as it likes.
                finish();
            }
            try {
                lines.write(Json.text(reply));
            } catch (IOException e) {
                // Nobody listens any more: the same as the end of the stream.
                return;
            }
        }
    }

    private WorkerReply reply(WorkerRequest request) {
        try {
            return switch (request.ask()) {
                case CAPACITY -> WorkerReply.of(limits.get());
                case PREPARE -> done(() -> prepare(request.assignment()));
                case BEGIN -> done(worker()::begin);
                case LOOK -> WorkerReply.of(worker().snapshot());
                case OBSERVE -> done(worker()::observe);
                case ACT -> done(() -> worker().act(request.step()));
                case PUSHED ->
                    done(() ->
                            worker().pushed(Objects.requireNonNull(request.pushes(), "pushes = none: need a report")));
                case CAME_OUT ->
                    done(() ->
                            worker().cameOut(Objects.requireNonNull(request.uplink(), "uplink = none: need a report")));
                case FINISH -> WorkerReply.of(worker().finish());
                case DISMISS -> done(worker()::dismiss);
                case PRESENT -> WorkerReply.of(worker().present());
                case CLOSE -> done(this::closeWorker);
            };
        } catch (RuntimeException e) {
            return WorkerReply.failure(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private static WorkerReply done(Runnable call) {
        call.run();
        return WorkerReply.DONE;
    }

    private void prepare(@Nullable Assignment assignment) {
        if (assignment == null || worker != null) {
            throw new IllegalStateException(
                    worker != null ? "prepared twice: need a new conversation" : "assignment = none: need one");
        }
        worker = factory.apply(assignment);
    }

    private Worker worker() {
        Worker prepared = worker;
        if (prepared == null) {
            throw new IllegalStateException("nothing is prepared yet");
        }
        return prepared;
    }

    private void closeWorker() {
        Worker prepared = worker;
        worker = null;
        if (prepared != null) {
            prepared.close();
        }
    }

    private void read(Thread loop) {
        try {
            String line = lines.read();
            while (line != null) {
                queue.put(line);
                line = lines.read();
            }
        } catch (IOException e) {
            // A stream that breaks has ended.
        } catch (InterruptedException e) {
            return;
        }
        synchronized (lock) {
            if (over) {
                return;
            }
            deserted = true;
            loop.interrupt();
        }
        lost.run();
    }
}

package io.heartwheel.loadgen.swarm;

import io.heartwheel.loadgen.fleet.Player;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The player's side of a conversation: a question a line, an answer a line, one after the other, until the conductor says
 * CLOSE or the stream ends. A conductor that is gone must not be outlived: the end of the stream is noticed also while a
 * question is being worked on, which is then interrupted.
 *
 * <p>{@link #run} belongs to one thread, on which the player is called too; a second one reads.
 */
public final class WorkerLoop {

    private static final int QUEUED_LINES = 4;

    private final Lines lines;
    private final PlayerFactory factory;
    private final Supplier<Limits> limits;
    private final Runnable lost;
    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(QUEUED_LINES);
    private final Object lock = new Object();

    private boolean over; // guarded by lock: no interrupt any more
    private volatile boolean deserted; // reader
    private @Nullable Player player; // the loop's thread

    /**
     * A conversation that has not begun.
     *
     * @param limits what this machine allows, if asked
     * @param lost called once on another thread when the conductor is gone; at once, whatever the player is doing
     */
    public WorkerLoop(InputStream in, OutputStream out, PlayerFactory factory, Supplier<Limits> limits, Runnable lost) {
        this(new Lines(in, out, Json.MOST_LINE_BYTES), factory, limits, lost);
    }

    WorkerLoop(Lines lines, PlayerFactory factory, Supplier<Limits> limits, Runnable lost) {
        this.lines = lines;
        this.factory = factory;
        this.limits = limits;
        this.lost = lost;
    }

    /** Plays until the end; the player is closed then, whatever happened. */
    public void run() {
        Thread self = Thread.currentThread();
        Thread reader = new Thread(() -> read(self), "questions");
        reader.setDaemon(true);
        reader.start();
        try {
            converse();
        } catch (InterruptedException e) {
            // By the reader: the conductor is gone, and the rest below is all that is left to do.
        } finally {
            finish();
            // The reader's, if it came late: closing takes its time in good order.
            Thread.interrupted();
            closePlayer();
            reader.interrupt();
        }
    }

    private void finish() {
        synchronized (lock) {
            over = true;
        }
    }

    private void converse() throws InterruptedException {
        // Asked each time: what the player does may have swallowed the interrupt.
        while (!deserted) {
            String line = queue.take();
            boolean last = false;
            Answer answer;
            try {
                Question question = Json.value(line, Question.class);
                last = question.ask() == Question.Ask.CLOSE;
                answer = answer(question);
            } catch (IOException e) {
                answer = Answer.failure("not a question: " + e.getMessage());
            }
            if (last) {
                // From here on the conductor may hang up as it likes.
                finish();
            }
            try {
                lines.write(Json.text(answer));
            } catch (IOException e) {
                // Nobody listens any more: the same as the end of the stream.
                return;
            }
            if (last) {
                return;
            }
        }
    }

    private Answer answer(Question question) {
        try {
            return question.ask() == Question.Ask.CAPACITY ? Answer.of(limits.get()) : play(question);
        } catch (Exception e) {
            return Answer.failure(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private Answer play(Question question) throws Exception {
        return switch (question.ask()) {
            case PREPARE -> {
                prepare(question.assignment());
                yield Answer.DONE;
            }
            case BEGIN -> {
                player().begin();
                yield Answer.DONE;
            }
            case LOOK -> Answer.of(player().look());
            case OBSERVE -> {
                player().observe();
                yield Answer.DONE;
            }
            case ACT -> {
                player().act(question.step());
                yield Answer.DONE;
            }
            case PUSHED -> {
                player().pushed(Objects.requireNonNull(question.pushes(), "pushes = none: need a report"));
                yield Answer.DONE;
            }
            case FINISH -> Answer.of(player().finish());
            case DISMISS -> {
                player().dismiss();
                yield Answer.DONE;
            }
            case PRESENT -> Answer.of(player().present());
            case CLOSE -> {
                closePlayer();
                yield Answer.DONE;
            }
            default -> throw new IllegalArgumentException("ask = " + question.ask() + ": not a player's");
        };
    }

    private void prepare(@Nullable Assignment assignment) throws Exception {
        if (assignment == null || player != null) {
            throw new IllegalStateException(
                    player != null ? "prepared twice: need a new conversation" : "assignment = none: need one");
        }
        player = factory.play(assignment);
    }

    private Player player() {
        Player prepared = player;
        if (prepared == null) {
            throw new IllegalStateException("nothing is prepared yet");
        }
        return prepared;
    }

    private void closePlayer() {
        Player prepared = player;
        player = null;
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

package io.heartwheel.sink;

import io.heartwheel.event.EventSink;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.output.ConsoleOutput;
import io.heartwheel.output.FileOutput;
import io.heartwheel.output.LineOutput;
import io.heartwheel.session.TraceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Factory of the sink that the settings ask for. Any thread, once; opens files. */
public final class SinkFactory {
    /** Payloads that wait may fill this part of the heap, whatever the queue's length. */
    private static final int HEAP_PART = 8;

    /** Stretches that wait; they come by the thousand when many connections end at once. */
    private static final int TRACE_QUEUE = 65_536;

    private static final int TRACE_HEAP_PART = 32;
    private static final String THREAD = "heartwheel-event-sink";
    /** How long closing waits for the writer. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private SinkFactory() {}

    /**
     * A sink that is ready to take events; close it to get the last of them written.
     *
     * @param journal what {@link SinkKind#JOURNAL} writes to, where this start is told before it returns; null for all others
     * @param version of the gateway
     * @param threads who watches the thread that writes to a disk; the console's reader may take its time, and so may that of a pipe, which is told of
     * @throws IOException if the file cannot be opened or created
     */
    public static EventSink create(
            SinkSettings settings,
            SinkObserver observer,
            @Nullable Journal journal,
            String version,
            ThreadSupervisor threads)
            throws IOException {
        return switch (settings.kind()) {
            case NONE -> new DirectSink(false, observer);
            case ECHO -> new DirectSink(true, observer);
            case CONSOLE ->
                queued(lines(new ConsoleOutput(), settings), settings, observer, new ThreadProgress(THREAD));
            case FILE ->
                queued(
                        lines(new FileOutput(settings.file()), settings), // makes the file, so first
                        settings,
                        observer,
                        Files.isRegularFile(settings.file()) ? threads.watch(THREAD) : threads.observe(THREAD));
            case JOURNAL ->
                queued(
                        new JournalWriter(
                                        Objects.requireNonNull(journal),
                                        settings.instance(),
                                        observer,
                                        System::nanoTime,
                                        System::currentTimeMillis)
                                .begin(version),
                        settings,
                        observer,
                        threads.watch(THREAD));
        };
    }

    /**
     * The liveness trace's own file; what lies there already counts as written.
     *
     * @throws IOException if the file cannot be opened or created
     */
    public static EventSink trace(TraceSettings settings, TraceObserver observer) throws IOException {
        Path file = settings.file();
        FileOutput output = new FileOutput(file);
        long roomBytes = settings.maxBytes() - (Files.isRegularFile(file) ? Files.size(file) : 0);
        CappedOutput capped = new CappedOutput(output, file.toString(), roomBytes, observer);
        EventQueue queue = new EventQueue(TRACE_QUEUE, 0, Runtime.getRuntime().maxMemory() / TRACE_HEAP_PART);
        observer.queue(queue::depth, TRACE_QUEUE);
        ThreadProgress progress = new ThreadProgress("heartwheel-trace");
        return start("trace", progress, new LineWriter(capped, new EventEncoder("", 0)), queue, false, observer);
    }

    private static EventWriter lines(LineOutput output, SinkSettings settings) {
        long incarnation = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
        return new LineWriter(output, new EventEncoder(settings.instance(), incarnation));
    }

    private static EventSink queued(
            EventWriter writer, SinkSettings settings, SinkObserver observer, ThreadProgress progress) {
        EventQueue queue = new EventQueue(settings.queue(), Runtime.getRuntime().maxMemory() / HEAP_PART);
        observer.queue(queue::depth, settings.queue());
        observer.waiting(queue::waiters);
        return start("event sink", progress, writer, queue, true, observer);
    }

    private static EventSink start(
            String name,
            ThreadProgress progress,
            EventWriter writer,
            EventQueue queue,
            boolean tellsGaps,
            SinkObserver observer) {
        return new QueuedSink(name, progress, writer, queue, tellsGaps, observer, System::nanoTime, CLOSE_TIMEOUT)
                .start();
    }
}

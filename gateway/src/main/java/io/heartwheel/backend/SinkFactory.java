package io.heartwheel.backend;

import io.heartwheel.event.EventSink;
import java.io.IOException;

/** Makes the sink the settings ask for. Any thread, once; opens files. */
public final class SinkFactory {
    /** Payloads that wait may fill this part of the heap, whatever the queue's length. */
    private static final int HEAP_PART = 8;

    private SinkFactory() {}

    /**
     * A sink that is ready to take events; close it to get the last of them written.
     *
     * @throws IOException if the file cannot be opened or created
     */
    public static EventSink create(SinkSettings settings, SinkObserver observer) throws IOException {
        return switch (settings.kind()) {
            case NONE -> new NoneSink(observer);
            case ECHO -> new EchoSink(observer);
            case CONSOLE -> jsonLines(new ConsoleOutput(), settings, observer);
            case FILE -> jsonLines(new FileOutput(settings.file(), System::nanoTime), settings, observer);
        };
    }

    private static EventSink jsonLines(LineOutput output, SinkSettings settings, SinkObserver observer) {
        EventQueue queue = new EventQueue(settings.queue(), Runtime.getRuntime().maxMemory() / HEAP_PART);
        observer.queue(queue::depth, settings.queue());
        return new JsonLinesSink(output, queue, observer, System::nanoTime, JsonLinesSink.CLOSE_TIMEOUT).start();
    }
}

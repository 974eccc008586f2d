package io.heartwheel.sink;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink.Reply;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.output.LineOutput;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Cost of a message from the event loop to the line, without the system call; the events are made beforehand. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SinkBenchmark {
    private static final int EVENTS = 256;

    private static final Reply NOBODY = new Reply() {
        @Override
        public void accepted() {}

        @Override
        public void refused() {}

        @Override
        public void send(long messageId, boolean text, byte[] payload) {}
    };

    /** Bytes of one payload. */
    @Param({"32", "1024"})
    public int payload;

    private final ConnectionEvent.Message[] messages = new ConnectionEvent.Message[EVENTS];
    private final EventQueue queue = new EventQueue(EVENTS, Long.MAX_VALUE);
    private final SinkObserver uncounted = new SinkObserver() {};
    private final LostEvents lost = new LostEvents();
    private final Batch batch = new Batch(EVENTS);
    private QueuedSink sink;

    /** Makes the messages, one a millisecond. */
    @Setup
    public void make() {
        for (int i = 0; i < EVENTS; i++) {
            byte[] bytes = new byte[payload];
            messages[i] = new ConnectionEvent.Message(
                    new ConnectionEvent.Identity("device-" + i, i, 1), 2, 1_767_225_600_000L + i, i, false, bytes);
        }
        LineOutput nowhere = new LineOutput() {
            @Override
            public void write(ByteBuffer lines) {}

            @Override
            public void close() {}
        };
        EventQueue own = new EventQueue(EVENTS, Long.MAX_VALUE);
        sink = new QueuedSink(
                "event sink",
                new ThreadProgress("sink"),
                new LineWriter(nowhere, new EventEncoder("", 0)),
                own,
                true,
                uncounted,
                System::nanoTime,
                Duration.ofSeconds(1));
    }

    /** The event loop's part and taking it out again. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public void queueOnly() {
        for (ConnectionEvent.Message message : messages) {
            queue.offer(message, NOBODY);
        }
        queue.poll(batch);
        batch.settleUpTo(EVENTS, true, uncounted, lost);
    }

    /** All of it. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public void queueAndEncode() {
        for (ConnectionEvent.Message message : messages) {
            sink.publish(message, NOBODY);
        }
        sink.writeBatch();
    }
}

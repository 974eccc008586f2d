package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.WireForms;
import io.heartwheel.protocol.frame.Frames;
import io.heartwheel.session.SharedPayload;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * Bytes of one message for each of many devices: encoded for each, and once for all. On two shared cores, 256 bytes: a frame 99 ns and 34 ns, in a WebSocket
 * message 196 ns and 25 ns, a WebSocket message 101 ns and 25 ns, the same deflated 3,072 ns and 31 ns.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SharedPayloadBenchmark {
    private static final int DEVICES = 256;
    private static final int FORM = WireForms.MESSAGE;

    /** How it goes over the wire. */
    public enum Kind {
        /** Heartwheel frame. */
        FRAME,
        /** The same in a WebSocket message. */
        FRAME_IN_MESSAGE,
        /** WebSocket message. */
        MESSAGE,
        /** The same, deflated. */
        DEFLATED
    }

    /** See there. */
    @Param
    public Kind kind;

    /** Payload. */
    @Param({"256", "8192"})
    public int bytes;

    private final ByteBufAllocator alloc = PooledByteBufAllocator.DEFAULT;
    private byte[] payload;

    /** A text with some repetition. */
    @Setup
    public void fill() {
        byte[] line = "{\"command\":\"set\",\"channel\":7,\"value\":21.5,\"until\":\"2026-11-23T13:30:00Z\"},"
                .getBytes(StandardCharsets.UTF_8);
        payload = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            payload[i] = line[i % line.length];
        }
    }

    private ByteBuf encoded() {
        return switch (kind) {
            case FRAME -> Frames.data(alloc, 7, true, true, payload);
            case FRAME_IN_MESSAGE ->
                WebSocketFrameEncoder.message(alloc, Opcode.BINARY, Frames.data(alloc, 7, true, true, payload), 0);
            case MESSAGE -> WebSocketFrameEncoder.message(alloc, true, payload, 0);
            case DEFLATED -> WebSocketFrameEncoder.message(alloc, true, payload, 15);
        };
    }

    /** One message to one device, as ever. */
    @Benchmark
    @OperationsPerInvocation(DEVICES)
    public void forEach(Blackhole sink) {
        for (int i = 0; i < DEVICES; i++) {
            send(WireForms.kept(payload, FORM), sink);
        }
    }

    /** A slice of a job. */
    @Benchmark
    @OperationsPerInvocation(DEVICES)
    public void onceForAll(Blackhole sink) {
        new SharedPayload(payload).during(() -> forEach(sink));
    }

    private void send(ByteBuf kept, Blackhole sink) {
        ByteBuf out = kept == null ? WireForms.keep(payload, FORM, encoded()) : kept;
        sink.consume(out.readableBytes());
        out.release();
    }
}

package io.heartwheel.loadgen.conform;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A world in memory whose time passes only while a case waits; its client is stepped meanwhile. One thread. */
final class VirtualWorld implements World {

    static final long MILLI = 1_000_000L;
    private static final long STEP_MILLIS = 5;
    private static final int FIRST_PORT = 10_000;

    private final Map<Integer, Function<Wire, Reader>> ports = new HashMap<>();
    private final Carrier carrier;
    private final @Nullable Fault fault;
    private final long seed;
    private @Nullable ReferenceClient client;
    private long nanos = 1;
    /** So long the machine stood still within any time. */
    long stillMillis;

    private int nextPort = FIRST_PORT;

    VirtualWorld(Carrier carrier, @Nullable Fault fault, long seed) {
        this.carrier = carrier;
        this.fault = fault;
        this.seed = seed;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public void await(Object monitor, long millis) {
        nanos += Math.min(millis, STEP_MILLIS) * MILLI;
        if (client != null) {
            client.step();
        }
    }

    @Override
    public long stillNanos(long fromNanos, long toNanos) {
        return stillMillis * MILLI;
    }

    @Override
    public Port listen(int wanted, Function<Wire, Reader> accepted) {
        int number = wanted == 0 ? nextPort++ : wanted;
        ports.put(number, accepted);
        return new Port() {
            @Override
            public int number() {
                return number;
            }

            @Override
            public void close() {
                ports.remove(number, accepted);
            }
        };
    }

    @Override
    public Client start(Map<String, String> environment, Output output) {
        client = new ReferenceClient(this, carrier, environment, output, fault, seed);
        return client;
    }

    /** Connection from the client's side. */
    Stream connect(String address) throws IOException {
        Function<Wire, Reader> accepted = ports.get(Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
        if (accepted == null) {
            throw new IOException("refused");
        }
        Stream stream = new Stream();
        stream.reader = accepted.apply(stream);
        return stream;
    }

    /** Both ways of a connection; what the gateway writes comes in the pieces in which it was written. */
    static final class Stream implements Wire {

        private final Queue<byte[]> toClient = new ArrayDeque<>();
        private @Nullable Reader reader;
        private boolean ended;

        /** The next piece; null: none now. */
        byte @Nullable [] read() {
            return toClient.poll();
        }

        /** Whether the gateway's side is over and read to the end. */
        boolean ended() {
            return ended && toClient.isEmpty();
        }

        void send(byte[] bytes) {
            if (reader != null) {
                reader.received(bytes, bytes.length);
            }
        }

        /** The client ends the connection. */
        void end() {
            if (reader != null) {
                reader.ended("the end of its stream");
                reader = null;
            }
        }

        @Override
        public void write(byte[] bytes) {
            if (!ended) {
                toClient.add(bytes);
            }
        }

        @Override
        public void endOutput() {
            ended = true;
        }

        @Override
        public void close() {
            ended = true;
            reader = null;
        }

        @Override
        public void reset() {
            toClient.clear();
            close();
        }
    }
}

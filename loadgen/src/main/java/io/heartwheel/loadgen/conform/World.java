package io.heartwheel.loadgen.conform;

import java.io.IOException;
import java.util.Map;
import java.util.function.Function;

/** Time, ports and processes of a run: this machine's, or a test's own. Any thread. */
interface World {

    /** Monotonic nanoseconds. */
    long nanos();

    /** Lets time pass, at most so much, less when the monitor, which the caller holds, is notified. */
    void await(Object monitor, long millis) throws InterruptedException;

    /** How much of this time the process, and perhaps the machine, stood still. */
    long stillNanos(long fromNanos, long toNanos);

    /**
     * Listens on the loopback address.
     *
     * @param port 0: any free one
     * @param accepted is given each connection, and gives who reads it
     */
    Port listen(int port, Function<Wire, Reader> accepted) throws IOException;

    /** Starts the client with these variables added to its environment. */
    Client start(Map<String, String> environment, Output output) throws IOException;

    /** A port that is listened on; closing it leaves its connections. */
    interface Port extends AutoCloseable {

        int number();

        @Override
        void close();
    }

    /** The gateway's end of a connection. What a client does not take any more is dropped. */
    interface Wire {

        void write(byte[] bytes);

        /** Ends the gateway's side of the stream. */
        void endOutput();

        void close();

        void reset();
    }

    /** Reader of what a client sends on a connection. */
    interface Reader {

        void received(byte[] bytes, int length);

        /** No more comes. */
        void ended(String how);
    }

    /** The client's process. */
    interface Client extends AutoCloseable {

        /** Gives it a message to deliver. */
        void say(String message);

        /** Ends its standard input. */
        void endInput();

        @Override
        void close();
    }

    /** Reader of what the process prints, and of its end. */
    interface Output {

        void printed(String line);

        void complained(String line);

        void exited(int status);
    }
}

package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.measure.ProcessStalls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The world as it is: ports of this machine's loopback address, and a shell that starts the client. A thread for each port,
 * connection and stream of a process; none keeps the process alive.
 */
public final class Loopback implements World {

    private static final int BACKLOG = 64;
    private static final int CHUNK_BYTES = 65_536;
    /** More of a line is dropped. */
    private static final int MOST_LINE_BYTES = 1 << 20;

    private static final long FAREWELL_MILLIS = 500;

    private final String command;
    private final NanoClock clock;
    private final ProcessStalls stalls;

    /**
     * A world with this client.
     *
     * @param command for the shell
     * @param stalls watched already
     */
    public Loopback(String command, NanoClock clock, ProcessStalls stalls) {
        this.command = command;
        this.clock = clock;
        this.stalls = stalls;
    }

    static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public long nanos() {
        return clock.nanos();
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // who calls it looks again in a loop
    public void await(Object monitor, long millis) throws InterruptedException {
        monitor.wait(millis);
    }

    @Override
    public long stillNanos(long fromNanos, long toNanos) {
        return stalls.within(fromNanos, toNanos);
    }

    // ---- ports

    @Override
    public Port listen(int port, Function<Wire, Reader> accepted) throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReuseAddress(true);
        try {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        thread("conform-accept", () -> accepting(server, accepted)).start();
        return new Port() {
            @Override
            public int number() {
                return server.getLocalPort();
            }

            @Override
            public void close() {
                quietly(server::close);
            }
        };
    }

    private static void accepting(ServerSocket server, Function<Wire, Reader> accepted) {
        quietly(() -> {
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                Reader reader = accepted.apply(new SocketWire(socket));
                thread("conform-peer", () -> reading(socket, reader)).start();
            }
        });
    }

    private static void reading(Socket socket, Reader reader) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try (socket) {
            InputStream in = socket.getInputStream();
            for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
                reader.received(chunk, length);
            }
            reader.ended("the end of its stream");
        } catch (IOException e) {
            reader.ended("a reset");
        }
    }

    private record SocketWire(Socket socket) implements Wire {

        @Override
        public void write(byte[] bytes) {
            synchronized (socket) {
                quietly(() -> socket.getOutputStream().write(bytes));
            }
        }

        @Override
        public void endOutput() {
            quietly(socket::shutdownOutput);
        }

        @Override
        public void close() {
            quietly(socket::close);
        }

        @Override
        public void reset() {
            quietly(() -> socket.setSoLinger(true, 0));
            close();
        }
    }

    /** Work with a stream. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    /** The other side may be gone: what it did before says what it is worth. */
    private static void quietly(Work work) {
        try {
            work.run();
        } catch (IOException e) {
            return;
        }
    }

    // ---- the client

    @Override
    public Client start(Map<String, String> environment, Output output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command);
        builder.environment().putAll(environment);
        Process process = builder.start();
        Thread printed = thread("conform-client", () -> lines(process.getInputStream(), output::printed));
        Thread complained = thread("conform-client", () -> lines(process.getErrorStream(), output::complained));
        printed.start();
        complained.start();
        thread("conform-client", () -> awaiting(process, printed, complained, output))
                .start();
        return new Program(process);
    }

    static void lines(InputStream in, Consumer<String> line) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] chunk = new byte[CHUNK_BYTES];
        quietly(() -> {
            for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
                for (int i = 0; i < length; i++) {
                    if (chunk[i] == '\n') {
                        line.accept(text(bytes));
                        bytes.reset();
                    } else if (bytes.size() < MOST_LINE_BYTES) {
                        bytes.write(chunk[i]);
                    }
                }
            }
        });
        if (bytes.size() > 0) {
            line.accept(text(bytes));
        }
    }

    private static String text(ByteArrayOutputStream bytes) {
        String line = bytes.toString(StandardCharsets.UTF_8);
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }

    /** Its output is read to the end before its end is told: what it printed last counts. */
    private static void awaiting(Process process, Thread printed, Thread complained, Output output) {
        try {
            int status = process.waitFor();
            printed.join(FAREWELL_MILLIS);
            complained.join(FAREWELL_MILLIS);
            output.exited(status);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record Program(Process process) implements Client {

        @Override
        public void say(String message) {
            quietly(() -> {
                process.getOutputStream().write((message + "\n").getBytes(StandardCharsets.UTF_8));
                process.getOutputStream().flush();
            });
        }

        @Override
        public void endInput() {
            quietly(process.getOutputStream()::close);
        }

        /** A client has a moment to clean up after itself. */
        @Override
        public void close() {
            List<ProcessHandle> children = process.descendants().toList();
            endInput();
            process.destroy();
            children.forEach(ProcessHandle::destroy);
            try {
                process.waitFor(FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Stream.concat(children.stream(), process.descendants()).forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}

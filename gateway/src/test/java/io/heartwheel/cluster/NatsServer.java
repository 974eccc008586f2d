package io.heartwheel.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A nats-server with JetStream, a process of its own on a port of the loopback address, its rows in a directory. One thread. */
public final class NatsServer implements AutoCloseable {
    private static final long START_MILLIS = 10_000;

    private final Path directory;
    private final int port;
    private final List<String> more;
    private Process process;

    private NatsServer(Path directory, int port, List<String> more) {
        this.directory = directory;
        this.port = port;
        this.more = more;
    }

    /**
     * Starts one.
     *
     * @param more lines of its configuration
     */
    public static NatsServer start(Path directory, String... more) throws Exception {
        NatsServer server = new NatsServer(directory, freePort(), List.of(more));
        server.start();
        return server;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** The program of .ci/install, unless HEARTWHEEL_NATS_SERVER names another. */
    private static String program() {
        String named = System.getenv("HEARTWHEEL_NATS_SERVER");
        return named == null ? "/usr/local/lib/heartwheel-tests/nats-server" : named;
    }

    /** Starts it, or starts it again with the rows of before. */
    public void start() throws Exception {
        Path config = Files.writeString(
                directory.resolve("nats.conf"),
                "listen: \"127.0.0.1:" + port + "\"\njetstream { store_dir: \"" + directory.resolve("store") + "\" }\n"
                        + String.join("\n", more) + "\n");
        process = new ProcessBuilder(program(), "-c", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("nats.log").toFile()))
                .start();
        long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MILLIS);
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() - untilNanos > 0) {
                throw new AssertionError(
                        "nats-server did not start:\n" + Files.readString(directory.resolve("nats.log")));
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Where it listens, as the configuration of a gateway has it. */
    public String url() {
        return "nats://127.0.0.1:" + port;
    }

    /** Sends it a signal: {@code STOP}, {@code CONT}. */
    public void signal(String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .start()
                .waitFor();
    }

    /** Kill -9. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}

package io.heartwheel.loadgen.peers;

import io.heartwheel.loadgen.measure.Proc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server as a process of its own, listening on a port of the loopback address. Its standard input ends with it. */
final class PeerServer implements AutoCloseable {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final long START_SECONDS = 60;
    private static final long LOOK_MILLIS = 20;
    /** The last line of a class histogram. */
    private static final Pattern TOTAL = Pattern.compile("Total\\s+[0-9]+\\s+([0-9]+)");

    private final Process process;
    private final Path log;
    private final int port;

    private PeerServer(Process process, Path log, int port) {
        this.process = process;
        this.log = log;
        this.port = port;
    }

    static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, LOOPBACK)) {
            return free.getLocalPort();
        }
    }

    /** Starts a program that will listen on this port, and waits until it does. */
    static PeerServer start(Path directory, int port, Map<String, String> environment, List<String> command)
            throws Exception {
        PeerServer server = launch(directory, port, environment, command);
        try {
            server.await("to listen", () -> {
                try (Socket probe = new Socket(LOOPBACK, port)) {
                    return probe.isConnected();
                } catch (IOException refused) {
                    return false;
                }
            });
            return server;
        } catch (Exception | Error failed) {
            try (server) {
                throw failed;
            }
        }
    }

    /**
     * Starts a program that chooses its ports itself and writes them to a file, {@code name=host:port} a line.
     *
     * @param listener the name of the one that is wanted
     */
    static PeerServer start(Path directory, Path ports, String listener, List<String> command) throws Exception {
        PeerServer server = launch(directory, 0, Map.of(), command);
        try {
            server.await("to write " + ports, () -> Files.exists(ports));
            for (String line : Files.readAllLines(ports)) {
                if (line.startsWith(listener + "=")) {
                    int port = Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
                    return new PeerServer(server.process, server.log, port);
                }
            }
            throw new AssertionError(listener + " is not in " + Files.readString(ports));
        } catch (Exception | Error failed) {
            try (server) {
                throw failed;
            }
        }
    }

    private static PeerServer launch(Path directory, int port, Map<String, String> environment, List<String> command)
            throws IOException {
        Path log = directory.resolve("server.log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        return new PeerServer(builder.start(), log, port);
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private void await(String what, Condition condition) throws IOException, InterruptedException {
        for (long rounds = TimeUnit.SECONDS.toMillis(START_SECONDS) / LOOK_MILLIS; !condition.holds(); rounds--) {
            if (rounds == 0 || process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("waited for "
                        + process.info().command().orElse("a program") + " " + what
                        + "; it is " + (process.isAlive() ? "running" : "gone, status " + process.exitValue()) + ":\n"
                        + Files.readString(log));
            }
        }
    }

    int port() {
        return port;
    }

    Proc.ProcessReading reading() {
        return Proc.ofThisMachine().process(process.pid()).orElseThrow(() -> new AssertionError("the server is gone"));
    }

    /** Bytes of live objects in the heap of a Java process, after a full collection. */
    long liveHeapBytes() throws Exception {
        Process histogram = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(process.pid()),
                        "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String text = new String(histogram.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher total = TOTAL.matcher(text);
        if (histogram.waitFor() != 0 || !total.find()) {
            throw new AssertionError("jcmd: " + text);
        }
        return Long.parseLong(total.group(1));
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}

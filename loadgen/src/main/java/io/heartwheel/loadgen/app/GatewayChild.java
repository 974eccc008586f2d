package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.measure.BucketReading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real gateway as a process of its own. It must never outlive the generator: its standard input is a pipe from here,
 * and it was told to leave when that closes, so it goes even when the generator is killed outright; on every other way
 * out {@link #close} ends it and waits.
 *
 * <p>Any thread; {@link #close} may come from a shutdown hook at any moment, also while {@link #start} is under way.
 */
final class GatewayChild implements AutoCloseable {

    private static final long START_SECONDS = 30;
    private static final int LOG_LINES = 40;
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final List<String> NEEDED = List.of("tcp", "websocket");

    private final Path jar;
    private final Path directory;
    private final Path log;
    private final Object lock = new Object();

    private boolean closed; // guarded by lock
    private @Nullable Process process; // guarded by lock

    /** The gateway did not come up; the message holds the end of its log. */
    static final class StartFailure extends IOException {
        private static final long serialVersionUID = 1L;

        StartFailure(String message) {
            super(message);
        }
    }

    GatewayChild(Path jar) throws IOException {
        this.jar = jar;
        this.directory = Files.createTempDirectory("heartwheel-demo-");
        this.log = directory.resolve("gateway.log");
    }

    /**
     * Starts the gateway and waits until it has told its ports, at most 30 s.
     *
     * @param settings lines of configuration inside the {@code heartwheel} block
     * @param arguments for the Java virtual machine, before {@code -jar}
     * @return addresses by listener name, {@code admin} too if it has one
     */
    Map<String, InetSocketAddress> start(List<String> settings, List<String> arguments)
            throws IOException, InterruptedException {
        Path ports = directory.resolve("ports");
        List<String> lines = new ArrayList<>();
        lines.add("heartwheel {");
        lines.addAll(settings);
        lines.add("  ports-file = \"" + ports + "\"");
        lines.add("}");
        Path config = Files.write(directory.resolve("gateway.conf"), lines);
        launch(config, arguments);
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() - until < 0) {
            Map<String, InetSocketAddress> addresses = addresses(ports);
            if (addresses.keySet().containsAll(NEEDED)) {
                return addresses;
            }
            if (!isAlive()) {
                throw new StartFailure("the gateway ended while starting; its log:\n" + logTail());
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        throw new StartFailure("the gateway was not up after " + START_SECONDS + " s; its log:\n" + logTail());
    }

    private void launch(Path config, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
        command.addAll(List.of("-jar", jar.toString(), "--config", config.toString(), "--exit-with-stdin"));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        synchronized (lock) {
            if (closed) {
                throw new StartFailure("stopped before the gateway was started");
            }
            process = builder.start();
        }
    }

    private static Map<String, InetSocketAddress> addresses(Path ports) throws IOException {
        Map<String, InetSocketAddress> addresses = new HashMap<>();
        String text = Files.exists(ports) ? Files.readString(ports) : "";
        // The last line may still be in the writing: only ended ones count.
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n")) {
            int equals = line.indexOf('=');
            int colon = line.lastIndexOf(':');
            if (equals > 0 && colon > equals) {
                addresses.put(
                        line.substring(0, equals).strip(),
                        new InetSocketAddress(
                                line.substring(equals + 1, colon).strip(),
                                Integer.parseInt(line.substring(colon + 1).strip())));
            }
        }
        return addresses;
    }

    /**
     * What the gateway's own measuring says of its expiries, in one line; empty when its admin port does not tell.
     *
     * @param admin where it serves {@code /metrics}
     */
    static Optional<String> ownLateness(@Nullable InetSocketAddress admin) throws InterruptedException {
        if (admin == null) {
            return Optional.empty();
        }
        URI uri = URI.create("http://" + admin.getHostString() + ":" + admin.getPort() + "/metrics");
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(ANSWER).build();
        try {
            HttpResponse<String> answer =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            return BucketReading.find(answer.body(), "heartwheel_expiry_lateness_seconds")
                    .map(reading -> String.format(
                            Locale.ROOT,
                            "%-20s p50 at most %.1f ms, p99 at most %.1f ms, of %,d (its /metrics)",
                            "gateway's own view",
                            1e3 * reading.atMostSeconds(0.50),
                            1e3 * reading.atMostSeconds(0.99),
                            reading.count()));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    boolean isAlive() {
        synchronized (lock) {
            return process != null && process.isAlive();
        }
    }

    /** Process id, or -1 before the start. */
    long pid() {
        synchronized (lock) {
            return process == null ? -1 : process.pid();
        }
    }

    /** The last lines of what the gateway printed. */
    String logTail() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException | UncheckedIOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    /** Ends the gateway, waits for it, and removes the temporary directory. Idempotent. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            Process child = process;
            if (child != null) {
                end(child);
            }
            removeDirectory();
        }
    }

    private static void end(Process child) {
        try {
            child.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already, or is told below.
        }
        if (!ended(child, 3)) {
            child.destroy();
            if (!ended(child, 3)) {
                child.destroyForcibly();
                ended(child, 10);
            }
        }
    }

    private static boolean ended(Process child, long seconds) {
        try {
            return child.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            child.destroyForcibly();
            return false;
        }
    }

    private void removeDirectory() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            // Removed before, or by somebody else.
        }
    }
}

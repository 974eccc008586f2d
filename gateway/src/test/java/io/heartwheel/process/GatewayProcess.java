package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.admin.AnswerSchemas;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A gateway as its operator would start it: the runnable jar in a process of its own, on free ports of the loopback address.
 *
 * <p>Closing it ends the process, whatever state it is in, and fails if the log holds what no peer and no operator may cause: a stack trace, an
 * ERROR, a leaked buffer.
 */
final class GatewayProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern FAULT = Pattern.compile("(?m)^.* ERROR .*$|^\\s+at [\\w.$]+\\(.*$|^.*LEAK:.*$");

    private final Process process;
    private final Path directory;
    private final Map<String, InetSocketAddress> ports = new TreeMap<>();
    private boolean faulty;

    private GatewayProcess(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
    }

    /** End of a process, and its output. */
    record Outcome(int exit, String out, String log) {
        /** The one line of the log that is more than news. */
        String complaint() {
            List<String> told =
                    log.lines().filter(line -> !line.contains(" INFO ")).toList();
            assertEquals(1, told.size(), log);
            return told.get(0);
        }
    }

    /** What the gateway is started with: key and value, one after the other, below {@code heartwheel}. */
    static GatewaySetup with(Object... settings) {
        return new GatewaySetup().set(settings);
    }

    static GatewayProcess launch(List<String> command, Map<String, String> environment, Path directory)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("log").toFile());
        builder.environment().putAll(environment);
        return new GatewayProcess(builder.start(), directory);
    }

    /** Until the gateway has told where it listens. */
    void awaitPorts() throws Exception {
        Path file = directory.resolve("ports");
        Await.until(() -> "a ports file", Duration.ofSeconds(60), () -> {
            if (!process.isAlive()) {
                throw new AssertionError("ended while starting, status " + process.exitValue() + ":\n" + log());
            }
            return Files.exists(file);
        });
        for (String line : Files.readAllLines(file)) {
            int equals = line.indexOf('=');
            int colon = line.lastIndexOf(':');
            ports.put(
                    line.substring(0, equals),
                    new InetSocketAddress(
                            line.substring(equals + 1, colon), Integer.parseInt(line.substring(colon + 1))));
        }
    }

    // ------------------------------------------------------------------ where it listens

    /** Where this listener is bound. */
    InetSocketAddress port(String listener) {
        InetSocketAddress address = ports.get(listener);
        if (address == null) {
            throw new AssertionError("no listener " + listener + " in " + ports);
        }
        return address;
    }

    InetSocketAddress tcp() {
        return port("tcp");
    }

    InetSocketAddress webSocket() {
        return port("websocket");
    }

    Map<String, InetSocketAddress> ports() {
        return ports;
    }

    // ------------------------------------------------------------------ what it says

    /** Its standard error: the log. */
    String log() throws IOException {
        return Files.readString(directory.resolve("log"));
    }

    /** Lines of the log with this in them. */
    List<String> log(String part) throws IOException {
        return log().lines().filter(line -> line.contains(part)).toList();
    }

    /** Warnings in the log, but for those that a busy machine causes. */
    List<String> warnings() throws IOException {
        return log(" WARN ").stream()
                .filter(line -> !line.contains("stood still"))
                .toList();
    }

    /** Its standard output. */
    String out() throws IOException {
        return Files.readString(directory.resolve("out"));
    }

    /** Its events, where the sink is the console. */
    List<JsonNode> events() throws IOException {
        return EventLines.read(directory.resolve("out"));
    }

    /** Until the log has a line with this in it. */
    void awaitLog(String part) throws Exception {
        awaitWithin(Await.LONG, "a line with " + part, () -> log().contains(part));
    }

    /** Until it holds; tells the log if it does not in time. */
    void awaitWithin(Duration atMost, String what, Callable<Boolean> holds) throws Exception {
        try {
            Await.until(() -> what, atMost, holds);
        } catch (AssertionError late) {
            throw new AssertionError(late.getMessage() + "\n" + log(), late);
        }
    }

    /** The metrics now. */
    MetricsPage metrics() throws IOException {
        Answer answer = admin("GET", "/metrics");
        if (answer.status() != 200) {
            throw new AssertionError("/metrics: " + answer);
        }
        return MetricsPage.of(answer.body());
    }

    /** An answer of the admin listener. */
    record Answer(int status, String body) {
        /** The body, which is JSON. */
        JsonNode json() throws IOException {
            return JSON.readTree(body);
        }
    }

    /** What the admin listener tells on this page. */
    JsonNode ask(String path) throws IOException {
        Answer answer = admin("GET", path);
        assertEquals(200, answer.status(), answer::toString);
        return answer.json();
    }

    /** Status of the admin listener's answer. */
    int status(String method, String path) throws IOException {
        return admin(method, path).status();
    }

    /** Asks the admin listener. */
    Answer admin(String method, String path) throws IOException {
        return admin(method, path, null, new byte[0]);
    }

    /** Asks the admin listener, with a body if there is a type for it, and these headers: name and value, one after the other. */
    Answer admin(String method, String path, String contentType, byte[] body, String... headers) throws IOException {
        InetSocketAddress address = port("admin");
        String host = address.getHostString();
        String plain = host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]";
        HttpURLConnection http = (HttpURLConnection) URI.create("http://" + plain + ":" + address.getPort() + path)
                .toURL()
                .openConnection();
        http.setRequestMethod(method);
        http.setConnectTimeout((int) Await.LONG.toMillis());
        http.setReadTimeout((int) Await.LONG.toMillis());
        for (int i = 0; i < headers.length; i += 2) {
            http.setRequestProperty(headers[i], headers[i + 1]);
        }
        if (contentType != null) {
            http.setDoOutput(true);
            http.setRequestProperty("Content-Type", contentType);
            http.getOutputStream().write(body);
        }
        int status = http.getResponseCode();
        try (var in = status >= 400 ? http.getErrorStream() : http.getInputStream()) {
            String text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
            String type = http.getContentType();
            AnswerSchemas.ofThisGateway().check(method, path, status, type == null ? "" : type, text);
            return new Answer(status, text);
        }
    }

    // ------------------------------------------------------------------ the process

    /** Sends a signal: {@code TERM}, {@code INT}, {@code STOP}, {@code CONT}. */
    void signal(String name) throws Exception {
        Freeze.signal(process.pid(), name);
    }

    /** Lines of its configuration below all others, so that they win. */
    void configure(String... lines) throws IOException {
        Files.write(directory.resolve("gateway.conf"), List.of(lines), StandardOpenOption.APPEND);
    }

    /** Ends its standard input. */
    void closeInput() throws IOException {
        process.getOutputStream().close();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Its exit status, once it has ended. */
    int awaitExit() throws Exception {
        if (!process.waitFor(Await.LONG.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still running:\n" + log());
        }
        return process.exitValue();
    }

    /** A fault of its own is what the test is about: its log may tell of one. */
    void mayTellOfAFault() {
        faulty = true;
    }

    /** Sends SIGTERM and waits for an orderly end. */
    void terminate() throws Exception {
        signal("TERM");
        assertEquals(0, awaitExit(), log());
    }

    /** Waits for the end and tells it. */
    Outcome outcome() throws Exception {
        int exit = awaitExit();
        return new Outcome(exit, out(), log());
    }

    /** Its process id. */
    long pid() {
        return process.pid();
    }

    /** A full collection, by the JDK's own tool. */
    void collectGarbage() throws Exception {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        Process collecting = new ProcessBuilder(jcmd, Long.toString(process.pid()), "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (collecting.waitFor() != 0) {
            throw new AssertionError("jcmd GC.run: " + collecting.exitValue());
        }
    }

    /** Descriptors open now. */
    long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            return open.count();
        }
    }

    /** Where its files are. */
    Path directory() {
        return directory;
    }

    @Override
    public void close() throws IOException {
        kill(process);
        String log = log();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(file);
            }
        }
        if (!faulty && FAULT.matcher(log).find()) {
            throw new AssertionError("the log tells of a fault:\n" + log);
        }
    }

    /** A stopped process takes no SIGTERM, and what a test left behind is of no interest. */
    static void kill(Process process) {
        process.destroyForcibly();
        try {
            process.waitFor(20, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

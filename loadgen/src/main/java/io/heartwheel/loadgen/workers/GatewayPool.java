package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.measure.Proc;
import io.heartwheel.loadgen.scenario.Addresses;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gateway processes that are one server to the devices: they share the listeners' ports (SO_REUSEPORT), so the
 * kernel spreads connections over them. One alone needs no sharing.
 *
 * <pre>
 *   gateway 0   port 0 --&gt; tells its ports --+       admin port of its own
 *   gateway 1   the same ports &lt;------------+       admin port of its own
 *   ...                                      |
 *   started again later: the same ports &lt;----+       the same admin port
 * </pre>
 *
 * <p>Actions that take time return at once with a future, so that whoever coordinates the run can go on looking. Any thread.
 * No gateway is left behind: each leaves when this process is gone.
 */
public final class GatewayPool implements AutoCloseable {

    private static final String ADMIN = "admin";
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final GatewaySetup setup;
    private final Path directory;
    private final List<GatewayProcess> gateways = new ArrayList<>();
    private final @Nullable InetSocketAddress[] admins; // guarded by this
    private final Map<String, InetSocketAddress> shared = new LinkedHashMap<>(); // guarded by this
    private final List<String> options;
    private final ExecutorService starters;
    private final HttpClient http;

    /** A gateway did not do as it should; the message says which and why. */
    public static class Failure extends IOException {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    /** Gateways that are not started. */
    public GatewayPool(GatewaySetup setup) throws IOException {
        this.setup = setup;
        this.directory = Files.createTempDirectory("heartwheel-gateways-");
        this.options = Stream.concat(
                        setup.javaOptions().stream(), ClassArchive.reading(ClassArchive.beside(setup.jar())).stream())
                .toList();
        this.admins = new InetSocketAddress[setup.count()];
        for (int i = 0; i < setup.count(); i++) {
            gateways.add(new GatewayProcess("gateway-" + i, directory, setup.jar()));
        }
        // A starting virtual machine does little but compute: more of them at once only wait for each other.
        int atOnce = Runtime.getRuntime().availableProcessors() + 1;
        this.starters = Executors.newFixedThreadPool(
                Math.min(atOnce, setup.count()), new DefaultThreadFactory("gateways", true));
        this.http = HttpClient.newBuilder().connectTimeout(ANSWER).build();
    }

    /**
     * Starts all and waits until they are up; when one is not, those that are stay until {@link #close}.
     *
     * @return the listeners' addresses by name, and the first one's {@code admin}
     * @throws Failure with the end of the log of the one that did not come up
     */
    public Map<String, InetSocketAddress> start() throws IOException, InterruptedException {
        startOne(0);
        try {
            startAgain(everyone().subList(1, size())).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        }
        return addresses();
    }

    private void startOne(int number) throws IOException, InterruptedException {
        Map<String, InetSocketAddress> told = gateways.get(number).start(settings(number), options);
        synchronized (this) {
            admins[number] = told.get(ADMIN);
            for (String listener : setup.listeners()) {
                InetSocketAddress address = told.get(listener);
                if (address == null) {
                    throw new Failure("gateway-" + number + " has no listener " + listener + ", only " + told.keySet());
                }
                shared.putIfAbsent(listener, address);
            }
        }
    }

    /** In HOCON the later line counts: what is known of the ports stands behind what was wished for. */
    private synchronized List<String> settings(int number) {
        List<String> lines = new ArrayList<>(setup.settings());
        lines.add("  admin.bind = \"" + admin(number).map(Addresses::text).orElse("127.0.0.1:0") + "\"");
        for (String listener : setup.listeners()) {
            if (setup.count() > 1) {
                lines.add("  listeners." + listener + ".reuse-port = true");
            }
            InetSocketAddress address = shared.get(listener);
            if (address != null) {
                lines.add("  listeners." + listener + ".bind = \"" + Addresses.text(address) + "\"");
            }
        }
        return lines;
    }

    /** The listeners' addresses by name, and the first one's {@code admin}; empty before the start. */
    public synchronized Map<String, InetSocketAddress> addresses() {
        Map<String, InetSocketAddress> all = new LinkedHashMap<>(shared);
        admin(0).ifPresent(admin -> all.put(ADMIN, admin));
        return all;
    }

    private synchronized Optional<InetSocketAddress> admin(int number) {
        return Optional.ofNullable(admins[number]);
    }

    /** Where each answers its operator, of those that do. */
    public List<InetSocketAddress> admins() {
        return everyone().stream().map(this::admin).flatMap(Optional::stream).toList();
    }

    /** How many there are, running or not. */
    public int size() {
        return gateways.size();
    }

    /** The numbers of all, for the actions. */
    public List<Integer> everyone() {
        return IntStream.range(0, size()).boxed().toList();
    }

    /** Process id of one, -1 before its start; another one after it was started again. */
    public long pid(int number) {
        return gateways.get(number).pid();
    }

    /** Whether one is running, if only frozen. */
    public boolean isAlive(int number) {
        return gateways.get(number).isAlive();
    }

    /** The end of what one printed. */
    public String logTail(int number) {
        return gateways.get(number).logTail();
    }

    /** CPU and memory of each that is running; some milliseconds each. */
    public List<Proc.ProcessReading> processes() {
        Proc proc = Proc.ofThisMachine();
        return gateways.stream()
                .filter(GatewayProcess::isAlive)
                .map(gateway -> proc.process(gateway.pid()))
                .flatMap(Optional::stream)
                .toList();
    }

    /** What a drain of one would be like now, in its own words; waits 5 s at the most. */
    public Optional<String> forecast(int number) {
        return admin(number).flatMap(this::asked).flatMap(GatewayPool::text);
    }

    private Optional<String> asked(InetSocketAddress admin) {
        URI forecast = URI.create("http://" + Addresses.text(admin) + "/v1/drain/forecast");
        HttpRequest request = HttpRequest.newBuilder(forecast).timeout(ANSWER).build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .thenApply(answer -> answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.<String>empty())
                .exceptionally(failure -> Optional.empty())
                .join();
    }

    private static Optional<String> text(String json) {
        try {
            return Optional.ofNullable(Json.value(json, Map.class).get("text")).map(String::valueOf);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** SIGSTOP now and SIGCONT after so long; returns at once. */
    public void freeze(List<Integer> which, Duration length) throws IOException {
        for (int number : which) {
            gateways.get(number).freeze(length);
        }
    }

    /** SIGKILL; complete when they are gone. */
    public CompletableFuture<Void> kill(List<Integer> which) {
        which.forEach(number -> gateways.get(number).kill());
        return ended(which, ANSWER);
    }

    /**
     * SIGTERM, which drains: devices get GOAWAY, and CLOSE at the end of {@code shutdown.drain}. Complete when they are
     * gone.
     *
     * @param patience how long that may take; the future fails beyond it
     */
    public CompletableFuture<Void> terminate(List<Integer> which, Duration patience) {
        which.forEach(number -> gateways.get(number).terminate());
        return ended(which, patience);
    }

    /** Starts those again that have ended, with the same ports and settings; complete when they are up. */
    public CompletableFuture<Void> startAgain(List<Integer> which) {
        return all(
                which,
                number -> CompletableFuture.runAsync(
                        () -> {
                            try {
                                startOne(number);
                            } catch (IOException | InterruptedException e) {
                                throw new CompletionException(e);
                            }
                        },
                        starters));
    }

    private CompletableFuture<Void> ended(List<Integer> which, Duration patience) {
        return all(which, number -> gateways.get(number).ended(patience));
    }

    private static CompletableFuture<Void> all(List<Integer> which, Function<Integer, CompletableFuture<Void>> action) {
        return CompletableFuture.allOf(which.stream().map(action).toArray(CompletableFuture<?>[]::new));
    }

    /** Ends all gateways at the same time, waits for them, and removes their files. Idempotent. */
    @Override
    public void close() {
        ChildEnd.all(gateways.stream().<Runnable>map(gateway -> gateway::close).toList());
        starters.shutdownNow();
        removeDirectory();
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

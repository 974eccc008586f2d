package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.measure.Proc;
import io.heartwheel.loadgen.scenario.Addresses;
import io.heartwheel.loadgen.scenario.Service;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * <p>Any thread.
 */
public final class GatewayPool extends ProcessPool {

    private static final String ADMIN = "admin";

    private final GatewaySetup setup;
    private final JavaCommand command;
    private final @Nullable InetSocketAddress[] admins; // guarded by this
    private final Map<String, InetSocketAddress> shared = new LinkedHashMap<>(); // guarded by this
    private final List<String> options;
    private final HttpClient http;

    /** Gateways that are not started. */
    public GatewayPool(GatewaySetup setup) throws IOException {
        super("gateway", setup.count(), true);
        this.setup = setup;
        this.command = JavaCommand.ofJar(setup.jar());
        this.options = Stream.concat(
                        setup.javaOptions().stream(), ClassArchive.reading(ClassArchive.beside(setup.jar())).stream())
                .toList();
        this.admins = new InetSocketAddress[setup.count()];
        this.http = HttpClient.newBuilder().connectTimeout(ANSWER).build();
    }

    /**
     * Starts all and waits until they are up, and in their fleet if they are of one; when one is not, those that are stay until {@link #close}.
     *
     * @return the listeners' addresses by name, and the first one's {@code admin}
     * @throws Failure with the end of the log of the one that did not come up
     */
    public Map<String, InetSocketAddress> start() throws IOException, InterruptedException {
        startOne(0);
        startAll(everyone().subList(1, size()));
        for (int number : everyone()) {
            processes.get(number).awaitUp(() -> asked(number, "/metrics")
                    .filter(GatewayPool::isAlone)
                    .isEmpty());
        }
        return addresses();
    }

    /** Whether these metrics are of a gateway that is to be in a fleet, and has not reached the servers of that: they may have been started just now. */
    static boolean isAlone(String metrics) {
        return metrics.contains("\nheartwheel_cluster_reachable 0");
    }

    @Override
    void startOne(int number) throws IOException, InterruptedException {
        Path config = directory.resolve(name(number) + ".conf");
        Path ports = directory.resolve(name(number) + ".ports");
        String settings = String.join("\n", settings(number));
        Files.writeString(config, "heartwheel {\n" + settings + "\n  ports-file = \"" + ports + "\"\n}\n");
        Files.deleteIfExists(ports);
        List<String> line = command.line(options, List.of("--config", config.toString(), "--exit-with-stdin"));
        // The gateway moves the file into its place when it is whole.
        processes.get(number).start(line, Map.of(SmallJvm.MALLOC_ARENAS, "2"), () -> Files.exists(ports));
        Map<String, InetSocketAddress> told = addresses(Files.readString(ports));
        synchronized (this) {
            admins[number] = told.get(ADMIN);
            for (String listener : setup.listeners()) {
                InetSocketAddress address = told.get(listener);
                if (address == null) {
                    throw new Failure(name(number) + " has no listener " + listener + ", only " + told.keySet());
                }
                shared.putIfAbsent(listener, address);
            }
        }
    }

    static Map<String, InetSocketAddress> addresses(String text) {
        Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
        for (String line : text.split("\n", -1)) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                String name = line.substring(0, equals).strip();
                Addresses.of(line.substring(equals + 1).strip(), 1).ifPresent(found -> addresses.put(name, found));
            }
        }
        return addresses;
    }

    /** In HOCON the later line counts: what is known of the ports stands behind what was wished for. */
    private synchronized List<String> settings(int number) {
        List<String> lines = new ArrayList<>(setup.settings());
        lines.replaceAll(line -> line.replace(Service.NUMBER, Integer.toString(number)));
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

    /** CPU and memory of each that is running; some milliseconds each. */
    public List<Proc.ProcessReading> processes() {
        Proc proc = Proc.ofThisMachine();
        return processes.stream()
                .filter(ChildProcess::isAlive)
                .map(gateway -> proc.process(gateway.pid()))
                .flatMap(Optional::stream)
                .toList();
    }

    /** What a drain of one would be like now, in its own words; waits 5 s at the most. */
    public Optional<String> forecast(int number) {
        return asked(number, "/v1/drain/forecast").flatMap(GatewayPool::text);
    }

    private Optional<String> asked(int number, String path) {
        return admin(number).flatMap(admin -> asked(URI.create("http://" + Addresses.text(admin) + path)));
    }

    private Optional<String> asked(URI what) {
        HttpRequest request = HttpRequest.newBuilder(what).timeout(ANSWER).build();
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
}

package io.heartwheel.loadgen.credential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.scenario.Addresses;
import io.heartwheel.loadgen.scenario.Auth;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.server.DisturbedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Gateway's side of a run's credentials: its files, the server that it asks, and the settings that it needs. The one place that names the gateway's
 * keys. One thread; the server has its own.
 */
public final class GatewayAuth implements AutoCloseable, DisturbedServer.Service {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEYS = "/keys.json";
    private static final String ASK = "/devices";
    private static final int TOLD = 200;
    private static final int ADMITTED = 204;
    private static final int REFUSED = 403;

    private final Auth auth;
    private final DeviceTokens tokens;
    private final String idPrefix;
    private final JwtMaker maker;
    private final Path directory;
    private final @Nullable DisturbedServer server;
    private final AtomicLong requests = new AtomicLong();

    private GatewayAuth(Scenario scenario, Auth auth, Path directory, NanoClock clock) {
        this.auth = auth;
        this.tokens = new DeviceTokens(scenario.seed());
        this.idPrefix = scenario.deviceDefaults().idPrefix();
        this.maker = new JwtMaker(auth.jwt(), scenario.seed());
        this.directory = directory;
        String path = auth.kind() == Auth.Kind.HTTP ? ASK : KEYS;
        this.server =
                auth.serves() ? new DisturbedServer("auth", path, auth.service().plan(), clock, this) : null;
    }

    /**
     * Writes the files and begins to serve; null for a scenario without credentials.
     *
     * @param clock any monotonic clock
     * @throws IOException when a file cannot be written, or the server cannot listen
     */
    public static @Nullable GatewayAuth begin(Scenario scenario, NanoClock clock) throws IOException {
        Auth auth = scenario.auth();
        if (auth == null) {
            return null;
        }
        Path directory = auth.directory().isEmpty()
                ? Files.createTempDirectory("heartwheel-auth-")
                : Files.createDirectories(Path.of(auth.directory()).toAbsolutePath());
        GatewayAuth side = new GatewayAuth(scenario, auth, directory, clock);
        try {
            side.write(scenario);
            if (side.server != null) {
                side.server.listen(
                        Addresses.read("auth.service.bind", auth.service().bind()));
            }
        } catch (IOException e) {
            side.close();
            throw e;
        }
        return side;
    }

    private void write(Scenario scenario) throws IOException {
        Path file = file();
        if (file == null) {
            return;
        }
        switch (auth.kind()) {
            case TOKENS -> {
                List<String> lines = new ArrayList<>();
                for (int index = 0; index < scenario.clients(); index++) {
                    lines.add(tokens.line(idPrefix + index, index));
                }
                Files.write(file, lines);
            }
            case CERTIFICATE -> Files.writeString(file, DeviceCertificates.issuer(scenario.seed()));
            default -> Files.writeString(file, maker.keySet(0));
        }
    }

    /** What it writes for the gateway; null: nothing, the gateway asks the server. */
    private @Nullable Path file() {
        if (server != null) {
            return null;
        }
        return directory.resolve(
                switch (auth.kind()) {
                    case TOKENS -> "tokens";
                    case CERTIFICATE -> "issuer.pem";
                    default -> "keys.json";
                });
    }

    // ---- the server

    @Override
    public DisturbedServer.Reply reply(HttpExchange request, byte[] body) {
        requests.incrementAndGet();
        if (auth.kind() == Auth.Kind.HTTP) {
            return new DisturbedServer.Reply(isGood(body) ? ADMITTED : REFUSED, "");
        }
        long nanos = server == null ? -1 : server.observedNanos();
        return new DisturbedServer.Reply(TOLD, maker.keySet(auth.service().newest(nanos)));
    }

    /** Whether the token is that of the device. */
    private boolean isGood(byte[] body) {
        try {
            JsonNode asked = JSON.readTree(body);
            String id = asked.path("device_id").asText();
            int index = Integer.parseInt(id.substring(Math.min(id.length(), idPrefix.length())));
            return id.equals(idPrefix + index) && asked.path("token").asText().equals(tokens.of(index));
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }

    /** Observation begins: rotation and plan count from here. */
    public void observe() {
        if (server != null) {
            server.observe();
        }
    }

    /** What it has made, in words. */
    public String line() {
        return "auth " + auth.kind().label() + ", the gateway's side of it at " + (server == null ? file() : url());
    }

    /** How often the server answered; empty if there was none. */
    public String served() {
        return server == null ? "" : "the gateway was answered " + requests + " times about credentials";
    }

    private String url() {
        return server == null
                ? ""
                : "http://" + Addresses.text(server.address()) + (auth.kind() == Auth.Kind.HTTP ? ASK : KEYS);
    }

    // ---- settings

    /** Settings of a gateway that admits these devices, lines inside its {@code heartwheel} block. */
    public List<String> settings() {
        List<String> lines = new ArrayList<>();
        lines.add("  auth.mode = methods");
        lines.add("  auth.methods = [" + auth.kind().label() + "]");
        lines.add("  auth.warn-before = " + auth.warnBeforeNanos() / 1_000_000 + "ms");
        // All devices have few sources here: the wrong ones among them would slow the good ones.
        lines.add("  auth.failures.enabled = false");
        switch (auth.kind()) {
            case NONE -> lines.clear();
            case TOKENS -> lines.add("  auth.tokens.file = " + quoted(file()));
            case HTTP -> {
                lines.add("  auth.http.url = " + quoted(url()));
                lines.add("  auth.http.breaker.max-backoff = 1s");
            }
            case JWT -> {
                lines.add("  auth.jwt.algorithms = [" + auth.jwt().algorithm().label() + "]");
                lines.add(
                        server == null
                                ? "  auth.jwt.keys-file = " + quoted(file())
                                : "  auth.jwt.keys-url = " + quoted(url()));
                lines.add("  auth.jwt.issuer = " + quoted(auth.jwt().issuer()));
                lines.add("  auth.jwt.audience = " + quoted(auth.jwt().audience()));
                lines.add("  auth.jwt.groups-claim = groups");
            }
            case CERTIFICATE -> lines.add("  auth.certificate.from = cn");
        }
        return lines;
    }

    private static String quoted(@Nullable Object text) {
        return "\"" + text + "\"";
    }

    /** Ends the server and removes what was temporary. Idempotent. */
    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
        if (auth.directory().isEmpty()) {
            try {
                Path file = file();
                Files.deleteIfExists(file == null ? directory : file);
                Files.deleteIfExists(directory);
            } catch (IOException e) {
                // Removed before, or by somebody else.
            }
        }
    }
}

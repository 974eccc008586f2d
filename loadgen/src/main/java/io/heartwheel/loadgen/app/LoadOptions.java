package io.heartwheel.loadgen.app;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that {@code demo} and {@code run} share. What is given beats the scenario's file. */
final class LoadOptions {

    @Option(
            names = "--scenario",
            paramLabel = "FILE|NAME",
            description =
                    "A scenario file, or the name of a built-in one; see --list (default: quick; for mqtt targets mqtt-keepalive).")
    private @Nullable String scenario;

    @Option(
            names = "--replay",
            paramLabel = "FILE",
            description = "Replay this recording (a gateway's trace file): scenario replay unless another is named,"
                    + " and as many devices and as long as it tells.")
    private @Nullable Path replay;

    @Option(
            names = "--speed",
            paramLabel = "0.001..1000",
            description = "With --replay: at 2 everything happens in half the time (default ${DEFAULT-VALUE}).")
    private double speed = 1;

    @Option(names = "--clients", paramLabel = "N", description = "Number of devices.")
    private @Nullable Integer clients;

    @Option(names = "--rate", paramLabel = "N", description = "Connects a second, evenly.")
    private @Nullable Double rate;

    @Option(names = "--push-rate", paramLabel = "N", description = "Pushes a second, of a scenario that pushes.")
    private @Nullable Double pushRate;

    @Option(names = "--interval", paramLabel = "MS", description = "Heartbeat interval to ask for, milliseconds.")
    private @Nullable Long interval;

    @Option(names = "--duration", paramLabel = "S", description = "Observed time after the ramp, seconds.")
    private @Nullable Double duration;

    @Option(
            names = "--contract",
            paramLabel = "KEYS",
            description =
                    "What the server promises, over the scenario's contract: \"grace = none\" if it closes nobody for"
                            + " silence, else for example \"interval = 30s, grace = 2, close = [fin, 1001]\".")
    private String contract = "";

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of all choices (default: the scenario's, or drawn, and printed).")
    private @Nullable Long seed;

    @Option(
            names = "--source",
            paramLabel = "RANGE",
            description = "Addresses the devices come from: 127.1.0.0/16 or 10.0.0.5-10.0.0.9.")
    private @Nullable String source;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result to this file as JSON.")
    @Nullable
    Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a self-contained HTML report with plots.")
    @Nullable
    Path html;

    @Option(names = "--metrics", paramLabel = "HOST:PORT", description = "Serve Prometheus metrics while running.")
    @Nullable
    String metrics;

    @Option(
            names = "--agent",
            paramLabel = "CMD",
            description = "Run the devices on another machine, by a command for the shell that starts a worker there:"
                    + " \"ssh HOST java -jar heartwheel-loadgen.jar worker\"; repeatable.")
    List<String> agents = new ArrayList<>();

    @Option(names = "--plan", description = "Print how the work is divided and what stands in the way, and leave.")
    boolean planOnly;

    @Option(
            names = "--gateway-jar",
            paramLabel = "FILE",
            description = "The gateway (default: gateway/target/heartwheel-gateway.jar beside this module).")
    @Nullable
    Path gatewayJar;

    @Option(
            names = "--gateway-java",
            paramLabel = "OPTION",
            description =
                    "Option for the gateway's virtual machine, for example -Xmx2g or -Dheartwheel.x=y; repeatable.")
    private List<String> gatewayJava = new ArrayList<>();

    @Option(
            names = "--auth",
            paramLabel = "KIND",
            description =
                    "What devices show: none, tokens, http, jwt or certificate; the rest of it is the scenario's.")
    private @Nullable String auth;

    /** What was given, as a scenario to lay over another one. */
    Config overlay() {
        Map<String, Object> keys = new LinkedHashMap<>();
        put(keys, "clients", clients);
        put(keys, "ramp.rate", rate);
        put(keys, "downlink.rate", pushRate);
        put(keys, "heartbeat.interval", interval == null ? null : interval + "ms");
        put(keys, "duration", duration == null ? null : Math.round(duration * 1_000) + "ms");
        put(keys, "seed", seed);
        put(keys, "sources", source);
        put(keys, "auth.kind", auth);
        put(keys, "gateways.java-options", gatewayJava.isEmpty() ? null : gatewayJava);
        if (replay != null) {
            String file = replay.toAbsolutePath().normalize().toString();
            keys.put("behaviours", List.of(Map.of("kind", "replay", "file", file, "speed", speed)));
        }
        return ConfigFactory.parseMap(keys, "command line").withFallback(promised());
    }

    private Config promised() {
        try {
            return ConfigFactory.parseString("contract {" + contract + "\n}");
        } catch (ConfigException e) {
            throw new IllegalArgumentException(
                    "contract = " + contract + ": need keys of a contract, for example \"grace = none\"", e);
        }
    }

    /** The scenario named, or the one that goes with the other options; null for the default. */
    @Nullable
    String scenario() {
        return scenario == null && replay != null ? Scenarios.REPLAY : scenario;
    }

    private static void put(Map<String, Object> keys, String key, @Nullable Object value) {
        if (value != null) {
            keys.put(key, value);
        }
    }
}

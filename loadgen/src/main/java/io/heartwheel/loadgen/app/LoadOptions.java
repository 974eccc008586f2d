package io.heartwheel.loadgen.app;

import com.typesafe.config.Config;
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
            description = "Live this recording again (a gateway's trace file): scenario replay unless another is named,"
                    + " and as many devices and as long as it tells.")
    @Nullable
    Path replay;

    @Option(
            names = "--speed",
            paramLabel = "0.001..1000",
            defaultValue = "1",
            description = "With --replay: at 2 everything happens in half the time (default ${DEFAULT-VALUE}).")
    double speed;

    @Option(names = "--clients", paramLabel = "N", description = "Devices to play.")
    @Nullable
    Integer clients;

    @Option(names = "--rate", paramLabel = "N", description = "Connects a second, evenly.")
    @Nullable
    Double rate;

    @Option(names = "--interval", paramLabel = "MS", description = "Heartbeat interval to ask for, milliseconds.")
    @Nullable
    Long interval;

    @Option(names = "--duration", paramLabel = "S", description = "Observed time after the ramp, seconds.")
    @Nullable
    Double duration;

    @Option(
            names = "--silent-share",
            paramLabel = "0..1",
            description = "This share of the devices falls silent, the others are steady.")
    @Nullable
    Double silentShare;

    @Option(
            names = "--beat-share",
            paramLabel = "0.01..1",
            description = "A device beats each so much of its granted interval.")
    @Nullable
    Double beatShare;

    @Option(names = "--data-rate", paramLabel = "N", description = "Messages a second, all devices together.")
    @Nullable
    Double dataRate;

    @Option(
            names = "--data-bytes",
            paramLabel = "N",
            defaultValue = "64",
            description = "Payload of such a message (default ${DEFAULT-VALUE}).")
    int dataBytes;

    @Option(names = "--tick", paramLabel = "MS", description = "The gateway's wheel tick, milliseconds.")
    @Nullable
    Long tick;

    @Option(
            names = "--slack",
            paramLabel = "MS",
            description =
                    "Detection lateness may be a tick and this at the 99th percentile, milliseconds; the generator's"
                            + " own lag may be this.")
    @Nullable
    Long slack;

    @Option(names = "--grace", paramLabel = "1.1..10", description = "The gateway's grace.")
    @Nullable
    Double grace;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of all choices (default: the scenario's, or drawn, and printed).")
    @Nullable
    Long seed;

    @Option(
            names = "--loops",
            paramLabel = "N",
            description = "Event loops of a worker process; 0: its share of the processors.")
    @Nullable
    Integer loops;

    @Option(
            names = "--source",
            paramLabel = "RANGE",
            description = "Addresses the devices come from: 127.1.0.0/16 or 10.0.0.5-10.0.0.9.")
    @Nullable
    String source;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result to this file as JSON.")
    @Nullable
    Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a report with plots to this file, readable without a network.")
    @Nullable
    Path html;

    @Option(names = "--metrics", paramLabel = "HOST:PORT", description = "Serve Prometheus metrics while running.")
    @Nullable
    String metrics;

    @Option(
            names = "--agents",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "Play on these machines, where heartwheel-loadgen agent listens.")
    List<String> agents = new ArrayList<>();

    @Option(names = "--plan", description = "Print how the work is divided and what stands in the way, and leave.")
    boolean planOnly;

    @Option(names = "--token-file", paramLabel = "FILE", description = "Its first line is what the agents ask for.")
    @Nullable
    Path tokenFile;

    /** What was given, as a scenario to lay over another one. */
    Config overlay() {
        Map<String, Object> keys = new LinkedHashMap<>();
        put(keys, "clients", clients);
        put(keys, "ramp.rate", rate);
        put(keys, "heartbeat.interval", interval == null ? null : interval + "ms");
        put(keys, "duration", duration == null ? null : Math.round(duration * 1_000) + "ms");
        put(keys, "heartbeat.share", beatShare);
        put(keys, "heartbeat.grace", grace);
        put(keys, "contract.tick", tick == null ? null : tick + "ms");
        put(keys, "contract.slack", slack == null ? null : slack + "ms");
        put(keys, "seed", seed);
        put(keys, "loops", loops);
        put(keys, "sources", source);
        Path recording = replay;
        if (recording != null && (silentShare != null || dataRate != null)) {
            throw new IllegalArgumentException("replay = " + recording
                    + ": its devices do what they did; --silent-share and --data-rate are for others");
        }
        if (recording != null) {
            String file = recording.toAbsolutePath().normalize().toString();
            keys.put("behaviours", List.of(Map.of("kind", "replay", "file", file, "speed", speed)));
        }
        if (silentShare != null || dataRate != null) {
            keys.put("behaviours", behaviours());
        }
        return ConfigFactory.parseMap(keys, "command line");
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

    private List<Map<String, Object>> behaviours() {
        Double silent = silentShare;
        Double rateOfAll = dataRate;
        List<Map<String, Object>> groups = new ArrayList<>();
        double share = silent == null ? 0 : silent;
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("silent-share = " + share + ": need 0..1");
        }
        Map<String, Object> live = new LinkedHashMap<>();
        live.put("weight", 1 - share);
        if (rateOfAll != null && rateOfAll > 0) {
            live.put("kind", "chatty");
            live.put("rate", rateOfAll / Math.max(1, clients == null ? Scenarios.DEFAULT_CLIENTS : clients));
            live.put("payload", Map.of("min", dataBytes + "B", "max", dataBytes + "B"));
        } else {
            live.put("kind", "steady");
        }
        groups.add(live);
        groups.add(Map.of("kind", "silent", "weight", share));
        return groups;
    }
}

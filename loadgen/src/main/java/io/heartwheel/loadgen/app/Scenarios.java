package io.heartwheel.loadgen.app;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigValueFactory;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.heartwheel.loadgen.scenario.Spelling;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Scenarios by name (the built-in ones) or file. Stateless. */
final class Scenarios {

    /** The built-in one that is run when none is named. */
    static final String DEFAULT = "quick";

    /** The one that replays a recording. */
    static final String REPLAY = "replay";

    /** The one that is run against MQTT brokers alone. */
    static final String MQTT = "mqtt-keepalive";

    /** The built-in ones, by name; their files stand in {@code conf/scenarios} and in the jar. */
    static final List<String> NAMES = List.of((DEFAULT
                    + " everyday faults takeover restart partition drain rolling cluster freeze crash push commands journal auth auth-hook"
                    + " auth-rate accept-storm takeover-storm " + REPLAY + " " + MQTT
                    + " framed-jt808 hundred-thousand million million-60s")
            .split(" "));

    private Scenarios() {}

    /**
     * Reads one and lays other keys over it.
     *
     * @param named a file or a built-in name; null for the default
     * @param overlay what beats it
     */
    static Scenario read(@Nullable String named, Config overlay) {
        String name = named == null ? DEFAULT : named;
        Config merged = overlay.withFallback(base(name));
        // Targets and curve are lists or depend on each other: what is given replaces what was there.
        Config whole = overlay.hasPath("ramp.rate") ? merged.withoutPath("ramp.curve") : merged;
        if (!whole.hasPath("seed") || whole.getValue("seed").unwrapped().equals(0)) {
            whole = whole.withValue("seed", ConfigValueFactory.fromAnyRef(System.nanoTime() & 0x7FFF_FFFFL));
        }
        if (whole.hasPath("downlink") && !whole.hasPath("downlink.nonce")) {
            // What an earlier run with this seed left in the server must not be taken for this one's.
            whole = whole.withValue(
                    "downlink.nonce", ConfigValueFactory.fromAnyRef(System.nanoTime() & Long.MAX_VALUE));
        }
        return ScenarioReader.read(whole, named == null ? "command line" : name);
    }

    /** One line for each built-in scenario: its name, what its file says of it first, and how many devices it has. */
    static List<String> descriptions() {
        return NAMES.stream()
                .map(name -> String.format(
                        Locale.ROOT, "%-18s %s", name, description(base(name).resolve())))
                .toList();
    }

    private static String description(Config scenario) {
        String name = scenario.getString("name");
        return scenario.hasPath("clients")
                ? String.format(Locale.ROOT, "%s, %,d devices", name, scenario.getInt("clients"))
                : name;
    }

    private static Config base(String name) {
        try {
            Path file = Path.of(name);
            if (Files.isRegularFile(file)) {
                return ConfigFactory.parseFile(
                        file.toAbsolutePath().toFile(),
                        ConfigParseOptions.defaults().setAllowMissing(false));
            }
            if (NAMES.contains(name)) {
                return ConfigFactory.parseResources(
                        Scenarios.class.getClassLoader(),
                        "scenarios/" + name + ".conf",
                        ConfigParseOptions.defaults().setAllowMissing(false));
            }
        } catch (ConfigException e) {
            throw new IllegalArgumentException(ScenarioReader.message(name, e), e);
        }
        throw new IllegalArgumentException("scenario = " + name + ": no such file, and none of the built-in ones: "
                + String.join(", ", NAMES) + Spelling.hint(name, NAMES));
    }
}

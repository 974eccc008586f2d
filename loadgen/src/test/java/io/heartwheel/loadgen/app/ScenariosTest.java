package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import io.heartwheel.loadgen.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scenarios that come with it. */
final class ScenariosTest {

    private static final Path FILES = Path.of("..", "conf", "scenarios");

    @Test
    void names_builtIn_areTheFilesThatOperatorsRead() throws IOException {
        try (Stream<Path> files = Files.list(FILES)) {
            Set<String> names = files.map(file -> file.getFileName().toString().replace(".conf", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(names, new TreeSet<>(Scenarios.NAMES));
        }
    }

    @Test
    void read_eachBuiltIn_hasNoMistakeAndIsTheFile() throws IOException {
        for (String name : Scenarios.NAMES) {
            if (name.equals("replay")) {
                // it needs a recording
                continue;
            }
            Path file = FILES.resolve(name + ".conf");
            Scenario builtIn = Scenarios.read(name, ConfigFactory.empty());
            Scenario read = Scenarios.read(file.toString(), ConfigFactory.empty());
            assertEquals(read.name(), builtIn.name());
            assertEquals(read.clients(), builtIn.clients());
            assertFalse(builtIn.name().isBlank(), name);
            assertTrue(Files.readString(file).startsWith("#"), () -> name + ": its first line says what it is for");
            assertTrue(builtIn.gateways().start() || !builtIn.targets().isEmpty(), name);
        }
    }

    @Test
    void read_notHoconOrNoSuchName_tellsFileAndLineOrTheNameThatWasMeant(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("mine.conf");
        Files.writeString(file, "clients = 5\ntargets = [{ protocol = tcp ]\n");
        assertTrue(told(file.toString()).startsWith(file + ":2: "), told(file.toString()));
        assertTrue(told("evryday").endsWith(", did you mean everyday?"), told("evryday"));
    }

    private static String told(String named) {
        return assertThrows(IllegalArgumentException.class, () -> Scenarios.read(named, ConfigFactory.empty()))
                .getMessage();
    }

    @Test
    void descriptions_eachBuiltIn_areALineEach() {
        List<String> lines = Scenarios.descriptions();
        assertEquals(Scenarios.NAMES.size(), lines.size());
        for (int i = 0; i < lines.size(); i++) {
            assertTrue(lines.get(i).startsWith(Scenarios.NAMES.get(i) + " "), lines.get(i));
        }
    }

    @Test
    void title_otherSizeThanTheFiles_tellsTheActualOne() {
        for (String name : Scenarios.NAMES) {
            if (name.equals("replay")) {
                // it needs a recording
                continue;
            }
            Scenario scenario = Scenarios.read(name, ConfigFactory.parseString("clients = 500"));
            assertTrue(scenario.title().endsWith(", 500 devices"), scenario.title());
            assertFalse(scenario.name().matches("(?i).*(hundred|thousand|million|\\d).*"), scenario.name());
        }
        Scenario named = Scenarios.read(
                "quick", ConfigFactory.parseString("clients = 1, name = \"Beats each \"${heartbeat.interval}"));
        assertEquals("Beats each 2s, 1 device", named.title());
    }

    @Test
    void read_overlay_beatsTheFile() {
        Scenario scenario = Scenarios.read(
                "quick",
                ConfigFactory.parseString(
                        "clients = 7, ramp.rate = 3, seed = 11, heartbeat.interval = 5s, duration = 1m"));
        assertEquals(7, scenario.clients());
        assertEquals(11, scenario.seed());
        assertEquals(3, scenario.ramp().rateAt(0));
        assertEquals(5_000, scenario.deviceDefaults().wantedMillis());
    }

    @Test
    void read_seedZero_isDrawn() {
        assertTrue(Scenarios.read("quick", ConfigFactory.empty()).seed() > 0);
    }

    @Test
    void read_noSuchScenario_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> Scenarios.read("no-such", ConfigFactory.empty()));
        assertThrows(IllegalArgumentException.class, () -> Scenarios.read("../quick", ConfigFactory.empty()));
    }
}

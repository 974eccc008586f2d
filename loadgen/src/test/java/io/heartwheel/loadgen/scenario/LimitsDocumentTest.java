package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The limits that the document tells are those that a wrong scenario is told. */
final class LimitsDocumentTest {

    private static final Path DOCUMENT = Path.of("..", "gateway", "docs", "loadgen.md");
    private static final Path EVERY_KEY = Path.of("..", "conf", "scenarios", "everyday.conf");
    private static final Pattern ENTRY = Pattern.compile("\\| `([a-z0-9.-]+)` \\| (\\S+\\.\\.\\S+) ");
    private static final Pattern SCALAR = Pattern.compile("^( *)([a-z0-9-]+) = [0-9][^,}]*$");

    private static Map<String, String> documented() throws IOException {
        String text = Files.readString(DOCUMENT);
        String section = text.substring(text.indexOf("### Limits"), text.indexOf("### Behaviours"));
        Map<String, String> limits = new TreeMap<>();
        Matcher entry = ENTRY.matcher(section);
        while (entry.find()) {
            limits.put(entry.group(1), entry.group(2));
        }
        return limits;
    }

    @Test
    void protocols_eachOfThem_standInTheTableOfParts() throws IOException {
        String row = Files.readString(DOCUMENT)
                .lines()
                .filter(line -> line.startsWith("| `targets` |"))
                .findFirst()
                .orElseThrow();
        for (Protocol protocol : Protocol.values()) {
            assertTrue(row.contains("`" + protocol.label() + "`"), protocol::label);
        }
    }

    /** What the reader says when a key has a value that is none. */
    private static String told(String key) {
        List<String> path = new ArrayList<>(List.of(key.split("\\.", -1)));
        String list = path.get(0);
        Config base = ConfigFactory.parseString("targets = [ { protocol = tcp, address = \"127.0.0.1:1\" } ]");
        Config wrong;
        if (list.equals("behaviours") || list.equals("timeline")) {
            String kind = path.get(1);
            String inner = String.join(".", path.subList(2, path.size()));
            wrong = block(inner)
                    .withValue(list.equals("behaviours") ? "kind" : "do", ConfigValueFactory.fromAnyRef(kind));
            wrong = ConfigFactory.empty().withValue(list, ConfigValueFactory.fromIterable(List.of(wrong.root())));
        } else if (list.equals("targets")) {
            wrong = block(path.get(1))
                    .withFallback(base.getConfigList("targets").get(0));
            wrong = ConfigFactory.empty().withValue(list, ConfigValueFactory.fromIterable(List.of(wrong.root())));
        } else {
            wrong = block(key);
        }
        Config whole = wrong.withFallback(base);
        return assertThrows(IllegalArgumentException.class, () -> ScenarioReader.read(whole, "test"), key)
                .getMessage();
    }

    private static Config block(String key) {
        return ConfigFactory.empty().withValue(key, ConfigValueFactory.fromAnyRef("beyond"));
    }

    @Test
    void read_valueThatIsNone_isToldTheDocumentedLimits() throws IOException {
        Map<String, String> documented = documented();
        assertTrue(documented.size() > 40, documented::toString);
        documented.forEach((key, range) -> {
            String own = key.substring(key.lastIndexOf('.') + 1) + " = beyond: need ";
            String told = told(key);
            assertTrue(
                    told.lines()
                            .anyMatch(line -> line.contains(own)
                                    && line.matches(".*[ ,]" + Pattern.quote(range) + "(,.*| or .*)?")),
                    () -> key + " " + range + " in " + told);
        });
    }

    /** Each figure that stands on a line of its own in the file that has every key. */
    @Test
    void documented_keysOfTheReference_areAllThere() throws IOException {
        Map<String, String> documented = documented();
        List<String> missing = new ArrayList<>();
        String block = "";
        for (String line : Files.readAllLines(EVERY_KEY)) {
            if (line.matches("^[a-z]+ \\{$")) {
                block = line.substring(0, line.indexOf(' ')) + ".";
            } else if (line.equals("}")) {
                block = "";
            }
            Matcher scalar = SCALAR.matcher(line);
            boolean known = !scalar.matches() || documented.containsKey(block + scalar.group(2));
            // deadlines of servers: they may also be "none", which the document says elsewhere
            if (!known && !scalar.group(2).matches("handshake|write-progress")) {
                missing.add(block + scalar.group(2));
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(Files.readString(EVERY_KEY).contains("# Devices, " + documented.get("clients") + " ("));
    }
}

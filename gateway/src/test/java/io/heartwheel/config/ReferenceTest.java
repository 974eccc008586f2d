package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigValue;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.history.EvidenceSettings;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.RateClasses;
import io.heartwheel.liveness.RateLimits;
import io.heartwheel.liveness.StallSettings;
import io.heartwheel.log.LogSettings;
import io.heartwheel.push.PushSettings;
import io.heartwheel.session.TraceSettings;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ListenerProtocol;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.MemorySettings;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The reference configuration is the built-in one, is read completely, and agrees with the records. */
class ReferenceTest {
    private static final Path REFERENCE = Path.of("..", "conf", "gateway.conf");
    private static final Map<String, ConfigValue> DEFAULTS = new TreeMap<>();

    static {
        ConfigLoader.defaults()
                .getConfig("heartwheel")
                .entrySet()
                .forEach(entry -> DEFAULTS.put(entry.getKey(), entry.getValue()));
    }

    @Test
    void builtIn_bytes_areThoseOfTheReference() throws Exception {
        try (var packed = ConfigLoader.class.getResourceAsStream("gateway.conf")) {
            assertArrayEquals(Files.readAllBytes(REFERENCE), packed.readAllBytes());
        }
    }

    /** The second listener of the reference repeats the first. */
    @Test
    void reference_keys_areThoseOfTheTable() {
        Set<String> table = new TreeSet<>();
        for (Key key : Keys.all()) {
            table.add(key.path());
            if (key.path().startsWith("listeners.tcp.")) {
                table.add(key.path().replace("listeners.tcp.", "listeners.websocket."));
            }
        }

        assertEquals(table, DEFAULTS.keySet());
    }

    /** Whoever opens the file sees on its first page what a new gateway needs. */
    @Test
    void reference_keysThatAreSetFirst_standOnTheFirstPage() {
        for (String key : List.of(
                "listeners.tcp.bind",
                "listeners.websocket.bind",
                "listeners.tcp.tls.certificate-file",
                "auth.mode",
                "heartbeat.interval",
                "transport.max-connections",
                "sink.kind",
                "journal.directory",
                "outlets.main.kind",
                "admin.bind")) {
            int line = DEFAULTS.get(key).origin().lineNumber();
            assertTrue(line <= 40, () -> key + " stands in line " + line);
        }
    }

    /** In the comment above the key, or in that of its block. */
    @Test
    void reference_comments_stateTheRangesOfTheTable() throws Exception {
        List<String> lines = Files.readAllLines(REFERENCE);
        for (Key key : Keys.all()) {
            int at = DEFAULTS.get(key.path()).origin().lineNumber() - 1;
            while (!lines.get(at).matches(".*#.*[Rr]ange.*")) {
                at--;
            }
            boolean inGeneral = lines.stream()
                    .anyMatch(line -> line.contains("All durations") && line.contains("range " + key.range()));
            assertTrue(
                    inGeneral || lines.get(at).contains(key.range()),
                    key.path() + ", " + key.range() + ", is not what the reference says: " + lines.get(at));
        }
    }

    @Test
    void reference_defaults_areGoodAndHaveTheUnitsOfTheTable() {
        for (Key key : Keys.all()) {
            ConfigValue value = DEFAULTS.get(key.path());
            assertTrue(key.reading().apply(value).isPresent(), () -> key.path() + ": " + key.needInsteadOf(value));
        }
    }

    @Test
    void load_referenceAsFile_givesTheDefaults() throws Exception {
        GatewaySettings defaults = Loading.load(Map.of());
        GatewaySettings file = Loading.load(REFERENCE, Map.of(), Map.of());

        assertEquals(defaults.toString(), file.toString().replaceFirst("configured=\\[[A-Z_, ]+]", "configured=[]"));
    }

    /** What the records call their default; the rest is in the reference alone. */
    @Test
    void load_nothing_givesTheDefaultsOfTheRecords() throws Exception {
        GatewaySettings settings = Loading.load(Map.of());

        assertEquals(
                List.of(
                        listener("tcp", 7070, ListenerProtocol.HEARTWHEEL),
                        listener("websocket", 7080, ListenerProtocol.WEBSOCKET)),
                settings.listeners());
        assertEquals(TlsUpkeepSettings.DEFAULTS, settings.tls());
        assertEquals(new RateClasses(RateLimits.DEFAULTS), settings.protocol().limits());
        assertEquals(AuthSettings.of(AuthSettings.Mode.UNSET, new byte[0]), settings.auth());
        assertEquals(LivenessSettings.defaults(), settings.liveness());
        assertNull(settings.shadow());
        assertEquals(StallSettings.DEFAULTS, settings.stalls());
        assertEquals(BreakerSettings.DEFAULTS, settings.breaker());
        assertEquals(MemorySettings.DEFAULTS, settings.memory());
        assertEquals(EvidenceSettings.DEFAULTS, settings.evidence());
        assertEquals(TraceSettings.DEFAULTS, settings.trace());
        assertEquals(LogSettings.DEFAULTS, settings.log());
        long messages = settings.messages().totalBytes() / PushSettings.MESSAGE_BYTES;
        assertTrue(settings.wheel().maxEntries() > settings.transport().maxConnections() + 2 * messages);
        assertNull(settings.portsFile());
    }

    @Test
    void load_shadowEnabled_takesWhatItDoesNotHaveFromTheDeadlinesInForce() throws Exception {
        LivenessSettings inForce = LivenessSettings.defaults();
        Map<String, String> said = Map.of(
                "heartwheel.shadow.enabled", "true",
                "heartwheel.heartbeat.interval", "45s",
                "heartwheel.heartbeat.probe", "false");
        LivenessSettings.Heartbeat beat = inForce.heartbeat();

        assertEquals(
                new LivenessSettings(
                        new LivenessSettings.Deadline(false, Duration.ofSeconds(5)),
                        new LivenessSettings.Heartbeat(
                                true, Duration.ofSeconds(45), beat.min(), beat.max(), 1.25, false, 0.25, null),
                        new LivenessSettings.ReadProgress(false, Duration.ofSeconds(5), 128),
                        new LivenessSettings.Deadline(false, Duration.ofMinutes(5)),
                        new LivenessSettings.Deadline(
                                false, inForce.writerIdle().timeout()),
                        new LivenessSettings.Deadline(false, Duration.ofSeconds(15)),
                        new LivenessSettings.Age(false, inForce.age().timeout(), 0.1, Duration.ofSeconds(30)),
                        Set.of()),
                Loading.load(said).shadow());
    }

    private static ListenerSettings listener(String name, int port, ListenerProtocol protocol) {
        return new ListenerSettings(name, new BindAddress("127.0.0.1", port), protocol, 4_096, false, null, null);
    }
}

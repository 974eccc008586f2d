package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigValue;
import io.heartwheel.admin.AdminSettings;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.history.EvidenceSettings;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.RateLimits;
import io.heartwheel.liveness.StallSettings;
import io.heartwheel.log.LogSettings;
import io.heartwheel.protocol.ProtocolSettings;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.session.AuthSettings;
import io.heartwheel.session.TraceSettings;
import io.heartwheel.sink.DedupeSettings;
import io.heartwheel.sink.JournalSettings;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.sink.SinkSettings;
import io.heartwheel.store.StoreSettings;
import io.heartwheel.store.SyncPolicy;
import io.heartwheel.transport.AdmissionSettings;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ListenerProtocol;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.MemorySettings;
import io.heartwheel.transport.TransportKind;
import io.heartwheel.transport.TransportSettings;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import io.heartwheel.wheel.WheelSettings;
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
        GatewaySettings defaults = Loading.load(null, Map.of(), Map.of());
        GatewaySettings file = Loading.load(REFERENCE, Map.of(), Map.of());

        assertEquals(defaults.toString(), file.toString().replaceFirst("configured=\\[[A-Z_, ]+]", "configured=[]"));
    }

    @Test
    void load_nothing_givesListenersAndTransport() throws Exception {
        GatewaySettings settings = Loading.load(null, Map.of(), Map.of());

        assertEquals(
                List.of(
                        listener("tcp", 7070, ListenerProtocol.HEARTWHEEL),
                        listener("websocket", 7080, ListenerProtocol.WEBSOCKET)),
                settings.listeners());
        assertEquals(
                new TransportSettings(TransportKind.AUTO, 0, 2_048, 1_000_000, 32_768, 65_536, Duration.ofMillis(500)),
                settings.transport());
        assertEquals(TlsUpkeepSettings.DEFAULTS, settings.tls());
        assertEquals(new WebSocketSettings("/ws", List.of(), List.of(), 8_192, false, null), settings.webSocket());
        assertEquals(new AdmissionSettings(50_000, null), settings.admission());
        assertEquals(new ProtocolSettings(65_536, RateLimits.DEFAULTS), settings.protocol());
    }

    @Test
    void load_nothing_givesTheRest() throws Exception {
        GatewaySettings settings = Loading.load(null, Map.of(), Map.of());

        assertEquals(new AuthSettings(AuthSettings.Mode.UNSET, new byte[0]), settings.auth());
        assertEquals(LivenessSettings.defaults(), settings.liveness());
        assertNull(settings.shadow());
        assertEquals(StallSettings.DEFAULTS, settings.stalls());
        assertEquals(BreakerSettings.DEFAULTS, settings.breaker());
        assertEquals(MemorySettings.DEFAULTS, settings.memory());
        assertEquals(EvidenceSettings.DEFAULTS, settings.evidence());
        assertEquals(
                new WheelSettings(Duration.ofMillis(10), 512, settings.wheel().maxEntries(), 1_024), settings.wheel());
        assertTrue(settings.wheel().maxEntries() > 1_000_000);
        assertEquals(
                new SinkSettings(
                        SinkKind.CONSOLE,
                        Path.of("heartwheel-events.jsonl"),
                        65_536,
                        "",
                        new JournalSettings(
                                new StoreSettings(Path.of("heartwheel-journal"), SyncPolicy.ALWAYS),
                                1L << 30,
                                JournalSettings.WhenFull.SLOW,
                                Duration.ofHours(1),
                                new DedupeSettings(true, 64))),
                settings.sink());
        assertEquals(TraceSettings.DEFAULTS, settings.trace());
        assertEquals(
                new AdminSettings(true, new BindAddress("127.0.0.1", 7090), 65_536, 256, List.of()), settings.admin());
        assertEquals(
                new DrainSettings(
                        Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(10), 10_000, 1_000, ""),
                settings.drain());
        assertEquals(LogSettings.DEFAULTS, settings.log());
        assertNull(settings.portsFile());
    }

    @Test
    void load_shadowEnabled_takesWhatItDoesNotHaveFromTheDeadlinesInForce() throws Exception {
        LivenessSettings inForce = LivenessSettings.defaults();
        LivenessSettings shadow = Loading.load(
                        null,
                        Map.of(
                                "heartwheel.shadow.enabled", "true",
                                "heartwheel.heartbeat.interval", "45s",
                                "heartwheel.heartbeat.probe", "false"),
                        Map.of())
                .shadow();

        assertEquals(
                new LivenessSettings(
                        new LivenessSettings.Deadline(false, Duration.ofSeconds(5)),
                        new LivenessSettings.Heartbeat(
                                true,
                                Duration.ofSeconds(45),
                                inForce.heartbeat().min(),
                                inForce.heartbeat().max(),
                                1.25,
                                false,
                                0.25),
                        new LivenessSettings.ReadProgress(false, Duration.ofSeconds(5), 128),
                        new LivenessSettings.Deadline(false, Duration.ofMinutes(5)),
                        new LivenessSettings.Deadline(
                                false, inForce.writerIdle().timeout()),
                        new LivenessSettings.Deadline(false, Duration.ofSeconds(15)),
                        new LivenessSettings.Age(false, inForce.age().timeout(), 0.1, Duration.ofSeconds(30)),
                        Set.of()),
                shadow);
    }

    @Test
    void load_everyKeySaidAgain_isNoMistake() throws Exception {
        StringBuilder again = new StringBuilder();
        ConfigLoader.defaults().entrySet().forEach(entry -> again.append(entry.getKey())
                .append('=')
                .append(entry.getValue().render())
                .append('\n'));
        Path file = Files.createTempFile("again", ".conf");
        try {
            Files.writeString(file, again);
            assertFalse(Loading.load(file, Map.of(), Map.of()).listeners().isEmpty());
        } finally {
            Files.delete(file);
        }
    }

    private static ListenerSettings listener(String name, int port, ListenerProtocol protocol) {
        return new ListenerSettings(name, new BindAddress("127.0.0.1", port), protocol, 4_096, false, null, null);
    }
}

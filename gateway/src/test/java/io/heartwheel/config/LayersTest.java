package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heartwheel.auth.AuthSettings;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.transport.ListenerSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Precedence of defaults, file, environment and properties; and from where a listener takes missing keys. */
class LayersTest {
    private static final Map<String, String> NONE = Map.of();

    @TempDir
    Path directory;

    @Test
    void load_keyOnEveryLayer_takesTheUppermost() throws Exception {
        Path file = file("heartwheel.heartbeat { interval = 10s, min = 1s }");
        Map<String, String> environment = Map.of("CONFIG_FORCE_heartwheel_heartbeat_interval", "20s");
        Map<String, String> properties = Map.of("heartwheel.heartbeat.interval", "30s");

        assertEquals(Duration.ofSeconds(60), interval(Loading.load(Map.of())));
        assertEquals(Duration.ofSeconds(10), interval(Loading.load(file)));
        assertEquals(Duration.ofSeconds(20), interval(Loading.load(file, NONE, environment)));
        assertEquals(Duration.ofSeconds(30), interval(Loading.load(file, properties, environment)));
    }

    @Test
    void load_anyLeafOfADeadline_makesItConfigured() throws Exception {
        Path file =
                file("heartwheel { heartbeat.probe = true, writer-idle.timeout = 1m, shadow.handshake.timeout = 1s }");
        Map<String, String> environment = Map.of("CONFIG_FORCE_heartwheel_reader__idle_timeout", "20m");
        Map<String, String> properties = Map.of("heartwheel.age.jitter", "0.2");

        assertEquals(Set.of(), configured(Loading.load(Map.of())));
        assertEquals(Set.of(DeadlineKind.HEARTBEAT), configured(Loading.load(file)));
        assertEquals(
                Set.of(DeadlineKind.HEARTBEAT, DeadlineKind.READER_IDLE, DeadlineKind.AGE),
                configured(Loading.load(file, properties, environment)));
    }

    private static Set<DeadlineKind> configured(GatewaySettings settings) {
        return settings.liveness().configured();
    }

    @Test
    void load_dashesAndUnderscoresInVariables_areKeysOfTheFile() throws Exception {
        GatewaySettings settings = Loading.load(
                null,
                NONE,
                Map.of(
                        "CONFIG_FORCE_heartwheel_transport_max__connections", "5",
                        "CONFIG_FORCE_heartwheel_listeners_tcp_reuse__port", "true",
                        "CONFIG_FORCE_heartwheel_ports__file", "ports"));

        assertEquals(5, settings.transport().maxConnections());
        assertEquals(List.of(true, false), reusePort(settings));
        assertEquals(Path.of("ports"), settings.portsFile());
    }

    /** As heartwheel@.service sets it. */
    @Test
    void load_sharePorts_isSaidOfEveryListener() throws Exception {
        GatewaySettings settings = Loading.load(
                file("heartwheel.listeners { a { bind = \"[::1]:1\" }, b { bind = \"[::1]:2\", reuse-port = false } }"),
                NONE,
                Map.of("CONFIG_FORCE_heartwheel_transport_share__ports", "true"));

        assertEquals(List.of(true, true), reusePort(settings));
    }

    @Test
    void path_threeUnderscores_areOne() {
        assertEquals("a.b-c_d", Overrides.path("a_b__c___d"));
    }

    @Test
    void load_listInOneLine_isSplitAtCommas() throws Exception {
        Map<String, String> properties =
                Map.of("heartwheel.websocket.hosts", "A.example , b.example", "heartwheel.websocket.origins", "");

        GatewaySettings settings = Loading.load(properties);

        assertEquals(List.of("a.example", "b.example"), settings.webSocket().hosts());
        assertEquals(List.of(), settings.webSocket().origins());
    }

    @Test
    void load_mistypedOverrides_areTold() {
        Map<String, String> properties = Map.of(
                "heartwheel.heartbeat.intervl", "30s",
                "heartwheel.listeners.tpc.bind", "127.0.0.1:1",
                "heartwheel.wheel", "5",
                "user.home", "somebody else's");
        Map<String, String> environment =
                Map.of("CONFIG_FORCE_HEARTWHEEL_SINK_KIND", "none", "CONFIG_FORCE_other_thing", "1", "PATH", "/bin");

        List<String> problems = Loading.problems(() -> Loading.load(null, properties, environment));

        assertEquals(
                List.of(
                        "HEARTWHEEL.SINK.KIND: unknown key, did you mean heartwheel.sink.kind, CONFIG_FORCE_heartwheel_sink_kind? (CONFIG_FORCE_HEARTWHEEL_SINK_KIND)",
                        "heartwheel.heartbeat.intervl: unknown key, did you mean heartwheel.heartbeat.interval? (-Dheartwheel.heartbeat.intervl)",
                        "heartwheel.listeners.tpc.bind: unknown key, did you mean heartwheel.listeners.tcp.bind? (-Dheartwheel.listeners.tpc.bind)",
                        "heartwheel.wheel = 5: need a block { ... } (-Dheartwheel.wheel)"),
                problems);
    }

    /** A variable with one underscore where two belong. */
    @ParameterizedTest
    @CsvSource({
        "transport_max_connections, transport.max-connections, transport_max__connections",
        "TRANSPORT_MAX_CONNECTIONS, transport.max-connections, transport_max__connections",
        "transport_connections, transport.max-connections, transport_max__connections",
        "handshake_max_pending, handshake.max-pending, handshake_max__pending",
        "read_progress_min_rate, read-progress.min-rate, read__progress_min__rate",
        "listeners_tcp_reuse_port, listeners.tcp.reuse-port, listeners_tcp_reuse__port",
        "listeners_tcp_tls_key_file, listeners.tcp.tls.key-file, listeners_tcp_tls_key__file",
        "shutdown_retry_mn, shutdown.retry-min, shutdown_retry__min",
        "wheel_interval, heartbeat.interval, heartbeat_interval"
    })
    void load_unknownVariable_suggestsTheNearestOfItsOwnPath(String wrong, String key, String variable) {
        String name = "CONFIG_FORCE_heartwheel_" + wrong;

        List<String> problems = Loading.problems(() -> Loading.load(null, NONE, Map.of(name, "1")));

        assertEquals(
                List.of(Overrides.path("heartwheel_" + wrong) + ": unknown key, did you mean heartwheel." + key
                        + ", CONFIG_FORCE_heartwheel_" + variable + "? (" + name + ")"),
                problems);
    }

    @Test
    void variable_ofEveryKey_isItsPathBackwards() {
        ConfigLoader.defaults().entrySet().forEach(entry -> {
            String path = entry.getKey();
            assertEquals(path, Overrides.path(Overrides.variable(path).substring("CONFIG_FORCE_".length())));
        });
    }

    @Test
    void load_fileWithListeners_hasNoOthers() throws Exception {
        GatewaySettings settings =
                Loading.load(file("heartwheel.listeners.fleet { bind = \"[::1]:9000\", protocol = auto }"), NONE, NONE);

        assertEquals(List.of("fleet [::1]:9000 AUTO 4096"), words(settings));
    }

    @Test
    void load_listenerNamedAsADefaultOne_takesFromIt() throws Exception {
        GatewaySettings settings = Loading.load(file("heartwheel.listeners.websocket.backlog = 7"), NONE, NONE);

        assertEquals(List.of("websocket 127.0.0.1:7080 WEBSOCKET 7"), words(settings));
    }

    @Test
    void load_disabledListener_isNotAmongThem() throws Exception {
        GatewaySettings settings = Loading.load(null, Map.of("heartwheel.listeners.tcp.enabled", "false"), NONE);

        assertEquals(List.of("websocket"), names(settings));
    }

    @Test
    void load_listenersOnTheSamePortZero_areGood() throws Exception {
        Map<String, String> properties = Map.of(
                "heartwheel.listeners.tcp.bind", "127.0.0.1:0",
                "heartwheel.listeners.websocket.bind", "127.0.0.1:0",
                "heartwheel.admin.bind", "127.0.0.1:0");

        assertEquals(2, Loading.load(properties).listeners().size());
    }

    @Test
    void load_tokenFile_givesItsFirstLine() throws Exception {
        for (String rest : List.of("", "\n", "\r\n", "\nsecond line\n")) {
            Path token = Files.writeString(directory.resolve("token"), "grüße, geräte" + rest);
            GatewaySettings settings = Loading.load(
                    file("heartwheel.auth { mode = shared-token, token-file = \"" + token + "\" }"), NONE, NONE);

            byte[] expected = "grüße, geräte".getBytes(StandardCharsets.UTF_8);
            assertEquals(AuthSettings.of(AuthSettings.Mode.SHARED_TOKEN, expected), settings.auth());
        }
    }

    @Test
    void load_tokenAtItsEdges_isMeasuredInBytes() throws Exception {
        for (String good : List.of("x".repeat(8), "x".repeat(1_024), "üüüü")) {
            byte[] bytes = good.getBytes(StandardCharsets.UTF_8);
            assertArrayEquals(bytes, Loading.load(token(good)).auth().token());
        }
        for (int bad : new int[] {7, 1_025}) {
            assertThrows(ConfigException.class, () -> Loading.load(token("x".repeat(bad))));
        }
    }

    @Test
    void settings_withSecret_doNotShowIt() throws Exception {
        GatewaySettings settings = Loading.load(token("hunter2-hunter2"));

        assertFalse(settings.toString().contains("hunter2"), settings::toString);
        assertEquals(
                "AuthSettings[mode=SHARED_TOKEN, token=***, methods=[]]",
                settings.auth().toString());
    }

    @Test
    void load_substitutions_seeFileAndEnvironment() throws Exception {
        Path file = file(
                """
                heartwheel {
                  age.goaway-lead = 40s
                  heartbeat.interval = ${heartwheel.age.goaway-lead}
                  sink.file = ${PATH}
                  shutdown.drain = ${heartwheel.heartbeat.interval}
                  websocket.hosts = ["a.example"]
                  websocket.hosts += "b.example"
                }
                """);

        GatewaySettings settings = Loading.load(file);

        assertEquals(Path.of(System.getenv("PATH")), settings.sink().file());
        assertEquals(Duration.ofSeconds(40), interval(settings));
        assertEquals(Duration.ofSeconds(40), settings.drain().drain());
        assertEquals(List.of("a.example", "b.example"), settings.webSocket().hosts());
    }

    @Test
    void load_includedFile_isNamedInProblems() throws Exception {
        Files.writeString(directory.resolve("more.conf"), "\nheartwheel.wheel.tick = 5h\n");
        Path file = file("include \"more.conf\"\nheartwheel.sink.kind = none");

        List<String> problems = Loading.problems(() -> Loading.load(file));

        assertEquals(List.of("heartwheel.wheel.tick = 5h: need 1ms..1s (more.conf:2)"), problems);
    }

    /** As heartwheel@.service sets it. */
    @Test
    void load_instance_hasFilesOfItsOwn() throws Exception {
        Path file = file(
                """
                heartwheel {
                  sink { kind = file, file = "${d}/events.jsonl" }
                  trace { enabled = true, file = "${d}/trace" }
                  ports-file = "${d}/.ports"
                }
                """
                        .replace("${d}", directory.toString()));
        GatewaySettings settings = Loading.load(file, NONE, Map.of("CONFIG_FORCE_heartwheel_instance", "1"));

        assertEquals(directory.resolve("events-1.jsonl"), settings.sink().file());
        assertEquals("1", settings.sink().instance());
        assertEquals(directory.resolve("trace-1"), settings.trace().file());
        assertEquals(directory.resolve(".ports-1"), settings.portsFile());
        assertEquals(
                directory.resolve("events.jsonl"), Loading.load(file).sink().file());
        Path device = file("heartwheel { instance = a, sink { kind = file, file = /dev/null } }");
        assertEquals(
                Path.of("/dev/null"), Loading.load(device, NONE, NONE).sink().file());
    }

    @Test
    void load_filesOfConfD_beatTheFileInOrderOfTheirNames() throws Exception {
        Path file = file("heartwheel { heartbeat { interval = 10s, min = 1s }, websocket.hosts = [a.example] }\n"
                + "heartwheel.listeners { tcp { bind = \":1\" }, websocket { bind = \":2\" } }");
        Path dropIns = Files.createDirectory(directory.resolve("conf.d"));
        Files.writeString(dropIns.resolve("20-b.conf"), "heartwheel.heartbeat.interval = 30s");
        Files.writeString(
                dropIns.resolve("10-a.conf"),
                "heartwheel { heartbeat { interval = 20s, grace = 2 }, websocket.hosts += b.example, listeners.own.bind = \":3\" }");
        Files.writeString(dropIns.resolve("30-c.conf.dpkg-old"), "heartwheel.heartbeat.interval = 40s");
        Files.writeString(dropIns.resolve(".40-d.conf"), "heartwheel.heartbeat.interval = 50s");

        GatewaySettings settings = Loading.load(file);

        assertEquals(Duration.ofSeconds(30), interval(settings));
        assertEquals(2, settings.liveness().heartbeat().grace());
        assertEquals(Duration.ofSeconds(1), settings.liveness().heartbeat().min());
        assertEquals(List.of("a.example", "b.example"), settings.webSocket().hosts());
        assertEquals(List.of("own", "tcp", "websocket"), names(settings));
        assertEquals(
                Duration.ofSeconds(60),
                interval(Loading.load(file, NONE, Map.of("CONFIG_FORCE_heartwheel_heartbeat_interval", "60s"))));
        assertEquals(List.of(dropIns.resolve("10-a.conf"), dropIns.resolve("20-b.conf")), ConfigLoader.dropIns(file));
    }

    @Test
    void load_mistakeInConfD_isToldWithItsFile() throws Exception {
        Path file = file("heartwheel.heartbeat.interval = 10s");
        Path dropIns = Files.createDirectory(directory.resolve("conf.d"));
        Files.writeString(dropIns.resolve("10-a.conf"), "\nheartwheel.heartbeat.interval = never");

        List<String> problems = Loading.problems(() -> Loading.load(file));
        assertEquals(List.of("heartwheel.heartbeat.interval = never: need 100ms..24h (10-a.conf:2)"), problems);
    }

    @Test
    void load_fileWithAnotherEnding_isHoconAllTheSame() throws Exception {
        Path file = Files.writeString(directory.resolve("gateway"), "heartwheel { sink.kind = none }");

        assertNotNull(Loading.load(file));
    }

    private static Duration interval(GatewaySettings settings) {
        return settings.liveness().heartbeat().interval();
    }

    private static List<String> names(GatewaySettings settings) {
        return settings.listeners().stream().map(ListenerSettings::name).toList();
    }

    private static List<String> words(GatewaySettings settings) {
        return settings.listeners().stream()
                .map(each -> each.name() + " " + each.bind() + " " + each.protocol() + " " + each.backlog())
                .toList();
    }

    private static List<Boolean> reusePort(GatewaySettings settings) {
        return settings.listeners().stream().map(ListenerSettings::reusePort).toList();
    }

    private static Map<String, String> token(String token) {
        return Map.of("heartwheel.auth.mode", "shared-token", "heartwheel.auth.token", token);
    }

    private Path file(String text) throws Exception {
        return Loading.file(directory, text);
    }
}

package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of mistake and its message, and many at once. */
class MistakesTest {
    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("gateway.conf");
    }

    private static Arguments mistake(String line, String... said) {
        return Arguments.of(line, List.of(said));
    }

    static Stream<Arguments> unknownKeys() {
        return Stream.of(
                mistake(
                        "heartbeat.intervall = 1s",
                        "heartwheel.heartbeat.intervall: unknown key, did you mean heartwheel.heartbeat.interval? (gateway.conf:2)"),
                mistake(
                        "hartbeat.interval = 1s",
                        "heartwheel.hartbeat: unknown key, did you mean heartwheel.heartbeat? (gateway.conf:2)"),
                mistake(
                        "interval = 1s",
                        "heartwheel.interval: unknown key, did you mean heartwheel.heartbeat.interval? (gateway.conf:2)"),
                mistake(
                        "transport.connections = 5",
                        "heartwheel.transport.connections: unknown key, did you mean heartwheel.transport.max-connections? (gateway.conf:2)"),
                mistake(
                        "transport.max_connections = 5",
                        "heartwheel.transport.max_connections: unknown key, did you mean heartwheel.transport.max-connections? (gateway.conf:2)"),
                mistake("timeout = 1s", "heartwheel.timeout: unknown key (gateway.conf:2)"),
                mistake("xyzzy = 1", "heartwheel.xyzzy: unknown key (gateway.conf:2)"),
                mistake("\"a.b\" = 1", "heartwheel.a.b: unknown key (gateway.conf:2)"),
                mistake("sink.kind.of = 1", "heartwheel.sink.kind = {\"of\":1}: need a single value (gateway.conf:2)"),
                mistake(
                        "listeners.mine { bind = \"127.0.0.1:0\", blacklog = 1 }",
                        "heartwheel.listeners.mine.blacklog: unknown key, did you mean heartwheel.listeners.mine.backlog? (gateway.conf:2)"));
    }

    static Stream<Arguments> wrongTypes() {
        return Stream.concat(wrongUnits(), wrongForms());
    }

    private static Stream<Arguments> wrongUnits() {
        return Stream.of(
                mistake("wheel = 5", "heartwheel.wheel = 5: need a block { ... } (gateway.conf:2)"),
                mistake("wheel.tick = null", "heartwheel.wheel.tick = null: need a single value (gateway.conf:2)"),
                mistake("wheel.tick = [1ms]", "heartwheel.wheel.tick = [\"1ms\"]: need 1ms..1s (gateway.conf:2)"),
                mistake(
                        "wheel.tick = 20",
                        "heartwheel.wheel.tick = 20: need 1ms..1s, with a unit (ns, us, ms, s, m, h, d) (gateway.conf:2)"),
                mistake(
                        "admin.max-body = 2048",
                        "heartwheel.admin.max-body = 2048: need 1KiB..16MiB, with a unit (B, KiB, MiB, GiB) (gateway.conf:2)"),
                mistake(
                        "protocol.max-payload = 64K",
                        "heartwheel.protocol.max-payload = 64K: need 128B..16MiB, with a unit (B, KiB, MiB, GiB): wrong unit K (gateway.conf:2)"),
                mistake(
                        "protocol.max-payload = 64 kb",
                        "heartwheel.protocol.max-payload = 64 kb: need 128B..16MiB, with a unit (B, KiB, MiB, GiB): wrong unit kb (gateway.conf:2)"),
                mistake(
                        "protocol.max-payload = 60s",
                        "heartwheel.protocol.max-payload = 60s: need 128B..16MiB, with a unit (B, KiB, MiB, GiB): wrong unit s (gateway.conf:2)"),
                mistake(
                        "protocol.max-payload = 100.000",
                        "heartwheel.protocol.max-payload = 100.000: need 128B..16MiB, with a unit (B, KiB, MiB, GiB) (gateway.conf:2)"),
                mistake(
                        "heartbeat.interval = 60sec",
                        "heartwheel.heartbeat.interval = 60sec: need 100ms..24h, with a unit (ns, us, ms, s, m, h, d): wrong unit sec (gateway.conf:2)"),
                mistake(
                        "heartbeat.interval = 100h",
                        "heartwheel.heartbeat.interval = 100h: need 100ms..24h (gateway.conf:2)"),
                mistake(
                        "transport.max-connections = 100.000",
                        "heartwheel.transport.max-connections = 100.000: need 1..10000000, its thousands not set apart (gateway.conf:2)"),
                mistake(
                        "transport.max-connections = \"100'000\"",
                        "heartwheel.transport.max-connections = 100'000: need 1..10000000, its thousands not set apart (gateway.conf:2)"));
    }

    private static Stream<Arguments> wrongForms() {
        return Stream.of(
                mistake(
                        "admin.hosts = [\"gw-1:7090\"]",
                        "heartwheel.admin.hosts = [\"gw-1:7090\"]: need names or addresses without a port, or * (gateway.conf:2)"),
                mistake("wheel.slice = 1.5", "heartwheel.wheel.slice = 1.5: need 1..1000000 (gateway.conf:2)"),
                mistake(
                        "wheel.slice = 99999999999999999999",
                        "heartwheel.wheel.slice = 99999999999999999999: need 1..1000000 (gateway.conf:2)"),
                mistake(
                        "heartbeat.probe = maybe",
                        "heartwheel.heartbeat.probe = maybe: need true or false (gateway.conf:2)"),
                mistake(
                        "transport.kind = kqueue",
                        "heartwheel.transport.kind = kqueue: need auto, epoll, io_uring or nio (gateway.conf:2)"),
                mistake(
                        "sink.kind = \"\"",
                        "heartwheel.sink.kind = \"\": need none, console, file, echo or journal (gateway.conf:2)"),
                mistake(
                        "websocket.hosts = a.example",
                        "heartwheel.websocket.hosts = a.example: need host names without port (gateway.conf:2)"),
                mistake(
                        "websocket.hosts = [\"a.example:80\"]",
                        "heartwheel.websocket.hosts = [\"a.example:80\"]: need host names without port (gateway.conf:2)"),
                mistake(
                        "websocket.origins = [\"https://a/b\"]",
                        "heartwheel.websocket.origins = [\"https://a/b\"]: need origins, scheme://host or scheme://host:port, or * for any (gateway.conf:2)"),
                mistake(
                        "websocket.path = ws",
                        "heartwheel.websocket.path = ws: need a leading / and no trailing one (gateway.conf:2)"),
                mistake(
                        "websocket.path = \"/ws/\"",
                        "heartwheel.websocket.path = /ws/: need a leading / and no trailing one (gateway.conf:2)"),
                mistake(
                        "shutdown.alternate-host = nowhere",
                        "heartwheel.shutdown.alternate-host = nowhere: need host:port of at most 255 bytes, or nothing (gateway.conf:2)"),
                mistake(
                        "admin.bind = \"::1:7090\"",
                        "heartwheel.admin.bind = ::1:7090: need host:port, port 0..65535, an IPv6 address in brackets (gateway.conf:2)"),
                mistake(
                        "admin.bind = \"127.0.0.1:65536\"",
                        "heartwheel.admin.bind = 127.0.0.1:65536: need host:port, port 0..65535, an IPv6 address in brackets (gateway.conf:2)"),
                mistake(
                        "listeners.tcp.proxy.trusted = [\"10.0.0.1/8\"]",
                        "heartwheel.listeners.tcp.proxy.trusted = [\"10.0.0.1/8\"]: need at most 256 networks, each address/bits with no bit set behind them, or an address (gateway.conf:2)"),
                mistake(
                        "source-limits.exempt = [localhost]",
                        "heartwheel.source-limits.exempt = [\"localhost\"]: need at most 256 networks, each address/bits with no bit set behind them, or an address (gateway.conf:2)"),
                mistake(
                        "websocket.forwarded.header = \"X Real\"",
                        "heartwheel.websocket.forwarded.header = X Real: need the name of a header, at most 64 characters (gateway.conf:2)"),
                mistake("ports-file = \"a\\u0000b\"", "heartwheel.ports-file = a?b: need a path (gateway.conf:2)"));
    }

    @Test
    void memory_admittedAgainOverWhatIsShort_isAMistake() {
        ConfigException mistake = assertThrows(
                ConfigException.class,
                () -> Loading.load(null, Map.of("heartwheel.memory.admit-below", "0.9"), Map.of()));
        assertEquals(
                List.of(
                        "heartwheel.memory.admit-below = 0.9: need less than refuse-above = 0.85 (-Dheartwheel.memory.admit-below)"),
                mistake.problems());
    }

    @Test
    void file_nestedByTheThousand_isAMistake() throws Exception {
        for (String start : List.of("heartwheel.a=" + "[".repeat(200_000), "heartwheel{" + "a{".repeat(100_000))) {
            Path file = Files.writeString(directory.resolve("deep.conf"), start);
            ConfigException mistake = assertThrows(ConfigException.class, () -> Loading.load(file, Map.of(), Map.of()));
            assertEquals(1, mistake.problems().size());
            assertTrue(mistake.getMessage().contains("nested by the thousand"), mistake::getMessage);
        }
    }

    @Test
    void file_tooLong_isAMistake() throws Exception {
        Path file = Files.writeString(directory.resolve("long.conf"), "#".repeat((1 << 20) + 1));
        ConfigException mistake = assertThrows(ConfigException.class, () -> Loading.load(file, Map.of(), Map.of()));
        assertTrue(mistake.getMessage().contains("at most 1MiB"), mistake::getMessage);
    }

    static Stream<Arguments> contradictions() {
        return Stream.of(
                mistake(
                        "transport.write-watermark { low = 64KiB }",
                        "heartwheel.transport.write-watermark.low = 64KiB: need less than high = 64KiB (gateway.conf:2)"),
                mistake(
                        "heartbeat { min = 2m, interval = 2m, max = 1m }",
                        "heartwheel.heartbeat.min = 2m: need at most max = 1m (gateway.conf:2)"),
                mistake(
                        "heartbeat.max = 30s",
                        "heartwheel.heartbeat.interval = 60s: need min..max = 5s..30s (built-in default)"),
                mistake(
                        "heartbeat.interval = 1s",
                        "heartwheel.heartbeat.interval = 1s: need min..max = 5s..24h (gateway.conf:2)"),
                mistake(
                        "shutdown.retry-min = 31s",
                        "heartwheel.shutdown.retry-min = 31s: need at most retry-max = 30s (gateway.conf:2)"),
                mistake(
                        "wheel.buckets = 1000",
                        "heartwheel.wheel.buckets = 1000: need a power of two in 64..1048576 (gateway.conf:2)"),
                mistake(
                        "auth.mode = shared-token",
                        "heartwheel.auth.mode = shared-token: need token-file or token with it (gateway.conf:2)"),
                mistake(
                        "sink { kind = file, file = \"\" }",
                        "heartwheel.sink.file = \"\": need a file with kind = file (gateway.conf:2)"),
                mistake(
                        "shadow { enabled = true, heartbeat.enabled = false }",
                        "heartwheel.shadow.enabled = true: need a deadline in it that is enabled (gateway.conf:2)"),
                mistake(
                        "shadow.enabled = true\nheartbeat.enabled = false",
                        "heartwheel.shadow.enabled = true: need a deadline in it that is enabled, and heartwheel.heartbeat is not (gateway.conf:2)"),
                mistake(
                        "shadow { enabled = true, reader-idle.enabled = true }",
                        "heartwheel.shadow.reader-idle.enabled = true: need false, or heartwheel.reader-idle.enabled = true with it (gateway.conf:2)"),
                mistake(
                        "listeners.tcp.proxy.enabled = true",
                        "heartwheel.listeners.tcp.proxy.trusted = []: need at least one network with enabled = true (built-in default)"),
                mistake(
                        "websocket.forwarded.enabled = true",
                        "heartwheel.websocket.forwarded.trusted = []: need at least one network with enabled = true (built-in default)"));
    }

    static Stream<Arguments> contradictionsOfListeners() {
        return Stream.of(
                mistake("listeners {}", "heartwheel.listeners: need at least one that is enabled"),
                mistake("listeners.tcp.enabled = false", "heartwheel.listeners: need at least one that is enabled"),
                mistake(
                        "listeners.mine {}\nlisteners.tcp {}",
                        "heartwheel.listeners.mine.bind: missing, need host:port"),
                mistake(
                        "listeners { admin { bind = \"[::1]:0\" }, tcp {} }",
                        "heartwheel.listeners.admin: need a name of 1..32 characters of [a-z0-9-], not admin"),
                mistake(
                        "listeners { Mine { bind = \"[::1]:0\" }, tcp {} }",
                        "heartwheel.listeners.Mine: need a name of 1..32 characters of [a-z0-9-], not admin"),
                mistake(
                        "auth.mode = none, listeners { a { bind = \"127.0.0.1:7070\" }, b { bind = \"0.0.0.0:7070\" } }",
                        "heartwheel.listeners.b.bind = 0.0.0.0:7070: need an address of its own, heartwheel.listeners.a.bind has it (gateway.conf:2)"),
                mistake(
                        "admin.bind = \"127.0.0.1:7080\"",
                        "heartwheel.admin.bind = 127.0.0.1:7080: need an address of its own, heartwheel.listeners.websocket.bind has it (gateway.conf:2)"),
                mistake(
                        "transport.kind = nio\nlisteners.tcp.reuse-port = true",
                        "heartwheel.listeners.tcp.reuse-port = true: need false with transport.kind = nio (gateway.conf:3)"),
                mistake(
                        "transport { kind = nio, share-ports = true }",
                        "heartwheel.transport.share-ports = true: need false with kind = nio (gateway.conf:2)"));
    }

    @ParameterizedTest
    @MethodSource({"unknownKeys", "wrongTypes", "contradictions", "contradictionsOfListeners"})
    void load_oneMistake_isToldWithItsLine(String line, List<String> said) throws Exception {
        assertEquals(said, problems("heartwheel {\n" + line + "\n}"));
    }

    @Test
    void load_keyOutsideOfTheRoot_isUnknown() throws Exception {
        assertEquals(
                List.of(
                        "hartwheel: unknown key, did you mean heartwheel? (gateway.conf:1)",
                        "heartbeat: unknown key, did you mean heartwheel.heartbeat? (gateway.conf:2)"),
                problems("hartwheel.wheel.tick = 1ms\nheartbeat.interval = 1s"));
    }

    @Test
    void load_rootThatIsNoBlock_isToldSo() throws Exception {
        assertEquals(List.of("heartwheel: need a block { ... } (gateway.conf:1)"), problems("heartwheel = 5"));
    }

    @Test
    void load_filesThatAreNotThere_areAllTold() throws Exception {
        List<String> problems = problems(
                """
                heartwheel {
                  listeners.tcp.tls {
                    enabled = true
                    certificate-file = "/nowhere/cert.pem"
                    key-file = "/nowhere/key.pem"
                    client-auth = optional
                    client-ca-file = "/nowhere/ca.pem"
                  }
                  auth { mode = shared-token, token-file = "/nowhere/token" }
                  sink { kind = file, file = "/nowhere/events" }
                  ports-file = "/nowhere/ports"
                }
                """);

        String need = ": need a file that exists and can be read ";
        assertEquals(
                List.of(
                        "heartwheel.listeners.tcp.tls.certificate-file = /nowhere/cert.pem" + need + "(gateway.conf:4)",
                        "heartwheel.listeners.tcp.tls.key-file = /nowhere/key.pem" + need + "(gateway.conf:5)",
                        "heartwheel.listeners.tcp.tls.client-ca-file = /nowhere/ca.pem" + need + "(gateway.conf:7)",
                        "heartwheel.auth.token-file = /nowhere/token" + need + "(gateway.conf:9)",
                        "heartwheel.sink.file = /nowhere/events: need a file in a directory that exists (gateway.conf:10)",
                        "heartwheel.ports-file = /nowhere/ports: need a file in a directory that exists (gateway.conf:11)"),
                problems);
    }

    @Test
    void load_clientCertificatesWithoutAuthority_areRefused() throws Exception {
        Path pem = Files.writeString(directory.resolve("a.pem"), "x");
        for (String asked : List.of("optional", "required")) {
            List<String> problems = problems("heartwheel.listeners.tcp.tls { enabled = true, client-auth = " + asked
                    + ", certificate-file = \"" + pem + "\", key-file = \"" + pem + "\" }");

            assertEquals(
                    List.of("heartwheel.listeners.tcp.tls.client-ca-file = \"\": need a file (built-in default)"),
                    problems);
        }
    }

    @Test
    void load_mistakesInTheGuards_areAllToldOnce() throws Exception {
        List<String> problems = problems(
                """
                heartwheel {
                  heartbeat { enabled = perhaps, grace = 99 }
                  stalls { credit = perhaps, threshold = 9ms, max-credit = 60 }
                  breaker { windw = 1s, share = 0, least = 1.5, patience = 1ms, close-rate = 0 }
                  shadow { enabled = true, heartbeat { grace = 1.0, interval = 1s }, read-progress { min-rate = 0B }, age { enabled = true } }
                  evidence { closes = -1, handshakes = 1000001 }
                  trace { enabled = true, file = "", share = 2, stamps = 8, max-bytes = 1KiB, fil = x }
                }
                """);

        assertEquals(
                List.of(
                        "2", "2", "3", "3", "3", "4", "4", "4", "4", "4", "5", "5", "5", "5", "6", "6", "7", "7", "7",
                        "7", "7"),
                problems.stream()
                        .map(text -> text.replaceAll(".*gateway.conf:([0-9]+)\\)", "$1"))
                        .toList(),
                problems::toString);
    }

    @Test
    void load_traceFile_needsItsDirectoryOnlyWhenEnabled() throws Exception {
        Path nowhere = directory.resolve("none").resolve("t");
        Files.writeString(file, "heartwheel.trace.file = \"" + nowhere + "\"");
        assertEquals(nowhere, Loading.load(file, Map.of(), Map.of()).trace().file());
        assertEquals(
                List.of("heartwheel.trace.file = " + nowhere
                        + ": need a file in a directory that exists (gateway.conf:1)"),
                problems("heartwheel.trace { enabled = true, file = \"" + nowhere + "\" }"));
    }

    /** A switch that is off leaves room for whatever the blocks under it say, but not for nonsense. */
    @Test
    void load_shadowDisabled_contradictionsDoNotMatter() throws Exception {
        Files.writeString(file, "heartwheel.shadow { heartbeat.enabled = false, reader-idle.enabled = true }");

        assertNull(Loading.load(file, Map.of(), Map.of()).shadow());
        assertEquals(
                List.of("heartwheel.shadow.heartbeat.grace = 1: need 1.1..10 (gateway.conf:1)"),
                problems("heartwheel.shadow.heartbeat.grace = 1"));
    }

    @Test
    void load_manyMistakes_areToldAtOnceInTheOrderOfTheLines() throws Exception {
        List<String> problems = problems(
                """
                heartwheel {
                  heartbeat {
                    interval = 3ms
                    grace = 99
                  }
                  wheel.tik = 1ms
                  transport { kind = magic, event-loops = -1 }
                  admin.max-body = 1B
                  listeners.tcp { bind = "nowhere", tls.enabled = perhaps }
                }
                """);

        assertEquals(
                List.of("3", "4", "6", "7", "7", "8", "9", "9"),
                problems.stream()
                        .map(text -> text.replaceAll(".*gateway.conf:([0-9]+)\\)", "$1"))
                        .toList());
        assertEquals("heartwheel.heartbeat.interval = 3ms: need 100ms..24h (gateway.conf:3)", problems.get(0));
    }

    @Test
    void load_brokenSyntax_isToldWithItsLine() throws Exception {
        List<String> problems = problems("heartwheel {\n  wheel { tick = 1ms\n");

        assertEquals(1, problems.size());
        assertTrue(problems.get(0).startsWith("gateway.conf:"), problems::toString);
    }

    @Test
    void load_unresolvedSubstitution_isToldWithItsLine() throws Exception {
        List<String> problems = problems("heartwheel {\n  wheel.tick = ${NO_SUCH_THING_ANYWHERE}\n}");

        assertEquals(1, problems.size());
        assertTrue(problems.get(0).startsWith("gateway.conf:2: "), problems::toString);
        assertTrue(problems.get(0).contains("NO_SUCH_THING_ANYWHERE"), problems::toString);
    }

    @Test
    void load_noFile_isTold() {
        ConfigException refusal = assertThrows(ConfigException.class, () -> Loading.load(file, Map.of(), Map.of()));

        assertEquals(List.of(file + ": need a file that exists and can be read"), refusal.problems());
    }

    @ParameterizedTest
    @MethodSource
    void load_mistakeNearASecret_doesNotTellIt(String text) throws Exception {
        List<String> problems = problems(text);

        assertFalse(problems.isEmpty());
        assertFalse(problems.toString().contains("hunter2"), problems::toString);
    }

    static Stream<String> load_mistakeNearASecret_doesNotTellIt() {
        return Stream.of(
                "heartwheel.auth { mode = shared-token, token = \"hunter2\" }",
                "heartwheel.auth { mode = shared-token, token = \"hunter2-hunter2\", token-file = \"/nowhere\" }",
                "heartwheel.auth { mode = shared-token, token = { hunter2 = 1 } }",
                "heartwheel.auth { mode = shared-token, token = [\"hunter2\"] }",
                "heartwheel.auth { mode = shared-token, tokn = \"hunter2hunter2\" }",
                "heartwheel.auth = \"hunter2hunter2\"",
                "heartwheel = \"hunter2hunter2\"",
                "heartwheel.auth.token = \"hunter2",
                "heartwheel.auth {\n token =\n hunter2 [ }",
                "heartwheel.auth.token = hunter2, hunter2\nhunter2",
                "token_of_mine = hunter2\nheartwheel.auth.token = ${token_of_mine}${hunter2_no}");
    }

    private List<String> problems(String text) throws IOException {
        Files.writeString(file, text);
        return assertThrows(ConfigException.class, () -> Loading.load(file, Map.of(), Map.of()))
                .problems();
    }
}

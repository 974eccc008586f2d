package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @Test
    void file_nestedByTheThousand_isAMistake() throws Exception {
        for (String start : List.of("heartwheel.a=" + "[".repeat(200_000), "heartwheel{" + "a{".repeat(100_000))) {
            Path file = Files.writeString(directory.resolve("deep.conf"), start);
            List<String> problems = Loading.problems(() -> Loading.load(file));
            assertEquals(1, problems.size());
            assertTrue(problems.get(0).contains("nested by the thousand"), problems::toString);
        }
    }

    @Test
    void file_tooLong_isAMistake() throws Exception {
        Path file = Files.writeString(directory.resolve("long.conf"), "#".repeat((1 << 20) + 1));
        String told = Loading.problems(() -> Loading.load(file)).toString();
        assertTrue(told.contains("at most 1MiB"), told);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    heartbeat.intervall = 1s | heartbeat.intervall: unknown key, did you mean heartwheel.heartbeat.interval?
                    hartbeat.interval = 1s | hartbeat: unknown key, did you mean heartwheel.heartbeat?
                    interval = 1s | interval: unknown key, did you mean heartwheel.heartbeat.interval?
                    transport.connections = 5 | transport.connections: unknown key, did you mean heartwheel.transport.max-connections?
                    transport.max_connections = 5 | transport.max_connections: unknown key, did you mean heartwheel.transport.max-connections?
                    timeout = 1s | timeout: unknown key
                    xyzzy = 1 | xyzzy: unknown key
                    "a.b" = 1 | a.b: unknown key
                    sink.kind.of = 1 | sink.kind = {"of":1}: need a single value
                    listeners.mine { bind = "127.0.0.1:0", blacklog = 1 } | listeners.mine.blacklog: unknown key, did you mean heartwheel.listeners.mine.backlog?
                    wheel = 5 | wheel = 5: need a block { ... }
                    wheel.tick = null | wheel.tick = null: need a single value
                    wheel.tick = [1ms] | wheel.tick = ["1ms"]: need 1ms..1s
                    wheel.tick = 20 | wheel.tick = 20: need 1ms..1s, with a unit (ns, us, ms, s, m, h, d)
                    admin.max-body = 2048 | admin.max-body = 2048: need 1KiB..16MiB, with a unit (B, KiB, MiB, GiB)
                    protocol.max-payload = 64K | protocol.max-payload = 64K: need 128B..16MiB, with a unit (B, KiB, MiB, GiB): wrong unit K
                    heartbeat.interval = 60sec | heartbeat.interval = 60sec: need 100ms..24h, with a unit (ns, us, ms, s, m, h, d): wrong unit sec
                    transport.max-connections = 100.000 | transport.max-connections = 100.000: need 1..10000000, its thousands not set apart
                    transport.max-connections = "100'000" | transport.max-connections = 100'000: need 1..10000000, its thousands not set apart
                    admin.hosts = ["gw-1:7090"] | admin.hosts = ["gw-1:7090"]: need names or addresses without a port, or *
                    wheel.slice = 1.5 | wheel.slice = 1.5: need 1..1000000
                    wheel.slice = 99999999999999999999 | wheel.slice = 99999999999999999999: need 1..1000000
                    heartbeat.probe = maybe | heartbeat.probe = maybe: need true or false
                    transport.kind = kqueue | transport.kind = kqueue: need auto, epoll, io_uring or nio
                    sink.kind = "" | sink.kind = "": need none, console, file, echo or journal
                    websocket.hosts = a.example | websocket.hosts = a.example: need host names without port
                    websocket.hosts = ["a.example:80"] | websocket.hosts = ["a.example:80"]: need host names without port
                    websocket.origins = ["https://a/b"] | websocket.origins = ["https://a/b"]: need origins, scheme://host, scheme://host:port, null or file://, or * for any; others pass unlisted
                    websocket.path = ws | websocket.path = ws: need a leading / and no trailing one
                    websocket.path = "/ws/" | websocket.path = /ws/: need a leading / and no trailing one
                    websocket.health = healthz | websocket.health = healthz: need a leading / and no trailing one, or off
                    heartbeat.ping-every = 30 | heartbeat.ping-every = 30: need 1s..24h or off, with a unit (ns, us, ms, s, m, h, d)
                    heartbeat.ping-every = never | heartbeat.ping-every = never: need 1s..24h or off
                    shutdown.alternate-host = nowhere | shutdown.alternate-host = nowhere: need host:port of at most 255 bytes, or nothing, or least-loaded
                    admin.bind = "::1:7090" | admin.bind = ::1:7090: need host:port, port 0..65535, an IPv6 address in brackets
                    admin.bind = "127.0.0.1:65536" | admin.bind = 127.0.0.1:65536: need host:port, port 0..65535, an IPv6 address in brackets
                    listeners.tcp.proxy.trusted = ["10.0.0.1/8"] | listeners.tcp.proxy.trusted = ["10.0.0.1/8"]: need at most 256 networks, each address/bits with no bit set behind them, or an address
                    source-limits.exempt = [localhost] | source-limits.exempt = ["localhost"]: need at most 256 networks, each address/bits with no bit set behind them, or an address
                    websocket.forwarded.header = "X Real" | websocket.forwarded.header = X Real: need the name of a header, at most 64 characters
                    ports-file = "a\\u0000b" | ports-file = a?b: need a path
                    transport.write-watermark { low = 64KiB } | transport.write-watermark.low = 64KiB: need less than high = 64KiB
                    heartbeat { min = 2m, interval = 2m, max = 1m } | heartbeat.min = 2m: need at most max = 1m
                    heartbeat.max = 30s | heartbeat.interval = 60s: need min..max = 5s..30s (built-in default)
                    heartbeat.interval = 1s | heartbeat.interval = 1s: need min..max = 5s..24h
                    shutdown.retry-min = 31s | shutdown.retry-min = 31s: need at most retry-max = 30s
                    wheel.buckets = 1000 | wheel.buckets = 1000: need a power of two in 64..1048576
                    auth.mode = shared-token | auth.mode = shared-token: need token-file or token with it
                    sink { kind = file, file = "" } | sink.file = "": need a file with kind = file
                    shadow { enabled = true, heartbeat.enabled = false } | shadow.enabled = true: need a deadline in it that is enabled
                    shadow.enabled = true, heartbeat.enabled = false | shadow.enabled = true: need a deadline in it that is enabled, and heartwheel.heartbeat is not
                    shadow { enabled = true, reader-idle.enabled = true } | shadow.reader-idle.enabled = true: need false, or heartwheel.reader-idle.enabled = true with it
                    listeners.tcp.proxy.enabled = true | listeners.tcp.proxy.trusted = []: need at least one network with enabled = true (built-in default)
                    websocket.forwarded.enabled = true | websocket.forwarded.trusted = []: need at least one network with enabled = true (built-in default)
                    listeners {} | listeners: need at least one that is enabled (nowhere)
                    listeners.tcp.enabled = false | listeners: need at least one that is enabled (nowhere)
                    listeners.mine {}, listeners.tcp {} | listeners.mine.bind: missing, need host:port (nowhere)
                    listeners { admin { bind = "[::1]:0" }, tcp {} } | listeners.admin: need a name of 1..32 characters of [a-z0-9-], neither admin nor monitor (nowhere)
                    listeners { Mine { bind = "[::1]:0" }, tcp {} } | listeners.Mine: need a name of 1..32 characters of [a-z0-9-], neither admin nor monitor (nowhere)
                    auth.mode = none, listeners { a { bind = "127.0.0.1:7070" }, b { bind = "0.0.0.0:7070" } } | listeners.b.bind = 0.0.0.0:7070: need an address of its own, heartwheel.listeners.a.bind has it
                    admin.bind = "127.0.0.1:7080" | admin.bind = 127.0.0.1:7080: need an address of its own, heartwheel.listeners.websocket.bind has it
                    transport.kind = nio, listeners.tcp.reuse-port = true | listeners.tcp.reuse-port = true: need false with transport.kind = nio
                    memory.admit-below = 0.9 | memory.admit-below = 0.9: need less than refuse-above = 0.85
                    transport { kind = nio, share-ports = true } | transport.share-ports = true: need false with kind = nio
                    """)
    void load_oneMistake_isToldWithItsLine(String line, String said) throws Exception {
        String place = said.matches(".*\\((nowhere|built-in default)\\)") ? "" : " (gateway.conf:2)";
        String expected = "heartwheel." + said.replace(" (nowhere)", "") + place;
        assertEquals(List.of(expected), problems("heartwheel {\n" + line + "\n}"));
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
                List.of("2 2 3 3 3 4 4 4 4 4 5 5 5 5 6 6 7 7 7 7 7".split(" ")), lines(problems), problems::toString);
    }

    @Test
    void load_traceFile_needsItsDirectoryOnlyWhenEnabled() throws Exception {
        Path nowhere = directory.resolve("none").resolve("t");
        Files.writeString(file, "heartwheel.trace.file = \"" + nowhere + "\"");
        assertEquals(nowhere, Loading.load(file).trace().file());
        assertEquals(
                List.of("heartwheel.trace.file = " + nowhere
                        + ": need a file in a directory that exists (gateway.conf:1)"),
                problems("heartwheel.trace { enabled = true, file = \"" + nowhere + "\" }"));
    }

    /** A switch that is off leaves room for whatever the blocks under it say, but not for nonsense. */
    @Test
    void load_shadowDisabled_contradictionsDoNotMatter() throws Exception {
        Files.writeString(file, "heartwheel.shadow { heartbeat.enabled = false, reader-idle.enabled = true }");

        assertNull(Loading.load(file).shadow());
        assertEquals(
                List.of("heartwheel.shadow.heartbeat.grace = 1: need 1.1..10 (gateway.conf:1)"),
                problems("heartwheel.shadow.heartbeat.grace = 1"));
    }

    @Test
    void load_brokenSyntax_isToldWithItsLine() throws Exception {
        List<String> problems = problems("heartwheel {\n  wheel { tick = 1ms\n");

        assertTrue(problems.size() == 1 && problems.get(0).startsWith("gateway.conf:"), problems::toString);
    }

    @Test
    void load_unresolvedSubstitution_isToldWithItsLine() throws Exception {
        List<String> problems = problems("heartwheel {\n  wheel.tick = ${NO_SUCH_THING_ANYWHERE}\n}");

        assertEquals(1, problems.size());
        assertTrue(problems.get(0).matches("gateway.conf:2: .*NO_SUCH_THING_ANYWHERE.*"), problems::toString);
    }

    @Test
    void load_noFile_isTold() {
        assertEquals(
                List.of(file + ": need a file that exists and can be read"),
                Loading.problems(() -> Loading.load(file)));
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

    /** Where they are. */
    private static List<String> lines(List<String> problems) {
        return problems.stream()
                .map(text -> text.replaceAll(".*gateway.conf:([0-9]+)\\)", "$1"))
                .toList();
    }

    private List<String> problems(String text) throws IOException {
        Files.writeString(file, text);
        return Loading.problems(() -> Loading.load(file));
    }
}

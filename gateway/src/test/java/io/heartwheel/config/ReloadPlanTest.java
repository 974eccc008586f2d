package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Changes of a configuration that a running gateway applies, and those that wait for a restart. */
class ReloadPlanTest {
    /** Keys whose value cannot simply be halved, doubled or flipped, each with another good one, and what it needs beside it. */
    private static final String OTHERS =
            """
            L.bind = 127.0.0.1:1234
            L.protocol = auto
            L.tls.enabled = true; L.tls.certificate-file = PEM; L.tls.key-file = PEM
            L.tls.provider = jdk
            L.tls.min-version = 1.3
            L.tls.ciphers = [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]
            L.tls.sni = [{ hosts = [a.example], certificate-file = "PEM", key-file = "PEM" }]
            L.proxy.enabled = true; L.proxy.trusted = [10.0.0.1]
            L.proxy.trusted = [10.0.0.1]
            transport.kind = nio
            transport.event-loops = 3
            transport.write-watermark.high = 1MiB
            websocket.path = /devices
            websocket.hosts = [a.example]
            websocket.origins = ["https://a.example"]
            websocket.health = /up
            heartbeat.ping-every = 30s
            cluster.enabled = true; cluster.node = a
            cluster.address = a.example:7070
            cluster.nats.servers = ["nats://10.0.0.1:4222"]
            cluster.on-outage = refuse
            websocket.forwarded.enabled = true; websocket.forwarded.trusted = [10.0.0.1]
            websocket.forwarded.header = X-Real-IP
            websocket.forwarded.trusted = [10.0.0.1]
            source-limits.exempt = [10.0.0.1]
            auth.mode = shared-token; auth.token = 12345678
            auth.token = 12345678; auth.mode = shared-token
            auth.token-file = PEM; auth.mode = shared-token
            auth.certificate.from = cn
            auth.certificate.pattern = (.*)x
            auth.refused = later
            auth.failures.exempt = [10.0.0.0/8]
            auth.jwt.keys-url = https://issuer.example/keys
            auth.jwt.algorithms = [RS256]
            auth.jwt.attributes = [tenant]
            auth.http.url = https://service.example/
            auth.http.on-outage = cached
            log.format = json
            log.level = debug
            heartbeat.max = 12h
            shadow.enabled = true
            sink.kind = none
            shutdown.alternate-host = b.example:7070
            instance = 2
            admin.hosts = [a.example]
            admin.tokens-file = PEM.tokens
            admin.tls.client-scopes = [send]
            journal.sync = never
            messages.sync = never
            journal.when-full = refuse
            outlets.main.kind = file; outlets.main.file = PEM.out
            outlets.main.events = [data]
            outlets.main.sync = always
            outlets.main.url = http://127.0.0.1/
            outlets.main.content-mode = binary
            outlets.main.media-type = application/json
            outlets.main.rotate-every = 1d
            outlets.main.kafka.bootstrap = 127.0.0.1:9092
            outlets.main.kafka.topic = events
            outlets.main.nats.servers = ["tls://10.0.0.1:4222"]
            outlets.main.nats.subject = events.all
            """;

    @TempDir
    private static Path directory;

    private static Map<String, String> prepared(String key) {
        String written = OTHERS.replace("PEM", directory.resolve("pem").toString());
        String line = Stream.of("listeners.tcp.", "listeners.websocket.", "admin.", "admin.monitor.")
                .flatMap(listener -> written.replace("L.", listener).lines())
                .filter(each -> each.startsWith(key + " = "))
                .findFirst()
                .orElse("");
        return line.isEmpty()
                ? Map.of()
                : Stream.of(line.split("; "))
                        .map(each -> each.split(" = ", 2))
                        .collect(Collectors.toMap(each -> each[0], each -> each[1]));
    }

    /** @param values lists as they are written, the rest without quotes */
    private static LoadedConfig load(Map<String, String> values) throws Exception {
        StringBuilder text = new StringBuilder(
                "heartwheel.listeners { tcp.bind = \"127.0.0.1:7070\", websocket.bind = \"127.0.0.1:7080\" }\n");
        values.forEach((key, value) -> text.append("heartwheel.")
                .append(key)
                .append(" = ")
                .append(value.startsWith("[") ? value : '"' + value + '"')
                .append('\n'));
        Files.writeString(directory.resolve("pem"), "12345678");
        Files.writeString(directory.resolve("pem.tokens"), "ops read sha256:" + "0".repeat(32) + ":" + "0".repeat(64));
        return ConfigLoader.read(Loading.file(directory, text.toString()), Map.of(), Map.of());
    }

    private static LoadedConfig with(String key, String value) throws Exception {
        return load(Map.of(key, value));
    }

    static Stream<String> keys() {
        return ConfigLoader.defaults().getConfig("heartwheel").entrySet().stream()
                .map(Map.Entry::getKey)
                .sorted();
    }

    /** All but the list of methods, which needs the files of one. */
    static Stream<String> keysThatChangeAlone() {
        return keys().filter(key -> !key.equals("auth.methods"));
    }

    /** Only so can a reload never take over half of what a rule checked as a whole. */
    @ParameterizedTest
    @CsvSource({
        "heartbeat.interval, heartbeat.min",
        "heartbeat.interval, heartbeat.max",
        "heartbeat.enabled, shadow.heartbeat.enabled",
        "reader-idle.enabled, shadow.reader-idle.enabled",
        "shadow.enabled, shadow.handshake.enabled",
        "memory.admit-below, memory.refuse-above",
        "transport.write-watermark.low, transport.write-watermark.high",
        "transport.kind, transport.share-ports",
        "transport.kind, listeners.tcp.reuse-port",
        "shutdown.retry-min, shutdown.retry-max",
        "accept-limit.retry-min, accept-limit.retry-max",
        "sink.kind, sink.file",
        "trace.enabled, trace.file",
        "websocket.forwarded.enabled, websocket.forwarded.trusted",
        "listeners.tcp.bind, admin.bind",
        "admin.bind, admin.monitor.bind",
        "listeners.tcp.tls.min-version, listeners.tcp.tls.ciphers",
        "listeners.tcp.tls.client-auth, listeners.tcp.tls.client-ca-file",
        "listeners.tcp.tls.provider, listeners.tcp.tls.ocsp-file",
        "auth.mode, auth.token-file",
        "auth.mode, auth.token"
    })
    void change_keysOfOneRule_isTheSame(String one, String other) {
        assertEquals(Keys.at(one).change(), Keys.at(other).change());
    }

    /** No key is forgotten: a change is either in force afterwards or named as waiting, never both and never neither. */
    @ParameterizedTest
    @MethodSource("keysThatChangeAlone")
    void of_anyKeyChanged_eitherTakesItOrSaysThatItWaits(String key) throws Exception {
        LoadedConfig before = load(Map.of());
        LoadedConfig after = load(another(key));

        ReloadPlan plan = ReloadPlan.of(before, after);

        boolean taken = names(plan.taken(), key);
        boolean waiting = names(plan.waiting(), key);
        assertTrue(taken ^ waiting, () -> key + ": " + plan);
        assertTrue(isSwitchedOff(key) || !before.settings().equals(after.settings()), key + " has no effect");
        if (waiting) {
            assertEquals(before.settings(), plan.next().settings());
        } else if (!key.equals(
                "transport.max-connections")) { // which has a test of its own, because the wheel's room stays
            assertEquals(after.settings(), plan.next().settings());
        }
        ReloadPlan again = ReloadPlan.of(plan.next(), after);
        assertEquals(waiting, names(again.waiting(), key), "what waits is named until it is in force");
        assertFalse(names(again.taken(), key), "what was taken is taken once");
    }

    /** Whether a block around the key is off, or is that of a method that nobody asks for. */
    private static boolean isSwitchedOff(String key) {
        return key.matches(
                "(listeners\\.\\w+\\.(tls|proxy)|admin\\.(monitor\\.)?tls|source-limits|accept-limit|cluster|shadow|websocket\\.forwarded|outlets\\.main"
                        + "|auth\\.(tokens|certificate|jwt|http))\\.(?!enabled$).+");
    }

    private static boolean names(List<String> changes, String key) {
        return changes.stream().anyMatch(change -> change.startsWith(key + " = "));
    }

    private static Map<String, String> another(String key) {
        Map<String, String> prepared = prepared(key);
        if (!prepared.isEmpty()) {
            return prepared;
        }
        ConfigValue value = ConfigLoader.defaults().getValue("heartwheel." + key);
        String text = String.valueOf(value.unwrapped());
        if (value.valueType() == ConfigValueType.BOOLEAN) {
            return Map.of(key, String.valueOf(!Boolean.parseBoolean(text)));
        }
        if (key.endsWith("-file") || key.endsWith(".file")) {
            return Map.of(key, directory.resolve("another").toString());
        }
        if (key.endsWith("client-auth")) {
            return Map.of(key, "optional");
        }
        return Map.of(key, halved(text));
    }

    /** Half of a number with its unit; half of 1 is written as what is below a second or a kilobyte. */
    private static String halved(String text) {
        String number = text.replaceAll("[^0-9.]", "");
        String unit = text.substring(number.length());
        if (number.isEmpty()) {
            return "7"; // a word that stands for a number
        }
        if (number.contains(".")) {
            return String.valueOf(Double.parseDouble(number) - 0.01);
        }
        long value = Long.parseLong(number);
        return value >= 2 ? value / 2 + unit : "2" + unit;
    }

    @Test
    void of_nothingChanged_isNothing() throws Exception {
        ReloadPlan plan = ReloadPlan.of(load(Map.of()), load(Map.of()));
        assertEquals(List.of(), plan.taken());
        assertEquals(List.of(), plan.waiting());
    }

    @Test
    void of_change_tellsBoth() throws Exception {
        ReloadPlan plan = ReloadPlan.of(with("heartbeat.grace", "1.5"), with("heartbeat.grace", "2"));
        assertEquals(List.of("heartbeat.grace = 2 (was 1.5)"), plan.taken());
        plan = ReloadPlan.of(with("wheel.tick", "10ms"), with("wheel.tick", "20ms"));
        assertEquals(List.of("wheel.tick = 20ms (in force: 10ms)"), plan.waiting());
    }

    @Test
    void of_levelsOfLoggers_comeAndGo() throws Exception {
        LoadedConfig without = load(Map.of());
        LoadedConfig with = with("log.levels.io.heartwheel.closes", "debug");
        ReloadPlan comes = ReloadPlan.of(without, with);
        assertEquals(List.of("log.levels.io.heartwheel.closes = debug (was nothing)"), comes.taken());
        assertEquals(with.settings(), comes.next().settings());
        ReloadPlan goes = ReloadPlan.of(comes.next(), without);
        assertEquals(List.of("log.levels.io.heartwheel.closes = nothing (was debug)"), goes.taken());
        assertEquals(without.settings(), goes.next().settings());
        assertEquals(List.of(), ReloadPlan.of(goes.next(), without).taken());
    }

    @Test
    void of_token_isNotShown() throws Exception {
        LoadedConfig before = load(Map.of("auth.mode", "shared-token", "auth.token", "first-token"));
        LoadedConfig after = load(Map.of("auth.mode", "shared-token", "auth.token", "other-token"));
        ReloadPlan plan = ReloadPlan.of(before, after);
        assertEquals(List.of("auth.token = *** (was ***)"), plan.taken());
        assertFalse(plan.toString().contains("-token,"), plan::toString);
        assertEquals(after.settings().auth(), plan.next().settings().auth());
    }

    @Test
    void of_tokenFile_withAnotherContent_isTaken() throws Exception {
        Path file = directory.resolve("token");
        Map<String, String> values = Map.of("auth.mode", "shared-token", "auth.token-file", file.toString());
        Files.writeString(file, "first-token\n");
        LoadedConfig before = load(values);
        Files.writeString(file, "other-token\n");
        assertEquals(
                List.of("auth.token-file: its content"),
                ReloadPlan.of(before, load(values)).taken());
    }

    @Test
    void of_moreConnectionsThanAtStart_waitAndFewerDoNot() throws Exception {
        LoadedConfig start = with("transport.max-connections", "50000");
        ReloadPlan more = ReloadPlan.of(start, with("transport.max-connections", "50001"));
        assertEquals(List.of("transport.max-connections = 50001 (in force: 50000)"), more.waiting());
        assertEquals(50_000, more.next().settings().transport().maxConnections());

        ReloadPlan fewer = ReloadPlan.of(start, with("transport.max-connections", "1000"));
        assertEquals(1_000, fewer.next().settings().transport().maxConnections());
        ReloadPlan back = ReloadPlan.of(fewer.next(), with("transport.max-connections", "50000"));
        assertEquals(50_000, back.next().settings().transport().maxConnections(), "there was room for them at start");
    }

    @Test
    void of_listenersComeAndGo_wait() throws Exception {
        Path one = Files.writeString(
                directory.resolve("one.conf"), "heartwheel.listeners { a { bind = \"127.0.0.1:1\" } }");
        Path two = Files.writeString(
                directory.resolve("two.conf"),
                "heartwheel.listeners { b { bind = \"127.0.0.1:2\" } }, heartwheel.heartbeat.grace = 2");
        ReloadPlan plan =
                ReloadPlan.of(ConfigLoader.read(one, Map.of(), Map.of()), ConfigLoader.read(two, Map.of(), Map.of()));
        assertEquals(List.of("heartbeat.grace = 2 (was 1.5)"), plan.taken());
        assertTrue(plan.waiting().contains("listeners.b.bind = 127.0.0.1:2 (in force: nothing)"), plan::toString);
        assertTrue(plan.waiting().contains("listeners.a.bind = nothing (in force: 127.0.0.1:1)"), plan::toString);
        assertEquals("a", plan.next().settings().listeners().get(0).name());
    }

    @Test
    void values_areThoseOfTheSettings() throws Exception {
        Map<String, String> said = new TreeMap<>(Map.of("heartbeat.grace", "2", "wheel.tick", "20ms"));
        LoadedConfig loaded = load(said);
        said.forEach((key, value) ->
                assertEquals(value, String.valueOf(loaded.values().get(key).unwrapped())));
        assertEquals(keys().toList(), List.copyOf(loaded.values().keySet()));
        assertThrows(UnsupportedOperationException.class, () -> loaded.values().clear());
    }
}

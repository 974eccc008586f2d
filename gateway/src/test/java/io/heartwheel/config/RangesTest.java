package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigValue;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every range of the table of keys: values at both edges reach the settings, values one beyond are refused. */
class RangesTest {
    /** Keys that have to give way at the edges of another. */
    private static final Map<String, Map<String, String>> WITH = Map.ofEntries(
            Map.entry("transport.write-watermark.low", Map.of("transport.write-watermark.high", "64MiB")),
            Map.entry("transport.write-watermark.high", Map.of("transport.write-watermark.low", "1KiB")),
            Map.entry("heartbeat.interval", Map.of("heartbeat.min", "100ms", "heartbeat.max", "24h")),
            Map.entry("heartbeat.min", Map.of("heartbeat.interval", "24h")),
            Map.entry("heartbeat.max", Map.of("heartbeat.interval", "100ms", "heartbeat.min", "100ms")),
            Map.entry("memory.refuse-above", Map.of("memory.admit-below", "0.01")),
            Map.entry("memory.admit-below", Map.of("memory.refuse-above", "0.99")),
            Map.entry("shutdown.retry-min", Map.of("shutdown.retry-max", "1h")),
            Map.entry("shutdown.retry-max", Map.of("shutdown.retry-min", "0s")),
            Map.entry("accept-limit.retry-min", Map.of("accept-limit.retry-max", "1h")),
            Map.entry("cluster.replicas", Map.of("cluster.enabled", "true", "cluster.node", "n")),
            Map.entry("cluster.device-buckets", Map.of("cluster.enabled", "true", "cluster.node", "n")),
            Map.entry("cluster.sweep-rate", Map.of("cluster.enabled", "true", "cluster.node", "n")),
            Map.entry("accept-limit.retry-max", Map.of("accept-limit.retry-min", "0s")),
            Map.entry("auth.http.breaker.backoff", Map.of("auth.http.breaker.max-backoff", "10m")));

    /** Methods of authentication, whose keys count where they are asked, and what they need. */
    private static final Map<String, Map<String, String>> METHODS = Map.of(
            "http", Map.of("url", "http://127.0.0.1:1/"),
            "jwt", Map.of("keys-url", "http://127.0.0.1:1/", "issuer", "i", "audience", "a"));

    /** Edges that another key makes narrower. */
    private static final Map<String, String> EDGES = Map.of(
            "transport.write-watermark.low", "1KiB..67108863B",
            "transport.write-watermark.high", "1025B..64MiB",
            "memory.refuse-above", "0.02..0.99",
            "memory.admit-below", "0.01..0.98");

    /** Components that are not called by their key. */
    private static final Map<String, String> COMPONENTS = Map.of(
            "read-progress.min-rate", "minBytesPerSecond",
            "shadow.read-progress.min-rate", "minBytesPerSecond",
            "log.repeats", "repeatLimiter",
            "messages.stored-bytes", "maxBytes");

    static Stream<String> keys() {
        return StreamSupport.stream(Keys.all().spliterator(), false)
                .filter(key -> !key.range().isEmpty())
                .map(Key::path);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void value_atBothEdges_reachesItsComponentAndNoOther(String path) throws Exception {
        String edges = EDGES.getOrDefault(path, Keys.at(path).range());
        Map<String, Object> least = components(load(path, Key.least(edges)));
        Map<String, Object> greatest = components(load(path, Key.greatest(edges)));

        List<String> changed = least.keySet().stream()
                .filter(name -> !least.get(name).equals(greatest.get(name)))
                .filter(name -> !name.equals("wheel.maxEntries")) // which follows the connections
                .toList();

        assertEquals(1, changed.size(), changed::toString);
        String component = changed.get(0);
        assertEquals(meaning(Key.least(edges)), meaning(least.get(component)));
        assertEquals(meaning(Key.greatest(edges)), meaning(greatest.get(component)));
        String last = path.substring(path.lastIndexOf('.') + 1).replace("-", "");
        String expected = COMPONENTS.getOrDefault(path, last).toLowerCase(Locale.ROOT);
        assertTrue(component.toLowerCase(Locale.ROOT).contains(expected), path + " is read into " + component);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void value_oneBeyond_isRefusedWithTheRange(String path) {
        String range = Keys.at(path).range();
        for (String beyond : List.of(next(path, Key.least(range), -1), next(path, Key.greatest(range), 1))) {
            List<String> problems = Loading.problems(() -> load(path, beyond));
            String start = "heartwheel." + path + " = " + beyond + ": need " + range;
            assertEquals(1, problems.size(), problems::toString);
            assertTrue(problems.get(0).startsWith(start), problems::toString);
            assertTrue(problems.get(0).endsWith(" (-Dheartwheel." + path + ")"), problems::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("keys")
    void value_ofAnotherType_isRefusedWithTheRange(String path) {
        List<String> problems = Loading.problems(() -> load(path, "plenty"));

        assertEquals(
                List.of("heartwheel." + path + " = plenty: " + Keys.at(path).need() + " (-Dheartwheel." + path + ")"),
                problems);
        assertTrue(Keys.at(path).need().startsWith("need " + Keys.at(path).range()));
    }

    /** The nearest value beyond an edge, as an operator would write it. */
    private static String next(String path, String edge, int sign) {
        Optional<Duration> duration = Units.duration(edge);
        if (duration.isPresent()) {
            return duration.get().plusNanos(sign).toNanos() + "ns";
        }
        Optional<Long> bytes = Units.bytes(edge);
        if (bytes.isPresent()) {
            return bytes.get() + sign + "B";
        }
        boolean whole = new Block(values()).get(path) instanceof Integer;
        return new BigDecimal(edge)
                .add(new BigDecimal(whole ? "1" : "0.001").multiply(BigDecimal.valueOf(sign)))
                .toPlainString();
    }

    private static Map<String, ConfigValue> values() {
        Map<String, ConfigValue> values = new TreeMap<>();
        ConfigLoader.defaults()
                .getConfig("heartwheel")
                .entrySet()
                .forEach(entry -> values.put(entry.getKey(), entry.getValue()));
        return values;
    }

    /** All components of the settings and of the records in them, by their names. */
    private static Map<String, Object> components(GatewaySettings settings) throws Exception {
        Map<String, Object> all = new TreeMap<>();
        flatten("", settings, all);
        return all;
    }

    private static void flatten(String path, Object value, Map<String, Object> into) throws Exception {
        if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                flatten(path + i + ".", list.get(i), into);
            }
        } else if (value instanceof Record) {
            for (RecordComponent component : value.getClass().getRecordComponents()) {
                flatten(
                        path + component.getName() + ".",
                        component.getAccessor().invoke(value),
                        into);
            }
        } else if (value != null && !(value instanceof byte[])) {
            into.put(path.substring(0, path.length() - 1), value);
        }
    }

    /** Values in one form, so that 1KiB, 1024 and "1024" are the same. */
    private static Object meaning(Object value) {
        if (value instanceof Duration) {
            return value;
        }
        String text = value.toString();
        return Units.duration(text)
                .<Object>map(duration -> duration)
                .or(() -> Units.bytes(text).map(Long::doubleValue))
                .orElseGet(() -> Double.valueOf(text));
    }

    private static GatewaySettings load(String path, String value) throws ConfigException {
        Map<String, String> properties = new HashMap<>();
        WITH.getOrDefault(path, Map.of()).forEach((key, other) -> properties.put("heartwheel." + key, other));
        METHODS.forEach((method, needs) -> {
            if (path.startsWith("auth." + method + ".")) {
                properties.put("heartwheel.auth.mode", "methods");
                properties.put("heartwheel.auth.methods", method);
                needs.forEach((key, other) -> properties.put("heartwheel.auth." + method + "." + key, other));
            }
        });
        for (String block : List.of("shadow", "source-limits", "accept-limit")) {
            if (path.startsWith(block)) {
                properties.put("heartwheel." + block + ".enabled", "true");
            }
        }
        if (path.startsWith("outlets.main.")) {
            boolean file = path.contains("rotate") || path.endsWith("keep-files");
            properties.put("heartwheel.outlets.main.kind", file ? "file" : "webhook");
            properties.put("heartwheel.outlets.main.file", "events.jsonl");
            properties.put("heartwheel.outlets.main.url", "http://127.0.0.1/");
            properties.put("heartwheel.outlets.main.dead-letter.file", "dead.jsonl");
        }
        properties.put("heartwheel." + path, value);
        return Loading.load(properties);
    }
}

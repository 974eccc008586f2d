package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.session.LivenessSettings;
import io.heartwheel.transport.SourceSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every range of the reference configuration: taken at both edges, refused one beyond each, and stated in the file itself. */
class RangesTest {
    private static final String DEADLINE = "100ms..30d";

    /**
     * @param range as the reference states it
     * @param below one beyond the least, as an operator would write it
     * @param above one beyond the greatest
     * @param least the least that is good, as an operator would write it
     * @param greatest the greatest that is good
     * @param with other keys that have to give way at the edges
     * @param read the value in the settings
     */
    private record Row(
            String key,
            String range,
            String below,
            String above,
            String least,
            String greatest,
            Map<String, String> with,
            Function<GatewaySettings, Object> read) {

        Row with(String otherKey, String value) {
            Map<String, String> more = new HashMap<>(with);
            more.put(otherKey, value);
            return new Row(key, range, below, above, least, greatest, more, read);
        }

        Row good(String newLeast, String newGreatest) {
            return new Row(key, range, below, above, newLeast, newGreatest, with, read);
        }

        @Override
        public String toString() {
            return key + " " + range;
        }
    }

    static Stream<Row> rows() {
        return Stream.of(
                        counts(),
                        sizes(),
                        deadlines(),
                        otherTimes(),
                        decimals(),
                        guards(),
                        shadows(),
                        traces(),
                        fronts())
                .flatMap(List::stream);
    }

    private static List<Row> counts() {
        return List.of(
                count("transport.event-loops", 0, 1_024, s -> s.transport().eventLoops()),
                count("transport.max-connections", 1, 10_000_000, s -> s.transport()
                        .maxConnections()),
                count("listeners.tcp.backlog", 1, 65_535, s -> s.listeners()
                        .get(0)
                        .backlog()),
                count("listeners.websocket.backlog", 1, 65_535, s -> s.listeners()
                        .get(1)
                        .backlog()),
                count("wheel.slice", 1, 1_000_000, s -> s.wheel().slice()),
                count("wheel.buckets", 64, 1_048_576, s -> s.wheel().buckets()),
                count("sink.queue", 16, 1_048_576, s -> s.sink().queue()),
                count("shutdown.readmit-rate", 1, 1_000_000, s -> s.drain().readmitRate()),
                count("shutdown.goaway-rate", 1, 1_000_000, s -> s.drain().goawayRate()),
                count("admin.max-connections", 1, 10_000, s -> s.admin().maxConnections()),
                count("log.repeats", 1, 1_000_000, s -> s.log().repeatLimiter()));
    }

    private static List<Row> sizes() {
        return List.of(
                size("transport.receive-buffer", "512B..64KiB", s -> s.transport()
                        .receiveBufferBytes()),
                size("transport.write-watermark.low", "1KiB..64MiB", s -> s.transport()
                                .writeLowWatermarkBytes())
                        .good("1KiB", "67108863B")
                        .with("transport.write-watermark.high", "64MiB"),
                size("transport.write-watermark.high", "1KiB..64MiB", s -> s.transport()
                                .writeHighWatermarkBytes())
                        .good("1025B", "64MiB")
                        .with("transport.write-watermark.low", "1KiB"),
                size("websocket.max-request", "1KiB..64KiB", s -> s.webSocket().maxRequestBytes()),
                size("protocol.max-payload", "128B..16MiB", s -> s.protocol().maxPayloadBytes()),
                size("read-progress.min-rate", "1B..1MiB", s -> s.liveness()
                        .readProgress()
                        .minBytesPerSecond()),
                size("admin.max-body", "1KiB..16MiB", s -> s.admin().maxBodyBytes()));
    }

    private static List<Row> deadlines() {
        return List.of(
                deadline("handshake.timeout", s -> s.handshake().timeout()),
                deadline("read-progress.timeout", s -> s.readProgress().timeout()),
                deadline("reader-idle.timeout", s -> s.readerIdle().timeout()),
                deadline("writer-idle.timeout", s -> s.writerIdle().timeout()),
                deadline("write-progress.timeout", s -> s.writeProgress().timeout()),
                deadline("age.timeout", s -> s.age().timeout()),
                deadline("age.goaway-lead", s -> s.age().goawayLead()));
    }

    private static List<Row> otherTimes() {
        return List.of(
                beat("heartbeat.interval", s -> s.liveness().heartbeat().interval())
                        .with("heartbeat.min", "100ms")
                        .with("heartbeat.max", "24h"),
                beat("heartbeat.min", s -> s.liveness().heartbeat().min()).with("heartbeat.interval", "24h"),
                beat("heartbeat.max", s -> s.liveness().heartbeat().max())
                        .with("heartbeat.interval", "100ms")
                        .with("heartbeat.min", "100ms"),
                row("transport.accept-pause", "10ms..60s", "9ms", "60001ms", s -> s.transport()
                        .acceptPause()),
                row("tls.tickets.rotation", "1m..7d", "59s", "604801s", s -> s.tls()
                        .tickets()
                        .rotation()),
                row("tls.watch.period", "1s..1h", "999ms", "3601s", s -> s.tls()
                        .watch()
                        .period()),
                row("wheel.tick", "1ms..1s", "999us", "1000001us", s -> s.wheel()
                        .tick()),
                row("shutdown.retry-min", "0s..1h", "-1s", "3601s", s -> s.drain()
                                .retryMin())
                        .with("shutdown.retry-max", "1h"),
                row("shutdown.retry-max", "0s..1h", "-1s", "3601s", s -> s.drain()
                                .retryMax())
                        .with("shutdown.retry-min", "0s"),
                row("shutdown.drain", "0s..24h", "-1s", "86401s", s -> s.drain().drain()));
    }

    private static List<Row> decimals() {
        return List.of(
                row("heartbeat.grace", "1.1..10", "1.09", "10.01", s -> s.liveness()
                        .heartbeat()
                        .grace()),
                row("age.jitter", "0..0.5", "-0.01", "0.51", s -> s.liveness()
                        .age()
                        .jitter()));
    }

    private static List<Row> guards() {
        return List.of(
                row("stalls.threshold", "10ms..10s", "9ms", "10001ms", s -> s.stalls()
                        .threshold()),
                row("stalls.max-credit", "0s..1h", "-1s", "3601s", s -> s.stalls()
                        .maxCredit()),
                row("breaker.window", "1s..10m", "999ms", "601s", s -> s.breaker()
                        .window()),
                row("breaker.share", "0.01..1", "0.009", "1.01", s -> s.breaker()
                        .share()),
                row("breaker.group-share", "0.01..1", "0.009", "1.01", s -> s.breaker()
                        .groupShare()),
                count("breaker.least", 1, 1_000_000, s -> s.breaker().least()),
                row("breaker.patience", "100ms..1h", "99ms", "3601s", s -> s.breaker()
                        .patience()),
                row("breaker.close-rate", "1..1000000 or auto", "0", "1000001", s -> s.breaker()
                                .closeRate())
                        .good("1", "1000000"),
                share("memory.refuse-above", s -> s.memory().refuseAbove())
                        .good("0.02", "0.99")
                        .with("memory.admit-below", "0.01"),
                share("memory.admit-below", s -> s.memory().admitBelow())
                        .good("0.01", "0.98")
                        .with("memory.refuse-above", "0.99"),
                share("memory.unfinished", s -> s.memory().unfinished()),
                count("evidence.closes", 0, 1_000_000, s -> s.evidence().closes()),
                count("evidence.handshakes", 0, 1_000_000, s -> s.evidence().handshakes()),
                count("evidence.refusal-events", 0, 1_000, s -> s.evidence().refusalEvents()));
    }

    private static List<Row> shadows() {
        return List.of(
                shadow("handshake.timeout", s -> s.handshake().timeout()),
                shadow("read-progress.timeout", s -> s.readProgress().timeout()),
                shadow("reader-idle.timeout", s -> s.readerIdle().timeout()),
                shadow("write-progress.timeout", s -> s.writeProgress().timeout()),
                size("shadow.read-progress.min-rate", "1B..1MiB", s -> s.shadow()
                                .readProgress()
                                .minBytesPerSecond())
                        .with("shadow.enabled", "true"),
                row("shadow.heartbeat.grace", "1.1..10", "1.09", "10.01", s -> s.shadow()
                                .heartbeat()
                                .grace())
                        .with("shadow.enabled", "true"));
    }

    private static List<Row> traces() {
        return List.of(
                row("trace.share", "0..1", "-0.01", "1.01", s -> s.trace().share()),
                count("trace.stamps", 16, 65_536, s -> s.trace().stamps()),
                size("trace.max-bytes", "1MiB..64GiB", s -> s.trace().maxBytes()));
    }

    private static List<Row> fronts() {
        return List.of(
                count("handshake.max-pending", 16, 10_000_000, s -> s.admission()
                        .maxPending()),
                source("connections", 1, 10_000_000, SourceSettings::connections),
                source("accepts-per-second", 1, 1_000_000, SourceSettings::acceptsPerSecond),
                source("burst", 1, 1_000_000, SourceSettings::burst),
                source("v6-prefix", 32, 64, SourceSettings::v6PrefixBits),
                source("tracked", 1_024, 16_777_216, SourceSettings::tracked));
    }

    private static Row source(String key, int least, int greatest, Function<SourceSettings, Object> read) {
        return count(
                        "source-limits." + key,
                        least,
                        greatest,
                        s -> read.apply(s.admission().sources()))
                .with("source-limits.enabled", "true");
    }

    private static Row shadow(String key, Function<LivenessSettings, Object> read) {
        return row("shadow." + key, DEADLINE, "99ms", "2592000001ms", s -> read.apply(s.shadow()))
                .with("shadow.enabled", "true");
    }

    private static Row share(String key, Function<GatewaySettings, Object> read) {
        return row(key, "0.01..0.99", "0.009", "1", read);
    }

    private static Row row(
            String key, String range, String below, String above, Function<GatewaySettings, Object> read) {
        int dots = range.indexOf("..");
        return new Row(key, range, below, above, range.substring(0, dots), range.substring(dots + 2), Map.of(), read);
    }

    private static Row count(String key, int least, int greatest, Function<GatewaySettings, Object> read) {
        return row(key, least + ".." + greatest, "" + (least - 1), "" + (greatest + 1), read);
    }

    private static Row size(String key, String range, Function<GatewaySettings, Object> read) {
        int dots = range.indexOf("..");
        long below = Units.bytes(range.substring(0, dots)).orElseThrow() - 1;
        long above = Units.bytes(range.substring(dots + 2)).orElseThrow() + 1;
        return row(key, range, below + "B", above + "B", read);
    }

    private static Row deadline(String key, Function<LivenessSettings, Object> read) {
        return row(key, DEADLINE, "99ms", "2592000001ms", s -> read.apply(s.liveness()));
    }

    private static Row beat(String key, Function<GatewaySettings, Object> read) {
        return row(key, "100ms..24h", "99ms", "86400001ms", read);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void value_atBothEdges_isTaken(Row row) throws Exception {
        assertEquals(meaning(row.least), meaning(row.read.apply(load(row, row.least))));
        assertEquals(meaning(row.greatest), meaning(row.read.apply(load(row, row.greatest))));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void value_oneBeyond_isRefusedWithTheRange(Row row) {
        for (String beyond : List.of(row.below, row.above)) {
            ConfigException refusal = assertThrows(ConfigException.class, () -> load(row, beyond));
            String start = "heartwheel." + row.key + " = " + beyond + ": need ";
            assertEquals(1, refusal.problems().size(), refusal.getMessage());
            assertTrue(refusal.getMessage().startsWith(start), refusal.getMessage());
            assertTrue(refusal.getMessage().contains(row.range), refusal.getMessage());
            assertTrue(refusal.getMessage().endsWith(" (-Dheartwheel." + row.key + ")"), refusal.getMessage());
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void value_ofAnotherType_isRefusedWithTheRange(Row row) {
        ConfigException refusal = assertThrows(ConfigException.class, () -> load(row, "plenty"));

        assertEquals(
                List.of("heartwheel." + row.key + " = plenty: need " + row.range + " (-Dheartwheel." + row.key + ")"),
                refusal.problems());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void range_inTheReferenceFile_isStatedAboveTheKey(Row row) throws Exception {
        List<String> lines = Files.readAllLines(Path.of("..", "conf", "gateway.conf"));
        // the second listener of the reference repeats the first without its comments
        String key = row.key.replace("listeners.websocket", "listeners.tcp");
        int at = ConfigLoader.defaults().getValue("heartwheel." + key).origin().lineNumber() - 1;
        while (!lines.get(at).matches(".*#.*[Rr]ange.*")) {
            at--;
        }
        boolean inGeneral = row.range.equals(DEADLINE)
                && lines.stream().anyMatch(line -> line.contains("All durations") && line.contains(DEADLINE));
        assertTrue(
                inGeneral || lines.get(at).contains(row.range),
                row + " is not what the reference says: " + lines.get(at));
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

    private static GatewaySettings load(Row row, String value) throws ConfigException {
        Map<String, String> properties = new HashMap<>();
        row.with.forEach((key, other) -> properties.put("heartwheel." + key, other));
        properties.put("heartwheel." + row.key, value);
        return ConfigLoader.load(null, properties, Map.of());
    }
}

package io.heartwheel.outlet.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.outlet.OutletSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerPropertiesTest {
    @TempDir
    private Path scratch;

    private Path file(String text) throws Exception {
        return Files.writeString(scratch.resolve("kafka.properties"), text);
    }

    private Map<String, Object> with(String text) throws Exception {
        return ProducerProperties.of(new OutletSettings.Kafka("b:9092", "events", file(text), Duration.ofSeconds(30)));
    }

    private String refused(String text) {
        return refusal(() -> with(text));
    }

    private static String refusal(Executable refused) {
        return assertThrows(IllegalArgumentException.class, refused).getMessage();
    }

    @Test
    void of_noFile_restsOnAcknowledgementsAndOrder() {
        Map<String, Object> all =
                ProducerProperties.of(new OutletSettings.Kafka("a:1,b:2", "events", null, Duration.ofSeconds(12)));
        assertEquals("a:1,b:2", all.get("bootstrap.servers"));
        assertEquals("all", all.get("acks"));
        assertEquals(true, all.get("enable.idempotence"));
        assertEquals(1, all.get("max.in.flight.requests.per.connection"));
        assertEquals(12_000, all.get("delivery.timeout.ms"));
        assertEquals(12_000, all.get("max.block.ms"));
        assertEquals(4_000, all.get("request.timeout.ms"));
        assertEquals("heartwheel-events", all.get("client.id"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 600_000})
    void of_timeoutAtItsBounds_isAccepted(long millis) {
        assertFalse(ProducerProperties.of(new OutletSettings.Kafka("b:9092", "t", null, Duration.ofMillis(millis)))
                .isEmpty());
    }

    @Test
    void of_operatorsSecurityAndCompression_areTaken() throws Exception {
        Map<String, Object> all = with(
                """
                # who we are
                security.protocol = SASL_SSL
                sasl.mechanism = SCRAM-SHA-512
                sasl.jaas.config = org.apache.kafka.common.security.scram.ScramLoginModule required username="a" password="b";
                ssl.truststore.type = PEM
                compression.type = gzip
                client.id = site-7
                """);
        assertEquals("SASL_SSL", all.get("security.protocol"));
        assertEquals("SCRAM-SHA-512", all.get("sasl.mechanism"));
        assertEquals("gzip", all.get("compression.type"));
        assertEquals("site-7", all.get("client.id"));
        assertEquals("all", all.get("acks"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acks",
                "enable.idempotence",
                "bootstrap.servers",
                "key.serializer",
                "value.serializer",
                "retries",
                "max.in.flight.requests.per.connection",
                "delivery.timeout.ms",
                "max.block.ms",
                "transactional.id",
                "partitioner.class",
                "buffer.memory",
                "interceptor.classes",
                "metric.reporters"
            })
    void of_keyThatIsNotTheOperators_isRefusedByName(String key) {
        String said = refused(key + " = 1");
        assertTrue(said.contains(": " + key + ": is not the operator's to set: need security.*"), said);
    }

    @Test
    void of_unknownKey_isRefusedByName() {
        String said = refused("sasl.jass.config = secret");
        assertTrue(said.contains("kafka.properties: sasl.jass.config: unknown: need "), said);
        assertFalse(said.contains("secret"), said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "lz4", "snappy", "brotli"})
    void of_compressionWithoutItsLibrary_isRefused(String type) {
        String said = refused("compression.type = " + type);
        assertTrue(said.contains("compression.type = " + type + ": need none or gzip"), said);
    }

    @ParameterizedTest
    @CsvSource({"security.protocol,TLS", "max.request.size,many", "compression.gzip.level,77"})
    void of_wrongValue_isRefusedWithKeyAndValue(String key, String value) {
        String said = refused(key + " = " + value);
        assertTrue(said.contains(key) && said.contains(value), said);
    }

    @Test
    void of_fileThatIsMissingOrNotOfThisForm_isNamed() {
        Path missing = scratch.resolve("none");
        String said = refusal(() ->
                ProducerProperties.of(new OutletSettings.Kafka("b:9092", "events", missing, Duration.ofSeconds(30))));
        assertTrue(said.startsWith(missing + ": cannot be read"), said);
        assertTrue(refused("client.id = \\u12").contains("not in Java's properties form"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "b", "b:", ":9092", "b:0", "b:65536", "b:9092,", "b:9092;c:9092", "b:9092 c:9092", "[::1]"})
    void settings_bootstrapWithoutHostOrPort_isRefused(String bootstrap) {
        assertFalse(OutletSettings.Kafka.isBootstrap(bootstrap));
    }

    @ParameterizedTest
    @ValueSource(strings = {"b:1", "10.0.0.1:9092", "b-1.example:9092, b_2:65535", "[2001:db8::1]:9092"})
    void settings_brokers_areAccepted(String bootstrap) {
        assertTrue(OutletSettings.Kafka.isBootstrap(bootstrap));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a b", "a/b", "ä"})
    void settings_topicThatKafkaRefuses_isRefused(String topic) {
        assertFalse(OutletSettings.Kafka.isTopic(topic));
    }
}

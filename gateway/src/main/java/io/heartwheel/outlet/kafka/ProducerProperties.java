package io.heartwheel.outlet.kafka;

import io.heartwheel.outlet.OutletSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Properties of the producer: ours, on which order and acknowledgement rest, and the operator's, who may set how to reach the brokers and nothing else.
 *
 * <p>One request at a time a broker, not the five that idempotence allows: a broker that knows nothing yet of a producer takes its second batch also when it
 * refused the first, so that with several on their way the order could be lost.
 */
final class ProducerProperties {
    private static final int LINGER_MILLIS = 5;
    private static final int BATCH_BYTES = 64 << 10;
    private static final long BUFFER_BYTES = 16 << 20;
    private static final int LONGEST_REQUEST_MILLIS = 30_000;
    private static final int RECONNECT_MILLIS = 100;
    private static final int LONGEST_RECONNECT_MILLIS = 5_000;

    private static final List<String> OPERATORS_KINDS = List.of("security.", "ssl.", "sasl.");
    private static final Set<String> OPERATORS_KEYS = Set.of(
            ProducerConfig.CLIENT_ID_CONFIG,
            ProducerConfig.CLIENT_DNS_LOOKUP_CONFIG,
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            ProducerConfig.COMPRESSION_GZIP_LEVEL_CONFIG,
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
            ProducerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG,
            ProducerConfig.METADATA_MAX_AGE_CONFIG,
            ProducerConfig.SEND_BUFFER_CONFIG,
            ProducerConfig.RECEIVE_BUFFER_CONFIG);
    private static final Set<String> COMPRESSIONS = Set.of("none", "gzip");

    private ProducerProperties() {}

    /**
     * Those of these settings. Reads the operator's file; asks no broker.
     *
     * @throws IllegalArgumentException if the file cannot be read, or names the key in it that may not be set or has a wrong value
     */
    static Map<String, Object> of(OutletSettings.Kafka settings) {
        Map<String, Object> all = ours(settings);
        Path file = settings.propertiesFile();
        if (file != null) {
            all.putAll(operators(file));
        }
        try {
            new ProducerConfig(all);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(file == null ? e.getMessage() : file + ": " + e.getMessage(), e);
        }
        return Map.copyOf(all);
    }

    private static Map<String, Object> ours(OutletSettings.Kafka settings) {
        int timeoutMillis = Math.toIntExact(settings.timeout().toMillis());
        Map<String, Object> ours = new HashMap<>();
        ours.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrap());
        ours.put(ProducerConfig.CLIENT_ID_CONFIG, "heartwheel-" + settings.topic());
        ours.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        ours.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        ours.put(ProducerConfig.ACKS_CONFIG, "all");
        ours.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        ours.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        ours.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
        ours.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MILLIS);
        ours.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        ours.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        ours.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, timeoutMillis);
        ours.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeoutMillis);
        // a request that gets no answer leaves time for another one
        ours.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(LONGEST_REQUEST_MILLIS, timeoutMillis / 3));
        ours.put(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, RECONNECT_MILLIS);
        ours.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, Math.min(LONGEST_RECONNECT_MILLIS, timeoutMillis / 3));
        // no measurements of the client's own, neither to the broker nor by JMX
        ours.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        ours.put(ProducerConfig.METRIC_REPORTER_CLASSES_CONFIG, List.of());
        return ours;
    }

    private static Map<String, String> operators(Path file) {
        Properties read = new Properties();
        try (Reader text = Files.newBufferedReader(file)) {
            read.load(text);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + ": cannot be read: " + e, e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": not in Java's properties form: " + e.getMessage(), e);
        }
        Map<String, String> operators = new HashMap<>();
        for (String key : new TreeSet<>(read.stringPropertyNames())) {
            String value = read.getProperty(key).strip();
            check(file, key, value);
            operators.put(key, value);
        }
        return operators;
    }

    private static void check(Path file, String key, String value) {
        boolean known = ProducerConfig.configNames().contains(key);
        if (!known || !(OPERATORS_KEYS.contains(key) || OPERATORS_KINDS.stream().anyMatch(key::startsWith))) {
            throw new IllegalArgumentException(
                    file + ": " + key + ": " + (known ? "is not the operator's to set" : "unknown")
                            + ": need security.*, ssl.*, sasl.*, " + String.join(", ", new TreeSet<>(OPERATORS_KEYS)));
        }
        if (key.equals(ProducerConfig.COMPRESSION_TYPE_CONFIG) && !COMPRESSIONS.contains(value)) {
            throw new IllegalArgumentException(
                    file + ": " + key + " = " + value
                            + ": need none or gzip; for another set the topic's own compression.type, and the broker compresses");
        }
    }
}

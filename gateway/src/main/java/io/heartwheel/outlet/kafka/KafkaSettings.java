package io.heartwheel.outlet.kafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a Kafka outlet. Immutable; any thread. Names nothing of Kafka's client, so that whoever holds it does not load it.
 *
 * @param bootstrap some of the cluster's brokers, {@code host:port,host:port}
 * @param topic 1..249 letters, digits, dots, underscores and hyphens
 * @param propertiesFile the client's settings for security, compression and network, in Java's properties form; null: none
 * @param timeout how long an event may wait for its acknowledgement, 1s..10m
 */
public record KafkaSettings(String bootstrap, String topic, @Nullable Path propertiesFile, Duration timeout) {
    private static final Pattern BROKER =
            Pattern.compile("\\s*([\\w.-]+|\\[[\\p{XDigit}:.]+(%[\\w.-]+)?\\]):(?<port>\\d{1,5})\\s*");
    private static final int HIGHEST_PORT = 65_535;
    private static final Pattern TOPIC = Pattern.compile("(?!\\.{1,2}$)[\\w.-]{1,249}");
    /** The shortest that a timeout may be. */
    public static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** @throws IllegalArgumentException names the value that is out of range, and the range */
    public KafkaSettings {
        if (!isBootstrap(bootstrap)) {
            throw new IllegalArgumentException(
                    "bootstrap = " + bootstrap + ": need host:port, port 1..65535, several with commas between");
        }
        if (!isTopic(topic)) {
            throw new IllegalArgumentException("topic = " + topic + ": need 1..249 of A-Z a-z 0-9 . _ -, not . or ..");
        }
        if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("timeout = " + timeout.toMillis() + "ms: need 1s..10m");
        }
    }

    /** Whether this names brokers, separated by commas. */
    public static boolean isBootstrap(String text) {
        return Stream.of(text.split(",", -1)).allMatch(KafkaSettings::isBroker);
    }

    /** Whether a topic may be called this. */
    public static boolean isTopic(String text) {
        return TOPIC.matcher(text).matches();
    }

    private static boolean isBroker(String text) {
        Matcher parts = BROKER.matcher(text);
        if (!parts.matches()) {
            return false;
        }
        int port = Integer.parseInt(parts.group("port"));
        return port >= 1 && port <= HIGHEST_PORT;
    }
}

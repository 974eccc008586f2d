package io.heartwheel.outlet;

import io.heartwheel.event.EventKind;
import io.heartwheel.nats.NatsServers;
import io.heartwheel.store.SyncPolicy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings of one outlet. Immutable; any thread. They hold no secret, only the names of the files that do.
 *
 * @param name the operator's name for it, in logs, metrics and the journal, where its cursor has this name: see {@link #isName}
 * @param events kinds that it gets; a {@code gap} it gets in any case
 * @param target where they go
 */
public record OutletSettings(String name, Set<EventKind> events, Target target) {
    /** Most outlets of a gateway. */
    public static final int MOST = 16;

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");

    /** Takes a copy. */
    public OutletSettings {
        EnumSet<EventKind> copy = EnumSet.noneOf(EventKind.class);
        copy.addAll(events);
        events = Collections.unmodifiableSet(copy);
    }

    /** Whether an outlet may be called this. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Where events go. */
    public sealed interface Target permits Console, ToFile, Webhook, Kafka, Nats {
        /** The word for it in the configuration. */
        String kind();

        /** Where, for people: without secrets. */
        String place();

        /** Most events that are delivered together, 1 or more. */
        default int chunkEvents() {
            return 2_048;
        }

        /** Most bytes of events that are delivered together, unless one alone has more. */
        default long chunkBytes() {
            return 1 << 20;
        }
    }

    /** Standard output. */
    public record Console() implements Target {
        @Override
        public String kind() {
            return "console";
        }

        @Override
        public String place() {
            return "standard output";
        }
    }

    /**
     * A file of JSON Lines.
     *
     * @param file its name
     * @param rotateBytes it is rotated before it grows beyond this
     * @param rotateEvery it is rotated when its first line since the last rotation is older; zero: by size alone
     * @param keepFiles so many rotated ones stay, 0..1000
     * @param sync when what is written is forced to the disk
     */
    public record ToFile(Path file, long rotateBytes, Duration rotateEvery, int keepFiles, SyncPolicy sync)
            implements Target {
        @Override
        public String kind() {
            return "file";
        }

        @Override
        public String place() {
            return file.toString();
        }

        @Override
        public long chunkBytes() {
            return Math.min(1 << 20, rotateBytes);
        }
    }

    /**
     * A receiver of HTTP requests.
     *
     * @param url where to, http or https; its query may hold a secret, so it is shown nowhere
     * @param secretFile file whose first line signs requests; null: they are not signed
     * @param oldSecretFile file whose first line signs them too, while receivers change; null: none
     * @param headersFile file of more headers, a line each; null: none
     * @param caFile authorities in PEM that sign the receiver's certificate; null: those of the JDK
     * @param timeout for one request, from its beginning to the end of its answer
     * @param form of a request
     * @param mediaType its {@code Content-Type}; empty: that of its form
     * @param maxBatch most events of a request in the form of a batch, 1..10000
     * @param maxBytes most bytes of its body, unless one event alone has more
     * @param partitions requests at once; a device's events take one way, 1..64
     * @param deadLetter where requests go that the receiver will never take; null: they are sent for ever
     */
    public record Webhook(
            URI url,
            @Nullable Path secretFile,
            @Nullable Path oldSecretFile,
            @Nullable Path headersFile,
            @Nullable Path caFile,
            Duration timeout,
            ContentMode form,
            String mediaType,
            int maxBatch,
            long maxBytes,
            int partitions,
            @Nullable DeadLetter deadLetter)
            implements Target {
        private static final int LEAST_CHUNK_EVENTS = 100;
        private static final int MOST_CHUNK_EVENTS = 10_000;
        private static final long MOST_CHUNK_BYTES = 16 << 20;

        @Override
        public String kind() {
            return "webhook";
        }

        @Override
        public String place() {
            int port = url.getPort();
            return url.getScheme() + "://" + url.getHost() + (port < 0 ? "" : ":" + port) + url.getRawPath();
        }

        @Override
        public int chunkEvents() {
            return Math.max(maxBatch, Math.min(MOST_CHUNK_EVENTS, Math.max(LEAST_CHUNK_EVENTS, maxBatch) * partitions));
        }

        @Override
        public long chunkBytes() {
            return Math.max(maxBytes, Math.min(MOST_CHUNK_BYTES, maxBytes * partitions));
        }

        @Override
        public String toString() {
            return "Webhook[" + place() + "]";
        }
    }

    /** Content modes of the CloudEvents HTTP binding. */
    public enum ContentMode {
        /** A request has an array of events. */
        BATCHED,
        /** A request has one event. */
        STRUCTURED,
        /** A request has the object of one event; the rest of it stands in headers. */
        BINARY
    }

    /**
     * File of events that a receiver refuses for what they are.
     *
     * @param file JSON Lines, one CloudEvent a line
     * @param maxBytes it does not grow beyond this
     * @param after refusals of a request before it goes there, 1 or more
     */
    public record DeadLetter(Path file, long maxBytes, int after) {}

    /**
     * A topic of Kafka. Names nothing of Kafka's client, so that whoever holds it does not load it.
     *
     * @param bootstrap some of the cluster's brokers, {@code host:port,host:port}
     * @param topic 1..249 letters, digits, dots, underscores and hyphens
     * @param propertiesFile the client's settings for security, compression and network, in Java's properties form; null: none
     * @param timeout how long an event may wait for its acknowledgement, 1s..10m
     */
    public record Kafka(String bootstrap, String topic, @Nullable Path propertiesFile, Duration timeout)
            implements Target {
        /** The shortest that a timeout may be. */
        public static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);

        private static final Pattern BROKER =
                Pattern.compile("\\s*([\\w.-]+|\\[[\\p{XDigit}:.]+(%[\\w.-]+)?\\]):(?<port>\\d{1,5})\\s*");
        private static final int HIGHEST_PORT = 65_535;
        private static final Pattern TOPIC = Pattern.compile("(?!\\.{1,2}$)[\\w.-]{1,249}");

        /** Whether this names brokers, separated by commas. */
        public static boolean isBootstrap(String text) {
            return Stream.of(text.split(",", -1)).map(BROKER::matcher).allMatch(Kafka::isBroker);
        }

        /** Whether a topic may be called this. */
        public static boolean isTopic(String text) {
            return TOPIC.matcher(text).matches();
        }

        private static boolean isBroker(Matcher parts) {
            int port = parts.matches() ? Integer.parseInt(parts.group("port")) : 0;
            return port >= 1 && port <= HIGHEST_PORT;
        }

        @Override
        public String kind() {
            return "kafka";
        }

        @Override
        public String place() {
            return topic + " at " + bootstrap;
        }

        @Override
        public long chunkBytes() {
            return 4 << 20;
        }
    }

    /**
     * A stream of NATS JetStream.
     *
     * @param subject template of the subject of an event: see {@link io.heartwheel.outlet.nats.SubjectTemplate}
     * @param timeout how long nothing may be acknowledged, and how long a server may take to let the gateway in
     */
    public record Nats(NatsServers servers, String subject, Duration timeout) implements Target {
        @Override
        public String kind() {
            return "nats";
        }

        @Override
        public String place() {
            return subject + " at " + servers.place();
        }

        @Override
        public int chunkEvents() {
            return 4_096;
        }

        @Override
        public long chunkBytes() {
            return 4 << 20;
        }
    }
}

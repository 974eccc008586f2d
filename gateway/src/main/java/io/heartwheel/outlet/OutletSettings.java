package io.heartwheel.outlet;

import io.heartwheel.event.EventKind;
import io.heartwheel.store.SyncPolicy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
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
    public sealed interface Target permits Console, ToFile, Webhook, Kafka {
        /** The word for it in the configuration. */
        String kind();

        /** Where, for people: without secrets. */
        String place();

        /** Most events that are delivered together, 1 or more. */
        int chunkEvents();

        /** Most bytes of events that are delivered together, unless one alone has more. */
        long chunkBytes();
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

        @Override
        public int chunkEvents() {
            return 1_024;
        }

        @Override
        public long chunkBytes() {
            return 1 << 20;
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
        public int chunkEvents() {
            return 4_096;
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
     * @param caFile authorities in PEM that sign the receiver's certificate; null: those of the JDK
     * @param timeout for one request, from its beginning to the end of its answer
     * @param maxBatch most events of a request, 1..10000
     * @param maxBytes most bytes of its body, unless one event alone has more
     * @param partitions requests at once; a device's events take one way, 1..64
     * @param deadLetter where requests go that the receiver will never take; null: they are sent for ever
     */
    public record Webhook(
            URI url,
            @Nullable Path secretFile,
            @Nullable Path oldSecretFile,
            @Nullable Path caFile,
            Duration timeout,
            int maxBatch,
            long maxBytes,
            int partitions,
            @Nullable DeadLetter deadLetter)
            implements Target {
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
            return Math.max(maxBatch, Math.min(MOST_CHUNK_EVENTS, maxBatch * partitions));
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

    /**
     * File of events that a receiver refuses for what they are.
     *
     * @param file JSON Lines, one CloudEvent a line
     * @param maxBytes it does not grow beyond this
     * @param after refusals of a request before it goes there, 1 or more
     */
    public record DeadLetter(Path file, long maxBytes, int after) {}

    /**
     * A topic of Kafka.
     *
     * @param bootstrap host:port, several with commas
     * @param topic its name
     * @param propertiesFile more properties of the producer; null: none
     * @param timeout for the delivery of one record
     */
    public record Kafka(String bootstrap, String topic, @Nullable Path propertiesFile, Duration timeout)
            implements Target {
        @Override
        public String kind() {
            return "kafka";
        }

        @Override
        public String place() {
            return topic + " at " + bootstrap;
        }

        @Override
        public int chunkEvents() {
            return 2_048;
        }

        @Override
        public long chunkBytes() {
            return 4 << 20;
        }
    }
}

package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.server.Disturbance;
import java.util.List;
import java.util.Locale;

/**
 * Receiver of what the gateway's outlet delivers, and what it does about it.
 *
 * @param kind how the events come
 * @param bind address it listens on, with {@link Kind#WEBHOOK}
 * @param secret of the outlet's signature, with {@link Kind#WEBHOOK}
 * @param bootstrap brokers, {@code host:port} with commas between, with {@link Kind#KAFKA}
 * @param topic that it reads, with {@link Kind#KAFKA}
 * @param journalSettings whether gateways that the run starts are given a journal and an outlet to this receiver
 * @param nameless whether some devices speak a protocol without message ids: their messages are not compared
 * @param plan when it does something else than to take what comes, in the order of the times
 * @param withinNanos how long what was acknowledged may take to come out after observation
 * @param settleNanos presence of a device is compared when its connection has been as it is for so long
 */
public record Uplink(
        Kind kind,
        String bind,
        String secret,
        String bootstrap,
        String topic,
        boolean journalSettings,
        boolean nameless,
        List<Disturbance> plan,
        long withinNanos,
        long settleNanos) {

    /** Most devices of a run that compares: each costs some 500 bytes, each message 8 to 60. */
    public static final int MOST_CLIENTS = 100_000;

    /** Keeps its own copy. */
    public Uplink {
        plan = List.copyOf(plan);
    }

    /** How events come. */
    public enum Kind {
        /** As HTTP requests with batches of CloudEvents. */
        WEBHOOK,
        /** As records of a topic of Apache Kafka, each a CloudEvent. */
        KAFKA;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}

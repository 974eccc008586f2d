package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.Payload;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Pushes to the devices: content, recipients, way. Times count from the beginning of observation.
 *
 * @param by how a push is made
 * @param toAll whether one push reaches all of {@code among}; else each has one recipient
 * @param random whether recipients are drawn; else they take turns
 * @param among who may be a recipient
 * @param perSecond pushes, evenly spaced
 * @param count pushes in all
 * @param afterNanos when the first one is made
 * @param concurrency calls under way at once; a recipient has one at a time
 * @param timeoutNanos how long a call may take
 * @param withinNanos how long a device may be connected without getting what the server has kept for it
 * @param payload sizes of messages, headers included
 * @param text whether messages are letters; else any bytes
 * @param nonce tells this run's messages from those of others
 * @param acks how they are waited for; null: they are not
 * @param later when the server is to send each by itself; null: at once
 * @param group of the gateway's API that {@code among} are put into before; empty: none
 */
public record Downlink(
        By by,
        boolean toAll,
        boolean random,
        Among among,
        double perSecond,
        long count,
        long afterNanos,
        int concurrency,
        long timeoutNanos,
        long withinNanos,
        Payload payload,
        boolean text,
        long nonce,
        @Nullable Acks acks,
        @Nullable Later later,
        String group,
        Http http,
        Mqtt mqtt,
        Exec exec) {

    /** Means of a push. */
    public enum By {
        /** A request from a template. */
        HTTP,
        /** A PUBLISH to a broker. */
        MQTT,
        /** A command of the operator's. */
        EXEC;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Stands for the device's id. */
    public static final String ID = "{id}";
    /** Stands for the device's number, from 0. */
    public static final String NUMBER = "{number}";
    /** Stands for the message. */
    public static final String MESSAGE = "{message}";
    /** Stands for what is asked for with a push, and what more the server has to know for it. */
    public static final String ACK = "{ack}";
    /** Stands for a key that each push has for itself. */
    public static final String KEY = "{key}";
    /** Stands for the address of the server's API. */
    public static final String ADDRESS = "{address}";

    /**
     * Those devices that all of it holds for.
     *
     * @param behaviours their kinds; empty: any
     * @param first their lowest number
     * @param last their highest
     * @param share of them, drawn by the seed, 0..1
     */
    public record Among(List<String> behaviours, int first, int last, double share) {}

    /**
     * Times of a message that the server sends by itself.
     *
     * @param afterNanos from the call to the first one
     * @param everyNanos from one to the next
     * @param times how many
     * @param endless whether it goes on to the end of the run, and none is kept; {@code times} are then enough for that
     */
    public record Later(long afterNanos, long everyNanos, int times, boolean endless) {

        /** How long the server waits for the ACK of a run that is not kept. */
        public static final long ACK_NANOS = 3_000_000_000L;

        /** From the call to that one, from 1. */
        public long dueNanos(int run) {
            return afterNanos + (run - 1) * everyNanos;
        }
    }

    /**
     * A request; url, headers and body are templates.
     *
     * @param addresses what {@value Downlink#ADDRESS} stands for; empty: of the gateways that this run starts. A push begins at each in
     *     turn
     * @param any whether any of them answers for all; else the next is asked while the answer is that the device is absent
     * @param accepted statuses that promise delivery to a connected device
     * @param absent statuses that say that the device is not connected
     * @param unknown statuses that say that nobody knows what came of it
     */
    public record Http(
            String method,
            String url,
            Map<String, String> headers,
            String body,
            List<String> addresses,
            boolean any,
            Set<Integer> accepted,
            Set<Integer> absent,
            Set<Integer> unknown) {

        /** Which of so many addresses a push begins at. */
        public static int first(int recipient, int sequence, int addresses) {
            return Math.floorMod(recipient + sequence, addresses);
        }

        /** Whether each address may be asked for every device, and there are several. */
        public boolean isFleet() {
            return any && addresses.size() > 1;
        }
    }

    /**
     * A publisher of our own, MQTT 3.1.1.
     *
     * @param topic template
     * @param qos 0 or 1
     */
    public record Mqtt(String address, String topic, int qos, String clientId, String user, String password) {}

    /**
     * A command.
     *
     * @param command program and arguments, templates
     * @param accepted exit statuses that promise delivery to a connected device
     * @param absent exit statuses that say that the device is not connected
     */
    public record Exec(List<String> command, Set<Integer> accepted, Set<Integer> absent) {}

    /** Whether the server says of a device that is not connected that it is not. */
    public boolean tellsAbsent() {
        return switch (by) {
            case HTTP -> !http.absent().isEmpty();
            case EXEC -> !exec.absent().isEmpty();
            case MQTT -> false;
        };
    }

    /** Whether the server is to keep any of them. */
    public boolean keeps() {
        boolean stored = acks != null && acks.asks().getOrDefault(Acks.Ask.STORED, 0.0) > 0;
        return stored || (!isEndless() && (later != null || !group.isEmpty()));
    }

    /** Whether each is a schedule that goes on to the end of the run. */
    public boolean isEndless() {
        return later != null && later.endless();
    }

    /** When a push is to be made. */
    public long dueNanos(long number) {
        return afterNanos + (long) (number / perSecond * 1e9);
    }
}

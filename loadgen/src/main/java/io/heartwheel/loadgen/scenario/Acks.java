package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.pace.Chance;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Pushes that are waited for: what the server is asked for with each, and what its device does about it. Both are drawn by the seed.
 *
 * @param asks what is asked for, by weight
 * @param timeoutNanos how long the server may wait for the device, where a message is not kept
 * @param againShare pushes that are called twice at once under one key, 0..1
 * @param replies what devices do about a message that wants an ACK, by weight
 * @param lateNanos how late the ACK is of a device that is late
 */
public record Acks(
        Map<Ask, Double> asks, long timeoutNanos, double againShare, Map<Reply, Double> replies, long lateNanos) {

    private static final long ASK_DRAW = 7_000_003;
    private static final long REPLY_DRAW = 8_000_009;
    private static final long AGAIN_DRAW = 9_000_011;

    /** What is asked for with a push. */
    public enum Ask {
        /** What the scenario's own templates say. */
        NOTHING,
        /** That it is handed to the device's socket. */
        SENT,
        /** That the device's stack has read it. */
        RECEIVED,
        /** That the device acknowledges it. */
        DEVICE,
        /** That it is kept until the device has acknowledged it. */
        STORED;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a device does about a message that wants an ACK, when it comes for the first time. */
    public enum Reply {
        /** Acknowledges it at once. */
        PROMPT,
        /** Acknowledges it a while later. */
        LATE,
        /** Acknowledges it twice. */
        TWICE,
        /** Never acknowledges it. */
        NEVER,
        /** Says not now, and acknowledges it when it comes again. */
        REFUSE,
        /** Reconnects first, and acknowledges it when it comes again. */
        LEAVE;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What is asked for with this push.
     *
     * @param acknowledges whether the device's protocol has ACK; else {@link Ask#RECEIVED} is the most
     */
    public Ask ask(long seed, int recipient, int sequence, boolean acknowledges) {
        Ask drawn = drawn(asks, chance(seed, recipient, sequence, ASK_DRAW), Ask.DEVICE);
        return drawn == Ask.DEVICE && !acknowledges ? Ask.RECEIVED : drawn;
    }

    /**
     * What {@value Downlink#ACK} stands for: parameters of the gateway's API.
     *
     * @param acknowledges whether the device's protocol has ACK
     */
    public String parameters(Ask ask, boolean acknowledges) {
        return ask == Ask.STORED
                ? (acknowledges ? Ask.DEVICE : Ask.RECEIVED).label() + "&store=1"
                : ask.label() + "&timeout=" + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + "ms";
    }

    /** What its device does about this message: one that is kept is acknowledged some time. */
    public Reply reply(long seed, int recipient, int sequence) {
        Reply reply = drawn(replies, chance(seed, recipient, sequence, REPLY_DRAW), Reply.PROMPT);
        boolean kept = reply == Reply.NEVER && ask(seed, recipient, sequence, true) == Ask.STORED;
        return kept ? Reply.PROMPT : reply;
    }

    /** Whether this push is called twice. */
    public boolean again(long seed, int recipient, int sequence) {
        return chance(seed, recipient, sequence, AGAIN_DRAW) < againShare;
    }

    private static double chance(long seed, int recipient, int sequence, long draw) {
        return Chance.unit(seed, (long) recipient << Integer.SIZE | sequence, draw);
    }

    private static <E extends Enum<E>> E drawn(Map<E, Double> weights, double unit, E otherwise) {
        double left = unit * weights.values().stream().mapToDouble(each -> each).sum();
        for (Map.Entry<E, Double> each : weights.entrySet()) {
            left -= each.getValue();
            if (left < 0) {
                return each.getKey();
            }
        }
        return otherwise;
    }
}

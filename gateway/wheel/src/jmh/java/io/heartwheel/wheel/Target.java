package io.heartwheel.wheel;

import io.heartwheel.wheel.Measured.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A promise about the wheel and whether this run bears it out.
 *
 * @param what is promised
 * @param measured what came out; NaN when it was not measured
 * @param atLeast whether the limit is the least, or else the most
 */
record Target(String what, double measured, boolean atLeast, double limit, String unit) {

    private static final String OURS = "heartwheel";
    private static final String TAKEN = "heartwheel-taken";
    private static final String SHARED = "heartwheel-shared";
    /** The profiler's own allocation, spread over the operations, is less. */
    private static final double NO_BYTES = 0.05;
    /** What a thread counts as that slept throughout and used nothing. */
    private static final double LEAST_NANOS = 1;

    boolean isMeasured() {
        return !Double.isNaN(measured);
    }

    boolean isMet() {
        return atLeast ? measured >= limit : measured <= limit;
    }

    String verdict() {
        return !isMeasured() ? "not measured" : isMet() ? "met" : "**missed**";
    }

    /** All of them, with so many entries pending. */
    static List<Target> of(Measured from, int pending) {
        List<Target> targets = new ArrayList<>();
        targets.add(times(from, pending, Operation.ACTIVITY, OURS, "netty", 40));
        targets.add(new Target(
                "activity, times a random store into an array",
                Operation.ACTIVITY.value(from, OURS, pending) / Operation.ACTIVITY.value(from, "floor-slot", pending),
                false,
                4,
                "x"));
        targets.add(bytes(from, pending, Operation.ACTIVITY, OURS));
        for (Operation operation : List.of(Operation.REARM, Operation.EXTRA)) {
            targets.add(times(from, pending, operation, OURS, "netty", 5));
            targets.add(times(from, pending, operation, TAKEN, "netty", 5));
            targets.add(bytes(from, pending, operation, TAKEN));
        }
        targets.add(times(from, pending, Operation.EXPIRY, SHARED, "netty", 5));
        targets.add(times(from, pending, Operation.EXPIRY, OURS, "netty-own", 5));
        targets.add(times(from, pending, Operation.EXPIRY_COLLECTED, OURS, "netty-own", 1));
        targets.add(times(from, pending, Operation.EXPIRY_COLLECTED, SHARED, "netty", 1));
        targets.add(times(from, pending, Operation.TICK, OURS, "netty", 50));
        targets.add(new Target("bytes an entry", Operation.HEAP.value(from, OURS, pending), false, 24, "B"));
        for (String ours : List.of(OURS, "heartwheel-live")) {
            targets.add(new Target(
                    "two producers, times one" + (ours.equals(OURS) ? "" : ", the wheel turning beside them"),
                    Operation.PRODUCERS.value(from, ours, pending) / Operation.REARM.value(from, ours, pending),
                    false,
                    1.5,
                    "x"));
        }
        for (Operation operation : List.of(Operation.ACTIVITY, Operation.TICK_VIRTUAL)) {
            targets.add(times(from, pending, operation, OURS, "agrona", 1));
        }
        targets.add(times(from, pending, Operation.REARM, TAKEN, "agrona", 1));
        targets.add(times(from, pending, Operation.EXTRA, TAKEN, "agrona", 1));
        for (Operation operation :
                List.of(Operation.EXPIRY, Operation.EXPIRY_VIRTUAL, Operation.EXPIRY_VIRTUAL_COLLECTED)) {
            targets.add(times(from, pending, operation, SHARED, "agrona", 1));
            targets.add(times(from, pending, operation, OURS, "agrona-own", 1));
        }
        targets.add(times(from, pending, Operation.SECOND, OURS, "agrona", 1));
        targets.add(times(from, pending, Operation.SECOND, OURS, "agrona-lazy", 1));
        targets.add(times(from, pending, Operation.HEAP, OURS, "agrona", 1));
        return targets;
    }

    private static Target times(
            Measured from, int pending, Operation operation, String ours, String theirs, double limit) {
        double mine = operation.value(from, ours, pending);
        return new Target(
                operation.title.toLowerCase(Locale.ROOT)
                        + switch (ours) {
                            case TAKEN -> ", marks taken";
                            case SHARED -> ", no connection touched";
                            default -> "";
                        }
                        + ": times cheaper than "
                        + Tables.name(theirs),
                operation.value(from, theirs, pending) / (mine < LEAST_NANOS ? LEAST_NANOS : mine),
                true,
                limit,
                "x");
    }

    private static Target bytes(Measured from, int pending, Operation operation, String ours) {
        return new Target(
                operation.title.toLowerCase(Locale.ROOT) + ": bytes allocated",
                operation
                        .row(from, ours, pending)
                        .map(Row::allocated)
                        .orElse(Measured.Score.NONE)
                        .value(),
                false,
                NO_BYTES,
                "B");
    }
}

package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Habits;
import io.heartwheel.loadgen.pace.Ramp;
import io.heartwheel.loadgen.pace.Spread;
import io.heartwheel.loadgen.scenario.Target;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A run, decided before it begins. Times count from the beginning of observation: when the ramp is over, however long it
 * took.
 *
 * <pre>
 *   |-- ramp --|-- warm --|-- devices fall silent --|-- last one is found out --|-- tail --|
 *              0          silenceFrom          silenceUntil                          duration
 * </pre>
 *
 * @param ratePerSecond connects a second
 * @param durationNanos length of observation
 * @param silentShare share of devices that fall silent, 0..1
 * @param dataPerSecond DATA messages a second, all devices together
 * @param loops event loops
 * @param sourceBlock first block of 20,000 connections to a loopback target that this process takes; each block but 0 has a
 *     source address of its own, so that several processes can share the work without sharing ports
 */
public record Plan(
        List<Target> targets,
        int clients,
        double ratePerSecond,
        long durationNanos,
        Habits habits,
        double silentShare,
        double dataPerSecond,
        long seed,
        int loops,
        int sourceBlock,
        Contract contract) {

    private static final long MILLI = 1_000_000L;

    /** Checks the ranges. */
    public Plan {
        targets = List.copyOf(targets);
        if (targets.isEmpty()) {
            throw new IllegalArgumentException("targets = none: need at least one");
        }
        if (clients < 1 || loops < 1) {
            throw new IllegalArgumentException("clients = " + clients + ", loops = " + loops + ": need at least 1");
        }
        if (sourceBlock < 0 || sourceBlock > 0x7000) {
            throw new IllegalArgumentException("source block = " + sourceBlock + ": need 0..28672");
        }
        if (!(silentShare >= 0 && silentShare <= 1)) {
            throw new IllegalArgumentException("silent share = " + silentShare + ": need 0..1");
        }
    }

    /** How many devices each target gets, by protocol and address. */
    Map<String, Long> clientsByTarget() {
        Map<String, Long> counts = new TreeMap<>();
        byte[] kinds = Spread.kinds(
                clients, targets.stream().mapToDouble(Target::weight).toArray());
        for (byte kind : kinds) {
            counts.merge(targets.get(kind).label(), 1L, Long::sum);
        }
        return counts;
    }

    /** The paced start. */
    public Ramp ramp() {
        return new Ramp(clients, ratePerSecond);
    }

    /** A beat's period as planned; devices go by what they are granted. */
    public long periodNanos() {
        return habits.cadence(habits.wantedMillis()).periodNanos();
    }

    private long allowedSilenceNanos() {
        return habits.wantedMillis() * MILLI * habits.graceHundredths() / 100;
    }

    /** From here on devices fall silent: every one has been heard at least once. */
    public long silenceFromNanos() {
        return periodNanos() + 500 * MILLI;
    }

    /** The last device is told to fall silent by here, so that it can still be found out. */
    public long silenceUntilNanos() {
        return durationNanos - contract.missedAfterNanos() - 500 * MILLI - allowedSilenceNanos() - periodNanos();
    }

    /** The ramp is given up on this long after the run began: its planned length and half a minute. */
    public long rampPatienceNanos() {
        return ramp().lengthNanos() + 30_000 * MILLI;
    }

    /**
     * Checks that silent devices can be found out in time.
     *
     * @throws IllegalArgumentException saying how long the duration must be
     */
    public Plan checked() {
        if (silentShare > 0 && silenceUntilNanos() < silenceFromNanos()) {
            long need = durationNanos + silenceFromNanos() - silenceUntilNanos();
            throw new IllegalArgumentException("duration = " + durationNanos / MILLI + "ms: need at least "
                    + (need / MILLI + 1) + "ms to see devices with an interval of " + habits.wantedMillis()
                    + "ms fall silent and be closed");
        }
        return this;
    }
}

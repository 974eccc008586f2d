package io.heartwheel.process;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Judgement of a gateway by the reports of a herd.
 *
 * <p>A live device that kept its promise and was closed for silence is a <em>false kill</em>; so is a silent one that was closed before its time. A
 * silent one that saw no end by its latest time is a <em>missed kill</em>. A live one that broke its promise, because its own process did not get to
 * run, proves nothing: it is counted apart. A connection that ended without being told of silence, for example by a reset, is <em>lost</em>.
 *
 * @param live devices never told to be silent
 * @param silent the others
 * @param latenessMillis of the closes of silent ones: from last frame, timeout and what is surely excused to the end as seen; sorted
 * @param examples a few of those that are wrong
 */
record Judgement(
        int live,
        int silent,
        int falseKills,
        int missedKills,
        int brokenPromises,
        int lost,
        List<Double> latenessMillis,
        List<DeviceReport> examples) {
    private static final int MOST_EXAMPLES = 2;

    /** Judges now: a silent device that is still open is missed if its latest time is over. */
    static Judgement of(Collection<DeviceReport> herd, Contract contract) {
        long nowNanos = System.nanoTime();
        Assessment assessment = new Assessment(contract, nowNanos);
        herd.forEach(assessment::add);
        return assessment.judgement();
    }

    /** No live device closed, no silent one missed. */
    boolean isClean() {
        return falseKills == 0 && missedKills == 0 && lost == 0;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%,d live, %,d silent: false kills %d, missed kills %d, broken promises %d, lost %d; lateness ms p50 %.1f,"
                        + " p99 %.1f, max %.1f%s",
                live,
                silent,
                falseKills,
                missedKills,
                brokenPromises,
                lost,
                lateness(0.5),
                lateness(0.99),
                lateness(1),
                examples.isEmpty() ? "" : "; for example " + examples);
    }

    /** Of the closes of silent devices, in milliseconds; not a number if there were none. */
    double lateness(double share) {
        int count = latenessMillis.size();
        return count == 0 ? Double.NaN : latenessMillis.get((int) Math.min(count - 1, Math.round(share * count)));
    }

    private static final class Assessment {
        private final Contract contract;
        private final long nowNanos;
        private final List<Double> latenessMillis = new ArrayList<>();
        private final List<DeviceReport> examples = new ArrayList<>();
        private int live;
        private int silent;
        private int falseKills;
        private int missedKills;
        private int brokenPromises;
        private int lost;

        Assessment(Contract contract, long nowNanos) {
            this.contract = contract;
            this.nowNanos = nowNanos;
        }

        void add(DeviceReport device) {
            if (device.silent()) {
                silent++;
                addSilent(device);
            } else {
                live++;
                addLive(device);
            }
        }

        private void addLive(DeviceReport device) {
            if (device.isOpen()) {
                return;
            }
            if (device.brokeItsPromise()) {
                brokenPromises++;
                return;
            }
            if (device.closedForSilence()) {
                falseKills++;
            } else {
                lost++;
            }
            example(device);
        }

        private void addSilent(DeviceReport device) {
            long endNanos = device.isOpen() ? nowNanos : device.endedNanos();
            boolean early = !device.isOpen() && endNanos - contract.earliestNanos(device) < 0;
            boolean late = endNanos - contract.latestNanos(device) > 0;
            if (early) {
                falseKills++;
            }
            if (late) {
                missedKills++;
            }
            boolean broken = !device.isOpen() && !device.closedForSilence();
            if (broken) {
                lost++;
            }
            if (early || late || broken) {
                example(device);
            }
            if (!device.isOpen()) {
                latenessMillis.add((endNanos - contract.earliestNanos(device)) / 1e6);
            }
        }

        private void example(DeviceReport device) {
            if (examples.size() < MOST_EXAMPLES) {
                examples.add(device);
            }
        }

        Judgement judgement() {
            Collections.sort(latenessMillis);
            return new Judgement(
                    live,
                    silent,
                    falseKills,
                    missedKills,
                    brokenPromises,
                    lost,
                    List.copyOf(latenessMillis),
                    List.copyOf(examples));
        }
    }
}

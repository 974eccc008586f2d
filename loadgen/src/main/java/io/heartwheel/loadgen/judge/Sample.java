package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.measure.Latencies;

/**
 * State and rates of a run during about a second, all workers together: a point of each plot.
 *
 * @param atSeconds when it ended, since the run began
 * @param connected connections open then
 * @param opensPerSecond connections welcomed
 * @param failuresPerSecond connects that failed
 * @param beatsPerSecond heartbeats sent
 * @param dataPerSecond messages sent
 * @param closesPerSecond connections that ended, whoever ended them
 * @param condemned devices that broke their promise, so far
 * @param detected of them closed as they should be, so far
 * @param falseKills so far
 * @param roundTrip heartbeat round trips in it, from the intended send time
 * @param lateness detection lateness in it
 * @param pacing the generator's own lag in it
 * @param generatorCores processors all workers kept busy
 * @param machineCores processors of this machine kept busy by anything; 0 when not known
 */
public record Sample(
        double atSeconds,
        long connected,
        double opensPerSecond,
        double failuresPerSecond,
        double beatsPerSecond,
        double dataPerSecond,
        double closesPerSecond,
        long condemned,
        long detected,
        long falseKills,
        Latencies.Summary roundTrip,
        Latencies.Summary lateness,
        Latencies.Summary pacing,
        double generatorCores,
        double machineCores) {}

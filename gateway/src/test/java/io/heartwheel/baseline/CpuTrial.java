package io.heartwheel.baseline;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Processor time a heartbeat: both servers hold their connections all the while, and their crowds beat in turns, A B A B, so that what the machine does
 * besides falls on both alike. A pair of neighbours gives one ratio.
 */
final class CpuTrial {
    /** What most configurations say: a minute of silence. No side pauses that long. */
    private static final int QUIET_MILLIS = 60_000;

    private static final int CONNECTS_PER_SECOND = 4_000;
    private static final double SETTLE_SECONDS = 0.5;

    private final Stage.Settings settings;
    private final Load load;

    /** How much is asked of a server. */
    record Load(int connections, int beatsPerSecond, double seconds, double warmUpSeconds, int pairs) {
        Load {
            if (seconds < 1 || 2 * Math.max(seconds, warmUpSeconds) > 50) {
                throw new IllegalArgumentException("seconds = " + seconds + ", warm-up = " + warmUpSeconds
                        + ": need 1..25, or the silent side is closed");
            }
        }
    }

    /** Processor microseconds a heartbeat, in user code and in the kernel. */
    record Cost(double userMicros, double kernelMicros) {
        double micros() {
            return userMicros + kernelMicros;
        }
    }

    /** Two neighbouring rounds. */
    record Pair(Cost gateway, Cost baseline) {
        double ratio() {
            return gateway.micros() / baseline.micros();
        }
    }

    /** All rounds of two sides. */
    record Result(Side gateway, Side baseline, List<Pair> pairs) {
        /** The ratios in order of size. */
        double[] ratios() {
            return pairs.stream().mapToDouble(Pair::ratio).sorted().toArray();
        }

        double medianRatio() {
            return median(ratios());
        }

        Cost medianGateway() {
            return median(pairs.stream().map(Pair::gateway).toList());
        }

        Cost medianBaseline() {
            return median(pairs.stream().map(Pair::baseline).toList());
        }

        private static Cost median(List<Cost> costs) {
            return new Cost(
                    median(costs.stream().mapToDouble(Cost::userMicros).sorted().toArray()),
                    median(costs.stream()
                            .mapToDouble(Cost::kernelMicros)
                            .sorted()
                            .toArray()));
        }

        private static double median(double[] sorted) {
            int half = sorted.length / 2;
            return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        }
    }

    CpuTrial(Stage.Settings settings, Load load) {
        this.settings = settings;
        this.load = load;
    }

    Result run(Side gateway, Side baseline) throws Exception {
        try (Stage a = Stage.open(gateway, settings, "cpu-" + gateway.fileName(), QUIET_MILLIS);
                Stage b = Stage.open(baseline, settings, "cpu-" + baseline.fileName(), QUIET_MILLIS)) {
            a.gather(load.connections(), CONNECTS_PER_SECOND);
            b.gather(load.connections(), CONNECTS_PER_SECOND);
            cost(a, load.warmUpSeconds());
            cost(b, load.warmUpSeconds());
            List<Pair> pairs = new ArrayList<>();
            for (int i = 0; i < load.pairs(); i++) {
                pairs.add(new Pair(cost(a, load.seconds()), cost(b, load.seconds())));
            }
            return new Result(gateway, baseline, pairs);
        }
    }

    private Cost cost(Stage stage, double seconds) throws Exception {
        Child.Cpu before = stage.server().cpu();
        Crowd.Round round = stage.beat(load.beatsPerSecond(), seconds);
        TimeUnit.MILLISECONDS.sleep((long) (SETTLE_SECONDS * 1_000));
        Child.Cpu used = stage.server().cpu().since(before);
        if (round.lost() > 0 || round.answered() < round.sent()) {
            throw new IOException(stage.side().title + ": " + round);
        }
        return new Cost((double) used.userMicros() / round.sent(), (double) used.kernelMicros() / round.sent());
    }
}

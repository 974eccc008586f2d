package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.client.Habits;
import io.heartwheel.loadgen.fleet.Contract;
import io.heartwheel.loadgen.fleet.Plan;
import io.heartwheel.loadgen.scenario.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** From options to a plan. */
final class Plans {

    private static final long MILLI = 1_000_000L;
    private static final int SPARE_DESCRIPTORS = 200;

    private Plans() {}

    /**
     * The plan the options ask for.
     *
     * @throws IllegalArgumentException for values outside their range
     */
    static Plan of(LoadOptions options, List<Target> targets, String token, long seed) {
        requireDescriptors(options.clients);
        Habits habits = new Habits(
                options.interval,
                options.beatShare,
                0,
                (int) Math.round(options.grace * 100),
                token,
                "loadgen-" + Long.toString(seed, 36) + "-",
                options.dataBytes,
                MILLI);
        return new Plan(
                        targets,
                        options.clients,
                        options.rate,
                        Math.round(options.duration * 1e9),
                        habits,
                        options.silentShare,
                        options.dataRate,
                        seed,
                        options.loopsOrHalf(),
                        options.sourceBlock,
                        Contract.of(options.tick, options.slack))
                .checked();
    }

    /** Refuses more clients than this process may have descriptors. */
    static void requireDescriptors(int clients) {
        long limit = descriptorLimit();
        if (clients > limit - SPARE_DESCRIPTORS) {
            throw new IllegalArgumentException("clients = " + clients + ": at most " + (limit - SPARE_DESCRIPTORS)
                    + " with " + limit + " file descriptors (ulimit -Hn)");
        }
    }

    private static long descriptorLimit() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
                if (line.startsWith("Max open files")) {
                    String soft = line.substring(14).strip().split("\\s+")[0];
                    return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
                }
            }
        } catch (IOException e) {
            // No such file on this system: the sockets themselves will tell.
        }
        return Long.MAX_VALUE;
    }
}

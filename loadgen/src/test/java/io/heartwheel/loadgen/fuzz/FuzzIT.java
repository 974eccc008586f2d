package io.heartwheel.loadgen.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The decoders under a fuzzer that sees where in the code an input leads. All as one and for seconds in every build; each for its share of
 * {@code fuzz.seconds} with {@code -Pfuzz}. What is found becomes a file among the seeds, which every build feeds from then on.
 */
class FuzzIT {
    private static final int SHORT_SECONDS = 8;
    private static final int LEAST_SECONDS = 5;

    @Test
    void decoders_allAsOne_breakNoRule() throws Exception {
        Path seeds = Files.createDirectories(Path.of("target", "fuzz", "all-seeds"));
        for (Target target : Target.values()) {
            List<byte[]> inputs = target.inputs();
            for (int i = 0; i < inputs.size(); i++) {
                Files.write(seeds.resolve(target + "-" + i), chosen(target, inputs.get(i)));
            }
        }
        Jazzer.Outcome outcome = new Jazzer("All", AllFuzz.class.getName()).run(SHORT_SECONDS, seeds);
        told("all", outcome);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("fuzz")
    void decoder_forItsShare_breaksNoRule(Target target) throws Exception {
        int seconds = Integer.getInteger("heartwheel.fuzz.seconds") / Target.values().length;
        Path seeds = target.seeds();
        Jazzer.Outcome outcome = new Jazzer(seeds.getFileName().toString(), target.className())
                .run(Math.max(LEAST_SECONDS, seconds), seeds);
        told(target.toString(), outcome);
    }

    private static void told(String which, Jazzer.Outcome outcome) {
        System.out.printf("fuzz %s: %,d inputs, %,d edges%n", which, outcome.runs(), outcome.coverage());
        assertEquals(0, outcome.exit(), outcome::log);
        assertTrue(outcome.runs() > 0 && outcome.coverage() > 0, outcome::log);
    }

    private static byte[] chosen(Target target, byte[] input) throws IOException {
        byte[] all = new byte[input.length + 1];
        all[0] = (byte) target.ordinal();
        System.arraycopy(input, 0, all, 1, input.length);
        return all;
    }
}

package io.heartwheel.simulation;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The oracle is only worth what it finds: the gateway's own source with one fault put in has to be found out, and without one has to pass. */
class MutationTest {
    private static final int WORLDS = 300;

    private static final long[] SANE_SEEDS = LongStream.range(0, 60).toArray();
    private static final int SCALE = 12;

    @TempDir
    Path scratch;

    static Stream<Mutant> mutants() {
        return Mutants.all().stream();
    }

    @Test
    void run_withoutFault_passes() throws Exception {
        assertNull(Mutants.sane().run(scratch, SANE_SEEDS, SCALE));
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void run_withOneFault_isFoundOut(Mutant mutant) throws Exception {
        LongStream others = LongStream.concat(LongStream.range(0, WORLDS), LongStream.of(SimulationTest.RARE));
        long[] seeds = LongStream.concat(LongStream.of(mutant.first()), others).toArray();
        assertNotNull(mutant.run(scratch, seeds, SCALE), () -> "survives: " + mutant);
    }

    @Test
    void story_ofAFault_tellsWhatHappened() throws Exception {
        String story = Mutants.all().get(0).story(scratch, 0, SCALE);
        assertTrue(story != null && story.startsWith("seed 0: ") && story.contains("\ntrace:\n"), story);
    }
}

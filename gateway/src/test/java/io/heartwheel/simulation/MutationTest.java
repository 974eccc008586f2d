package io.heartwheel.simulation;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Test of the oracle, which is only worth what it finds: the gateway's own source with one fault put in has to be found out, and without one has to
 * pass.
 *
 * <p>Each mutant meets first the world that found it out last (a line in {@code src/test/resources/simulation/killers}), then all others in order. With
 * {@code -Dheartwheel.simulation.minutes=N} or {@code hours} it meets them in order from the first; {@code target/killers} then holds the new lines.
 */
@Tag("timed")
class MutationTest {
    private static final Path KILLERS = Path.of("src/test/resources/simulation/killers");
    private static final Path NEW_KILLERS = Path.of("target/killers");
    private static final Pattern SEED = Pattern.compile("seed (-?\\d+): ");
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
        boolean inOrder = SimulationTest.minutes() > 0;
        long first = inOrder ? mutant.first() : killers().getOrDefault(mutant.fault(), mutant.first());
        String found = mutant.run(
                scratch, LongStream.concat(LongStream.of(first), others).toArray(), SCALE);
        assertNotNull(found, () -> "survives: " + mutant);
        Matcher seed = SEED.matcher(found);
        assertTrue(seed.lookingAt(), found);
        if (inOrder) {
            Files.createDirectories(NEW_KILLERS.getParent());
            Files.writeString(NEW_KILLERS, mutant.fault() + "\t" + seed.group(1) + "\n", CREATE, APPEND);
        }
    }

    /** Seeds by fault. */
    private static Map<String, Long> killers() throws IOException {
        try (Stream<String> lines = Files.lines(KILLERS)) {
            return lines.map(line -> line.split("\t"))
                    .collect(Collectors.toMap(line -> line[0], line -> Long.parseLong(line[1])));
        }
    }

    @Test
    void faults_ofAllMutants_haveNamesOfTheirOwn() {
        List<String> names = Mutants.all().stream().map(Mutant::fault).toList();
        assertEquals(names.size(), Set.copyOf(names).size(), names::toString);
    }

    @Test
    void failureTrace_ofAFault_tellsWhatHappened() throws Exception {
        String failureTrace = Mutants.all().get(0).failureTrace(scratch, 0, SCALE);
        assertTrue(
                failureTrace != null && failureTrace.startsWith("seed 0: ") && failureTrace.contains("\ntrace:\n"),
                failureTrace);
    }
}

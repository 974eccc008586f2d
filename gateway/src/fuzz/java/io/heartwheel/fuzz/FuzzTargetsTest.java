package io.heartwheel.fuzz;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every input that is kept, and some that are a little unlike them. */
class FuzzTargetsTest {
    private static final int CHANGED = 400;

    static List<Target> targets() throws IOException {
        return Target.all();
    }

    @ParameterizedTest
    @MethodSource("targets")
    void input_kept_breaksNoRule(Target target) throws IOException {
        for (byte[] input : target.inputs()) {
            feed(target, input, "");
        }
        feed(target, new byte[0], "");
    }

    @ParameterizedTest
    @MethodSource("targets")
    void input_changedALittle_breaksNoRule(Target target) throws IOException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        List<byte[]> kept = target.inputs();
        Mutations mutations = new Mutations(seed, kept);
        for (int i = 0; i < CHANGED; i++) {
            feed(target, mutations.next(), "seed " + seed + ", input " + i + ", ");
        }
    }

    private static void feed(Target target, byte[] input, String which) {
        try {
            target.feed(input);
        } catch (Throwable finding) {
            throw new AssertionError(
                    target + ": " + which + "as hex: " + HexFormat.of().formatHex(input), finding);
        }
    }
}

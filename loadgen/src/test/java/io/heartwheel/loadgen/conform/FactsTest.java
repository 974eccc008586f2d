package io.heartwheel.loadgen.conform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.judge.RunVerdict;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Judgements of times: too early is sure, too late only without the time that stood still. */
final class FactsTest {

    private static final long MILLI = VirtualWorld.MILLI;

    private final VirtualWorld world = new VirtualWorld(Carrier.TCP, null, 0);
    private final Facts facts = new Facts(world);

    private static RunVerdict verdict(Runnable judged) {
        try {
            judged.run();
            return RunVerdict.PASS;
        } catch (CaseEnd end) {
            return end.verdict;
        }
    }

    private RunVerdict between(long tookMillis) {
        return verdict(() -> facts.between("it", 0, tookMillis * MILLI, 1_000, 2_000));
    }

    @Test
    void between_aMachineThatRuns_isJudgedByTheLimits() {
        assertEquals(RunVerdict.FAIL, between(900));
        assertEquals(RunVerdict.PASS, between(1_000 - Limits.EARLY));
        assertEquals(RunVerdict.PASS, between(2_000 + Limits.TOLERANCE));
        assertEquals(RunVerdict.FAIL, between(2_001 + Limits.TOLERANCE));
    }

    @Test
    void between_aMachineThatStoodStill_isNotJudgedWhenThatDecides() {
        world.stillMillis = 400;
        assertEquals(RunVerdict.INCONCLUSIVE, between(2_300 + Limits.TOLERANCE));
        assertEquals(RunVerdict.FAIL, between(2_500 + Limits.TOLERANCE));
        assertEquals(RunVerdict.FAIL, between(900));
    }

    @Test
    void await_whatIsThere_isGivenAtOnce() {
        assertEquals("here", facts.await("it", 0, 1_000, () -> "here", () -> "gone"));
    }

    @Test
    void await_whatNeverComes_isBrokenAtItsLimit() {
        CaseEnd end = assertThrows(CaseEnd.class, () -> facts.await("a PONG", 0, 1_000, () -> null, () -> null));
        assertEquals(RunVerdict.FAIL, end.verdict);
        assertTrue(end.seen().startsWith("a PONG did not come in 200"), end::seen);
    }

    @Test
    void await_aMachineThatStandsStill_isExtendedAndThenNotJudged() {
        world.stillMillis = 60_000;
        assertEquals(RunVerdict.INCONCLUSIVE, verdict(() -> facts.await("a PONG", 0, 1_000, () -> null, () -> null)));
        assertTrue(world.nanos() > 2 * (1_000 + Limits.TOLERANCE) * MILLI, "waited for twice the time");
    }

    @Test
    void await_aClientThatIsGone_saysSo() {
        CaseEnd end = assertThrows(CaseEnd.class, () -> facts.await("a PONG", 0, 1_000, () -> null, () -> "it ended"));
        assertEquals("a PONG did not come: it ended", end.seen());
    }

    @Test
    void await_aClientThatBreaksTheWire_isBrokenWhateverIsAwaited() {
        facts.violation("the first");
        facts.violation("the second");
        CaseEnd end = assertThrows(CaseEnd.class, () -> facts.await("it", 0, 1_000, () -> "here", () -> null));
        assertTrue(end.seen().endsWith("the first"), end::seen);
    }

    @Test
    void lines_aClientThatPrintsWithoutEnd_isKeptInPart() {
        List<Integer> lengths = new ArrayList<>();
        byte[] endless = new byte[3 << 20];
        endless[endless.length - 2] = '\n';
        Loopback.lines(new ByteArrayInputStream(endless), line -> lengths.add(line.length()));
        assertEquals(List.of(1 << 20, 1), lengths);
    }

    @Test
    void printed_moreThanAnyRuleNeeds_breaksIt() throws Exception {
        try (Trial trial = new Trial(world, Carrier.TCP, "much")) {
            for (int i = 0; i < 5; i++) {
                trial.printed("x".repeat(1 << 20));
            }
            assertEquals(RunVerdict.FAIL, verdict(() -> trial.facts().checkWire()));
        }
    }
}

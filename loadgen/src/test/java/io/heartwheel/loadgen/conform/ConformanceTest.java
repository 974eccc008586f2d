package io.heartwheel.loadgen.conform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.conform.ConformReport.CaseResult;
import io.heartwheel.loadgen.conform.ConformReport.RuleResult;
import io.heartwheel.loadgen.judge.RunVerdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The judge of clients against clients whose faults are known, all in virtual time: the right one keeps every rule, and each
 * fault is found by the rule of its name.
 */
final class ConformanceTest {

    private final long seed = Long.getLong("test.seed", System.nanoTime());

    private List<RuleResult> judge(@Nullable Fault fault, Carrier carrier, List<String> names) {
        List<RuleResult> results = new ArrayList<>();
        for (Rule rule : Conformance.rules(names, carrier)) {
            List<CaseResult> cases = new ArrayList<>();
            for (Rule.Case part : rule.cases()) {
                World world = new VirtualWorld(carrier, fault, seed);
                cases.add(Conformance.play(world, carrier, rule, part, new HashSet<>()));
            }
            results.add(RuleResult.of(rule, cases));
        }
        return results;
    }

    @ParameterizedTest
    @EnumSource(Carrier.class)
    void rules_theRightClient_keepsEachOfThem(Carrier carrier) {
        System.out.println("seed " + seed);
        for (RuleResult each : judge(null, carrier, List.of())) {
            assertEquals(RunVerdict.PASS, each.verdict(), each::toString);
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void rules_everyFault_isFoundByTheRuleOfItsName(Fault fault) {
        System.out.println("seed " + seed);
        RuleResult result = judge(fault, fault.carrier(), List.of(fault.rule)).get(0);
        System.out.println(fault + ": " + result.seen());
        assertEquals(RunVerdict.FAIL, result.verdict(), result::seen);
        assertTrue(result.cases().stream().anyMatch(CaseResult::connected), "it connected");
    }

    @Test
    void rules_everyOne_hasAFaultThatItFinds() {
        List<String> found = Arrays.stream(Fault.values())
                .map(fault -> fault.rule)
                .distinct()
                .toList();
        assertTrue(found.containsAll(Conformance.names()), found::toString);
    }

    @Test
    void rules_names_areChosenInTheirOrderOrRefused() {
        List<Rule> chosen = Conformance.rules(List.of("goaway", "pong"), Carrier.TCP);
        assertEquals(List.of("pong", "goaway"), chosen.stream().map(Rule::name).toList());
        String refused = String.valueOf(assertThrows(
                        IllegalArgumentException.class, () -> Conformance.rules(List.of("native-codes"), Carrier.TCP))
                .getMessage());
        assertTrue(refused.startsWith("rule = native-codes: need hello, heartbeat, "), refused);
    }

    /** The table of rules in the document has a row for each, in their order. */
    @Test
    void document_rules_areThoseOfTheCode() throws Exception {
        List<String> rows = Files.readAllLines(Path.of("..", "gateway", "docs", "loadgen.md")).stream()
                .dropWhile(line -> !line.equals("### The rules"))
                .skip(1)
                .takeWhile(line -> !line.startsWith("#"))
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .toList();
        assertEquals(Conformance.names(), rows);
    }

    private static ConformReport report(CaseResult... cases) {
        Rule rule = new Rule("pong");
        return ConformReport.of(2_500, 0, List.of(RuleResult.of(rule, List.of(cases))));
    }

    private static CaseResult result(String name, RunVerdict verdict, boolean connected) {
        return new CaseResult(name, verdict, "seen " + name, connected);
    }

    @Test
    void exitStatus_eachVerdict_isItsOwn() {
        CaseResult pass = result("a", RunVerdict.PASS, true);
        CaseResult unknown = result("b", RunVerdict.INCONCLUSIVE, true);
        assertEquals(0, report(pass).exitStatus());
        assertEquals(3, report(pass, unknown).exitStatus());
        assertEquals(1, report(unknown, result("c", RunVerdict.FAIL, true)).exitStatus());
        assertEquals(4, report(result("c", RunVerdict.FAIL, false)).exitStatus());
    }

    @Test
    void lines_aBrokenRule_showsTheCasesThatBrokeIt() {
        ConformReport report = report(result("a", RunVerdict.PASS, true), result("b", RunVerdict.FAIL, true));
        assertEquals(
                List.of(
                        "rule  verdict       what was seen",
                        "pong  FAIL          b: seen b",
                        "FAIL: 0 rules kept, 1 broken, 0 not judged, in 2 s"),
                report.lines());
    }
}

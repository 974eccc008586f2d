package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.prometheus.client.Collector.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The alerts ask for what there is, and every one of them is tried. Whether they are rules at all, promtool says ({@link PromtoolInteropTest}). */
class AlertsTest {
    static final Path ALERTS = Path.of("..", "conf", "alerts.yml");
    static final Path CASES = Path.of("src", "test", "resources", "alerts-test.yml");

    private static final Pattern NAME = Pattern.compile("\\bheartwheel_[a-z_]+");
    private static final Pattern ALERT = Pattern.compile("(?m)^ +- alert: (\\w+)$");

    @Test
    void names_everyOne_standsInTheCatalogue() throws Exception {
        Set<String> known = Arrays.stream(Metric.values())
                .flatMap(metric -> series(metric).stream())
                .collect(Collectors.toSet());
        for (Path file : List.of(ALERTS, CASES)) {
            Set<String> used = found(NAME, file, 0);
            assertFalse(used.isEmpty());
            for (String name : used) {
                assertTrue(known.contains(name), () -> file + ": " + name + " is no series of ours");
            }
        }
    }

    /** A histogram has no series of its own name; the prose may still name it. */
    private static List<String> series(Metric metric) {
        String name = metric.fullName();
        return metric.type() == Type.HISTOGRAM
                ? List.of(name, name + "_bucket", name + "_count", name + "_sum")
                : List.of(name);
    }

    /** Beside ours there are those of the process and of Prometheus itself; the page of a gateway decides. */
    @Test
    void names_inExpressions_standOnTheLivePage() throws Exception {
        Set<String> known = new TreeSet<>(DashboardTest.onThePage());
        known.add("up");
        Set<String> recorded = found(Pattern.compile("(?m)^ +- record: (\\S+)$"), ALERTS, 1);
        known.addAll(recorded);
        List<String> expressions = expressions();
        assertTrue(expressions.size() > 30, () -> expressions.size() + " expressions");
        assertEquals(List.of(), DashboardTest.unknown(expressions, known));
    }

    /** Those of a rule stand on one line, or as a block below it. */
    private static List<String> expressions() throws Exception {
        return Pattern.compile("(?m)^ +expr: (?:\\|\n((?:^ {10}.*\n)+)|(.+)$)")
                .matcher(Files.readString(ALERTS))
                .results()
                .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
                .toList();
    }

    @Test
    void alerts_everyOne_saysHowBadItIsAndWhatToDo() throws Exception {
        String[] rules = Files.readString(ALERTS).split("- alert: ");
        for (int i = 1; i < rules.length; i++) {
            String rule = rules[i];
            assertTrue(
                    rule.contains("labels: { severity: page }") || rule.contains("labels: { severity: ticket }"), rule);
            assertTrue(Pattern.compile("summary: \".{10,}\"").matcher(rule).find(), rule);
            assertTrue(Pattern.compile("action: \".{10,}\"").matcher(rule).find(), rule);
        }
    }

    @Test
    void limit_ofThePromise_isABucket() throws Exception {
        Page page = new Page(new GatewayMetrics("1.2.3", "nio").render(null));
        Set<String> limits = found(Pattern.compile("lateness_seconds_bucket\\{le=\"([0-9.]+)\"}"), ALERTS, 1);
        assertEquals(Set.of("0.04"), limits);
        assertEquals(0, page.value("heartwheel_expiry_lateness_seconds_bucket{le=\"0.04\"}"));
    }

    @Test
    void alerts_everyOne_isTriedAndFiresOnce() throws Exception {
        String cases = Files.readString(CASES);
        for (String alert : found(ALERT, ALERTS, 1)) {
            assertTrue(
                    cases.contains("{ eval_time: 390m, alertname: " + alert + " }"),
                    alert + ": not tried while all is well");
            assertTrue(
                    Pattern.compile("alertname: " + alert + "\n +exp_alerts:")
                            .matcher(cases)
                            .find(),
                    alert + ": never seen to fire");
        }
    }

    private static Set<String> found(Pattern pattern, Path file, int group) throws Exception {
        return pattern.matcher(Files.readString(file))
                .results()
                .map((MatchResult result) -> result.group(group))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}

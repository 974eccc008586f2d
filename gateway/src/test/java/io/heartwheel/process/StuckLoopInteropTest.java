package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A real loop that hangs, at each scrape, under the rules that operators load. Needs promtool. */
@Tag("interop")
@Isolated
class StuckLoopInteropTest {
    @TempDir
    private Path scratch;

    @Test
    void alert_underTheScrapesOfALoopThatStands_firesAndNotBefore() throws Exception {
        StuckLoop stuck;
        try (GatewayProcess gateway = StuckLoop.gateway()) {
            stuck = new StuckLoop(gateway);
        }
        int last = stuck.scraped.size() - 1;
        assertTrue(last > 0, stuck.scraped::toString);
        Path cases = Files.writeString(scratch.resolve("cases.yml"), cases(stuck, last));
        Process promtool = new ProcessBuilder("promtool", "test", "rules", cases.toString())
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("out").toFile())
                .start();
        assertTrue(promtool.waitFor(60, TimeUnit.SECONDS), "promtool: still running");
        assertEquals(0, promtool.exitValue(), Files.readString(scratch.resolve("out")));
    }

    private static String cases(StuckLoop stuck, int last) {
        return """
                rule_files: [ '%s' ]
                evaluation_interval: 1s
                tests:
                  - interval: 1s
                    input_series:
                      - series: 'heartwheel_loop_lag_seconds{job="gw",instance="a",loop="1"}'
                        values: '%s'
                    promql_expr_test:
                      - { expr: 'count(ALERTS{alertname="HeartwheelLoopStuck",alertstate="firing"})', eval_time: %ds }
                      - expr: 'count(ALERTS{alertname="HeartwheelLoopStuck",alertstate="firing"})'
                        eval_time: %ds
                        exp_samples: [ { value: 1 } ]
                """
                .formatted(
                        Path.of("..", "conf", "alerts.yml").toAbsolutePath().normalize(),
                        stuck.scraped.stream().map(Object::toString).collect(Collectors.joining(" ")),
                        last - 1,
                        last);
    }
}

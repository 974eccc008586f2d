package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.report.ResultJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * More connections than a process can hold: gateways that share a port, workers that share the devices, and a tenth of
 * them silent at one instant. The table and the report stay in {@code target/scale}.
 */
@Tag("scale")
@Timeout(3_000)
final class ScaleIT {

    private static final int PATIENCE_MINUTES = 45;

    @Test
    void gateways_manyAndTheirDevices_holdAndFindTheSilentAndNobodyElse() throws Exception {
        Path directory = Files.createDirectories(Path.of("target", "scale"));
        Path json = directory.resolve("result.json");
        Path log = directory.resolve("output.txt");
        Process run = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        System.getProperty("heartwheel.loadgen.jar"),
                        "run",
                        "--scenario",
                        System.getProperty("heartwheel.scale.scenario"),
                        "--gateway-jar",
                        System.getProperty("heartwheel.gateway.jar"),
                        "--json=" + json,
                        "--html=" + directory.resolve("report.html")))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertTrue(run.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES), () -> "still running; see " + log);
        } finally {
            run.destroy();
            run.waitFor(1, TimeUnit.MINUTES);
        }
        String output = Files.readString(log);
        System.out.println(output.substring(Math.max(0, output.indexOf("----"))));
        Result result = ResultJson.read(json);
        // Whoever runs this on a crowded machine learns that it proves nothing about timing, not that the gateway
        // failed.
        assertNotEquals(RunVerdict.FAIL, result.verdict(), output);
        assertEquals(result.clients(), of(result, Count.OPENED));
        assertEquals(0, of(result, Count.FALSE_KILLS));
        assertEquals(0, of(result, Count.MISSED_KILLS));
        assertEquals(Math.round(result.clients() * 0.1), of(result, Count.DETECTED));
    }

    private static long of(Result result, Count what) {
        return result.counts().getOrDefault(what.label(), 0L);
    }
}

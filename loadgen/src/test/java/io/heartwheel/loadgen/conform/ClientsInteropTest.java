package io.heartwheel.loadgen.conform;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.measure.ProcessStalls;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The reference clients of {@code gateway/docs/client} keep every rule, as programs: Python over TCP, JavaScript over JSON in Node and Chromium. */
@Tag("interop")
@Timeout(400)
final class ClientsInteropTest {

    private static final Path CLIENTS =
            Path.of("..", "gateway", "docs", "client").toAbsolutePath().normalize();
    private static final Path BROWSER =
            Path.of("src", "test", "resources", "conform", "chromium.js").toAbsolutePath();
    /** Where Debian's packages of Node are. */
    private static final String NODE = "NODE_PATH=/usr/share/nodejs exec node";

    private static final int CASES_AT_ONCE = 12;
    private static final int BROWSERS_AT_ONCE = 3;

    /** On a machine that stands still it may be that nobody can tell; no rule may be called broken. */
    private static void keepsEveryRule(String command, Carrier carrier, int parallel) throws Exception {
        ProcessStalls stalls = new ProcessStalls(0);
        stalls.watch(System::nanoTime, Meters.ofThisProcess());
        try (Conformance conformance =
                new Conformance(new Loopback(command, System::nanoTime, stalls), carrier, parallel)) {
            ConformReport report = ConformReport.of(0, 0, conformance.run(Conformance.rules(List.of(), carrier)));
            report.lines().forEach(System.out::println);
            assertTrue(
                    report.rules().stream()
                            .allMatch(each -> each.verdict() == RunVerdict.PASS
                                    || (each.verdict() == RunVerdict.INCONCLUSIVE
                                            && each.seen().contains("stood still"))),
                    () -> String.join("\n", report.lines()));
        } finally {
            stalls.close();
        }
    }

    @Test
    void python_overTcp_keepsEveryRule() throws Exception {
        keepsEveryRule("exec /usr/bin/python3 '" + CLIENTS.resolve("run.py") + "'", Carrier.TCP, CASES_AT_ONCE);
    }

    @Test
    void node_overWebSocket_keepsEveryRule() throws Exception {
        keepsEveryRule(NODE + " '" + CLIENTS.resolve("run.js") + "'", Carrier.JSON, CASES_AT_ONCE);
    }

    @Test
    void chromium_overWebSocket_keepsEveryRule() throws Exception {
        String command = NODE + " '" + BROWSER + "' '" + CLIENTS.resolve("heartwheel.js") + "'";
        keepsEveryRule(command, Carrier.JSON, BROWSERS_AT_ONCE);
    }
}

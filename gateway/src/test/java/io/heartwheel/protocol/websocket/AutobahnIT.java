package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.app.Gateway;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.GatewaySettings;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import me.normanmaurer.maven.autobahntestsuite.AutobahnTestSuite;
import org.junit.jupiter.api.Test;

/**
 * The Autobahn fuzzing client against a gateway that echoes, plain mode, over loopback: framing, control frames, reserved bits, opcodes,
 * fragmentation, UTF-8, close handling, automatic fragmentation. Every case has to be passed, every expected case has to be there.
 */
class AutobahnIT {
    private static final String AGENT = "heartwheel";
    private static final List<String> SECTIONS = List.of("1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*");
    private static final int CASES = 247;
    private static final Set<String> PASSED = Set.of("OK", "NON-STRICT", "INFORMATIONAL");

    @Test
    void plain_everyCase_isPassed() throws Exception {
        Gateway gateway = Gateway.start(settings());
        try {
            int port = gateway.ports().get("websocket").getPort();
            fuzz("ws://127.0.0.1:" + port + "/ws?device=autobahn");
        } finally {
            gateway.shutdown();
            gateway.awaitTermination();
        }
        JsonNode cases = new ObjectMapper()
                .readTree(new File("target/autobahntestsuite-reports/index.json"))
                .get(AGENT);
        assertEquals(List.of(), failures(cases));
        assertEquals(CASES, cases.size(), "cases run");
    }

    private static void fuzz(String url) {
        // it answers with what it also writes to a file; its types are not for us to see
        AutobahnTestSuite.runFuzzingClient(AGENT, url, Map.of("version", 18), SECTIONS, List.of());
    }

    private static List<String> failures(JsonNode cases) {
        List<String> failures = new ArrayList<>();
        cases.fields().forEachRemaining(each -> {
            String behavior = each.getValue().get("behavior").asText();
            String close = each.getValue().get("behaviorClose").asText();
            if (!PASSED.contains(behavior) || !PASSED.contains(close)) {
                failures.add(each.getKey() + ": " + behavior + ", close " + close);
            }
        });
        return failures;
    }

    private static GatewaySettings settings() throws Exception {
        return ConfigLoader.load(
                null,
                Map.of(
                        "heartwheel.listeners.tcp.enabled", "false",
                        "heartwheel.listeners.websocket.bind", "127.0.0.1:0",
                        "heartwheel.admin.enabled", "false",
                        "heartwheel.sink.kind", "echo",
                        "heartwheel.protocol.max-payload", "1MiB",
                        "heartwheel.transport.write-watermark.high", "4MiB"),
                Map.of());
    }
}

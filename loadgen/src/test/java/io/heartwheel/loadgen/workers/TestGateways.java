package io.heartwheel.loadgen.workers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Gateways that tests start. */
public final class TestGateways {

    private TestGateways() {}

    /** Plain gateways: frames and WebSocket on free loopback ports, nothing said to anybody, no drain. */
    public static GatewaySetup loopback(Path jar, int count, List<String> settings, List<String> javaOptions) {
        List<String> all = new ArrayList<>(List.of(
                "  listeners.tcp.bind = \"127.0.0.1:0\"",
                "  listeners.websocket.bind = \"127.0.0.1:0\"",
                "  sink.kind = none",
                "  shutdown.drain = 0s"));
        all.addAll(settings);
        return new GatewaySetup(jar, count, List.of("tcp", "websocket"), all, javaOptions);
    }
}

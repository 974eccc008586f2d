package io.heartwheel.baseline;

import io.heartwheel.app.GatewayMain;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is measured: a server, one of its listeners, and how clients talk to it. */
enum Side {
    GATEWAY_TCP("gateway tcp", true, "tcp", Wire.HEARTWHEEL),
    BASELINE_TCP("baseline tcp", false, "tcp", Wire.PREFIXED),
    BASELINE_TCP_REGISTRY("baseline tcp, with a registry", false, "tcp", Wire.PREFIXED),
    GATEWAY_WS("gateway ws, heartwheel.v1", true, "websocket", Wire.HEARTWHEEL_WS),
    GATEWAY_PLAIN("gateway ws, plain", true, "websocket", Wire.WS_PING),
    BASELINE_WS("baseline ws", false, "websocket", Wire.WS_ECHO),
    BASELINE_WS_PING("baseline ws, native pings", false, "websocket", Wire.WS_PING),
    BASELINE_WS_REGISTRY("baseline ws, with a registry", false, "websocket", Wire.WS_ECHO);

    final String title;
    final String listener;
    final Wire wire;
    private final boolean gateway;

    Side(String title, boolean gateway, String listener, Wire wire) {
        this.title = title;
        this.gateway = gateway;
        this.listener = listener;
        this.wire = wire;
    }

    String fileName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Class<?> main() {
        return gateway ? GatewayMain.class : BaselineMain.class;
    }

    /**
     * The server's arguments: the reference configuration but for what a comparison must set.
     *
     * @param idleSeconds silence after which the baseline closes; the gateway's clients ask for their own
     */
    List<String> arguments(String transport, int loops, int idleSeconds, String portsFile) {
        if (gateway) {
            return List.of(
                    "--exit-with-stdin",
                    "-Dheartwheel.ports-file=" + portsFile,
                    "-Dheartwheel.transport.kind=" + transport,
                    "-Dheartwheel.transport.event-loops=" + loops,
                    "-Dheartwheel.listeners.tcp.bind=127.0.0.1:0",
                    "-Dheartwheel.listeners.websocket.bind=127.0.0.1:0",
                    "-Dheartwheel.admin.bind=127.0.0.1:0",
                    "-Dheartwheel.sink.kind=none",
                    "-Dheartwheel.shutdown.drain=0s");
        }
        List<String> arguments = new ArrayList<>(List.of(
                "--transport=" + transport, "--loops=" + loops, "--idle=" + idleSeconds, "--ports-file=" + portsFile));
        if (this == BASELINE_TCP_REGISTRY || this == BASELINE_WS_REGISTRY) {
            arguments.add("--registry");
        }
        return arguments;
    }
}

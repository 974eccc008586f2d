package io.heartwheel.process;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Ways for a connection to end, each brought about by a device or by the gateway's clock. A device has the gateway's interval, which has to be long;
 * one that is to fall silent asks for a short one.
 */
enum Ending {
    NORMAL_CLOSE("peer_closed", (gateway, device) -> WireClient.hello(gateway.tcp(), device)
            .send(WireFrame.CLOSE, (byte) 0x0f, (byte) 0xa0)),
    STREAM_ENDED("peer_closed", (gateway, device) -> {
        WireClient.hello(gateway.tcp(), device).close();
        return null;
    }),
    STREAM_ENDED_EARLY("peer_closed", (gateway, device) -> {
        WireClient.connect(gateway.tcp()).close();
        return null;
    }),
    WEBSOCKET_CLOSE("peer_closed", (gateway, device) -> WebSocketWire.plain(gateway.webSocket(), "/ws/" + device)
            .send(WebSocketWire.CLOSE, (byte) 3, (byte) 0xe8)),
    RESET("peer_reset", (gateway, device) -> {
        WireClient.hello(gateway.tcp(), device).reset();
        return null;
    }),
    SILENCE("heartbeat_timeout", Ending::silent),
    PLAIN_SILENCE(
            "heartbeat_timeout",
            (gateway, device) -> WebSocketWire.plain(gateway.webSocket(), "/ws/" + device + "?heartbeat_ms=1000")),
    STALL("read_stalled", (gateway, device) -> WireClient.hello(gateway.tcp(), device)
            .send((byte) WireFrame.DATA, (byte) 0)),
    NO_HELLO("handshake_timeout", (gateway, device) -> WireClient.connect(gateway.tcp())),
    NO_UPGRADE("handshake_timeout", (gateway, device) -> WebSocketWire.connect(gateway.webSocket())
            .send("GET /ws/" + device)),
    FAULT("unknown_type", (gateway, device) -> WireClient.hello(gateway.tcp(), device)
            .send((byte) 99)),
    FAULT_BEFORE_HELLO(
            "bad_magic", (gateway, device) -> WireClient.connect(gateway.tcp()).send((byte) 99)),
    NO_SUCH_PATH("bad_http", (gateway, device) -> {
        WebSocketWire peer = WebSocketWire.connect(gateway.webSocket());
        peer.request("/elsewhere", "");
        return peer;
    }),
    /** The successor falls silent. */
    TAKEN_OVER("taken_over", (gateway, device) -> {
        WireClient.hello(gateway.tcp(), device);
        return silent(gateway, device);
    }),
    OPERATOR("admin_closed", (gateway, device) -> {
        WireClient client = WireClient.hello(gateway.tcp(), device);
        gateway.admin("DELETE", "/v1/devices/" + device);
        return client;
    });

    private final String reason;
    private final Way way;

    Ending(String reason, Way way) {
        this.reason = reason;
        this.way = way;
    }

    /** Ends one connection of this device, now or when a deadline is due. */
    private interface Way {
        /** What must stay open until then; null if nothing. */
        AutoCloseable bringAbout(GatewayProcess gateway, String device) throws Exception;
    }

    private static WireClient silent(GatewayProcess gateway, String device) throws Exception {
        WireClient client = WireClient.connect(gateway.tcp());
        client.sayHello(device, 1_000, 0);
        return client;
    }

    /**
     * Each way so many times.
     *
     * @param open gets what must stay open until all are closed
     * @return closes by reason that have to come of it
     */
    static Map<String, Integer> each(GatewayProcess gateway, int times, List<AutoCloseable> open) throws Exception {
        Map<String, Integer> wanted = new TreeMap<>();
        for (Ending ending : values()) {
            for (int i = 0; i < times; i++) {
                // one at a time, so that none meets the limit
                Await.until("room", () -> gateway.metrics().connections() < 90);
                AutoCloseable left = ending.way.bringAbout(gateway, ending + "-" + i);
                if (left != null) {
                    open.add(left);
                }
            }
            wanted.merge(ending.reason, times, Integer::sum);
        }
        wanted.merge(SILENCE.reason, times, Integer::sum);
        return wanted;
    }
}

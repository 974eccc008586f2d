package io.heartwheel.process;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Ways for a connection to end, each brought about by a device or by the gateway's clock. */
enum Ending {
    NORMAL_CLOSE("peer_closed") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            WireClient client = WireClient.hello(gateway.tcp(), device);
            client.send(WireFrame.CLOSE, (byte) 0x0f, (byte) 0xa0);
            open.add(client);
        }
    },
    STREAM_ENDED("peer_closed") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            WireClient.hello(gateway.tcp(), device).close();
        }
    },
    STREAM_ENDED_EARLY("peer_closed") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            WireClient.connect(gateway.tcp()).close();
        }
    },
    WEBSOCKET_CLOSE("peer_closed") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            WebSocketWire peer = WebSocketWire.plain(gateway.webSocket(), "/ws/" + device);
            peer.send(WebSocketWire.CLOSE, (byte) 3, (byte) 0xe8);
            open.add(peer);
        }
    },
    RESET("peer_reset") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            WireClient.hello(gateway.tcp(), device).reset();
        }
    },
    SILENCE("heartbeat_timeout") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            open.add(WireClient.hello(gateway.tcp(), device));
        }
    },
    PLAIN_SILENCE("heartbeat_timeout") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            open.add(WebSocketWire.plain(gateway.webSocket(), "/ws/" + device));
        }
    },
    STALL("read_stalled") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            open.add(WireClient.hello(gateway.tcp(), device).send((byte) WireFrame.DATA, (byte) 0));
        }
    },
    NO_HELLO("handshake_timeout") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            open.add(WireClient.connect(gateway.tcp()));
        }
    },
    NO_UPGRADE("handshake_timeout") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            open.add(WebSocketWire.connect(gateway.webSocket()).send("GET /ws/" + device));
        }
    },
    FAULT("unknown_type") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            open.add(WireClient.hello(gateway.tcp(), device).send((byte) 99));
        }
    },
    FAULT_BEFORE_HELLO("bad_magic") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            open.add(WireClient.connect(gateway.tcp()).send((byte) 99));
        }
    },
    NO_SUCH_PATH("bad_http") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            WebSocketWire peer = WebSocketWire.connect(gateway.webSocket());
            peer.request("/elsewhere", "");
            open.add(peer);
        }
    },
    TAKEN_OVER("taken_over") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            WireClient.hello(gateway.tcp(), device);
            WireClient successor = WireClient.hello(gateway.tcp(), device);
            open.add(successor);
        }

        @Override
        void count(Map<String, Integer> wanted, int times) {
            super.count(wanted, times);
            // the successor falls silent
            wanted.merge(SILENCE.reason, times, Integer::sum);
        }
    },
    OPERATOR("admin_closed") {
        @Override
        void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception {
            open.add(WireClient.hello(gateway.tcp(), device));
            gateway.admin("DELETE", "/v1/devices/" + device);
        }
    };

    private final String reason;

    Ending(String reason) {
        this.reason = reason;
    }

    /** Ends one connection of this device, now or when a deadline is due. What must stay open until then goes to {@code open}. */
    abstract void bringAbout(GatewayProcess gateway, String device, List<AutoCloseable> open) throws Exception;

    void count(Map<String, Integer> wanted, int times) {
        wanted.merge(reason, times, Integer::sum);
    }

    /**
     * Each way so many times.
     *
     * @return closes by reason that have to come of it
     */
    static Map<String, Integer> each(GatewayProcess gateway, int times, List<AutoCloseable> open) throws Exception {
        Map<String, Integer> wanted = new TreeMap<>();
        for (Ending ending : values()) {
            for (int i = 0; i < times; i++) {
                String device = ending + "-" + i;
                // one at a time, so that none meets the limit
                Await.until("room", () -> gateway.metrics().connections() < 90);
                ending.bringAbout(gateway, device, open);
            }
            ending.count(wanted, times);
        }
        return wanted;
    }
}

package io.heartwheel.loadgen.conform;

/** One of the ways of the wire document in which a device speaks to a gateway. */
public enum Carrier {
    /** Frames back to back in a TCP stream. */
    TCP,
    /** Text messages of a WebSocket, subprotocol {@code heartwheel.json.v1}. */
    JSON;

    /** The value of HEARTWHEEL_URL for a port of the loopback address. */
    String url(int port) {
        return this == TCP ? "tcp://127.0.0.1:" + port : "ws://127.0.0.1:" + port + "/ws";
    }
}

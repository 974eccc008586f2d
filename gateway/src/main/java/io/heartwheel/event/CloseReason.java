package io.heartwheel.event;

import java.util.Arrays;
import java.util.List;

/**
 * Reason of a close: the closed list of section 6 of the protocol document, and the seven reasons that are only ever seen from
 * inside. Every connection ends with exactly one of them.
 *
 * <p>Immutable; any thread.
 */
public enum CloseReason {
    /** The sender is done. */
    NORMAL(4000, 1000, "normal"),
    /** No complete frame within interval x grace. */
    HEARTBEAT_TIMEOUT(4001, 4001, "heartbeat_timeout"),
    /** No complete frame within the reader-idle time. */
    READ_IDLE(4002, 4002, "read_idle"),
    /** A frame was begun and not finished in its time. */
    READ_STALLED(4003, 4003, "read_stalled"),
    /** The peer took no bytes within the write deadline. */
    WRITE_STALLED(4004, 4004, "write_stalled"),
    /** The connection reached its greatest age. */
    MAX_AGE(4005, 4005, "max_age"),
    /** No valid HELLO or upgrade in time. */
    HANDSHAKE_TIMEOUT(4006, 4006, "handshake_timeout"),
    /** Closed by the operator. */
    ADMIN_CLOSED(4007, 4007, "admin_closed"),
    /** What the device was admitted with has expired and was not renewed. */
    AUTH_EXPIRED(4008, 4008, "auth_expired"),
    /** The gateway is going down. */
    SHUTDOWN(4200, 1001, "shutdown"),
    /** The gateway holds as many connections as it may. */
    CONNECTION_LIMIT(4201, 4201, "connection_limit"),
    /** The gateway is short of memory or descriptors. */
    OVERLOADED(4202, 4202, "overloaded"),
    /** A fault of the gateway. */
    INTERNAL_ERROR(4203, 1011, "internal_error"),
    /** The peer sent faster than it may, for longer than it may. */
    RATE_EXCEEDED(4205, 4205, "rate_exceeded"),
    /** Nobody could say in time whether the device may come in. */
    AUTH_UNAVAILABLE(4206, 4206, "auth_unavailable"),
    /** Not admitted now; the same device may be later, with the same token or another. */
    UNAUTHORIZED_NOW(4207, 4207, "unauthorized_now"),
    /** Connections take this device id from each other again and again, and this one has to wait. */
    ID_CONFLICT(4208, 4208, "id_conflict"),
    /** The first bytes are not a HELLO. */
    BAD_MAGIC(4400, 4400, "bad_magic"),
    /** Not admitted, and not before something was changed. */
    UNAUTHORIZED(4401, 4401, "unauthorized"),
    /** A protocol version the gateway does not speak. */
    BAD_VERSION(4402, 4402, "bad_version"),
    /** A frame type outside the protocol. */
    UNKNOWN_TYPE(4404, 1003, "unknown_type"),
    /** A length over its limit. */
    TOO_LARGE(4405, 1009, "too_large"),
    /** A frame that breaks the protocol. */
    MALFORMED(4406, 1002, "malformed"),
    /** A second HELLO. */
    DUPLICATE_HELLO(4407, 4407, "duplicate_hello"),
    /** Another frame before HELLO. */
    HELLO_EXPECTED(4408, 4408, "hello_expected"),
    /** A newer connection has this device id. */
    TAKEN_OVER(4409, 4409, "taken_over"),
    /** Text that is not UTF-8. */
    BAD_UTF8(4410, 1007, "bad_utf8"),
    /** HTTP that is not a proper upgrade. */
    BAD_HTTP(4411, 4411, "bad_http"),
    /** A device id outside the protocol. */
    BAD_IDENTITY(4412, 4412, "bad_identity"),
    /** A web page of another origin. */
    FOREIGN_ORIGIN(4413, 4413, "foreign_origin"),
    /** The device said CLOSE or ended its stream. Never on the wire. */
    PEER_CLOSED(0, 0, "peer_closed"),
    /** The connection broke. Never on the wire. */
    PEER_RESET(0, 0, "peer_reset"),
    /** The TLS handshake failed. Never on the wire. */
    TLS_FAILED(0, 0, "tls_failed"),
    /** No good PROXY header of a trusted balancer came first. Never on the wire. */
    PROXY_FAILED(0, 0, "proxy_failed"),
    /** The gateway ended and said nothing of it: a later one says it of a device that did not come back. Never on the wire. */
    GATEWAY_LOST(0, 0, "gateway_lost"),
    /** Its gateway of the fleet is lost, and another gateway says it. Never on the wire. */
    NODE_LOST(0, 0, "node_lost"),
    /** Its gateway of the fleet ended in order and left the id behind, and another gateway says it. Never on the wire. */
    NODE_ENDED(0, 0, "node_ended");

    /** Permission to come back after a close, told by the range of the code. */
    public enum Reconnect {
        /** At once, with jitter: 4000 to 4199. */
        AT_ONCE,
        /** Later, in the retry window: 4200 to 4399. */
        LATER,
        /** Not before something was changed: 4400 to 4599. */
        NEVER
    }

    private static final List<CloseReason> ALL = List.of(values());

    private final int wireCode;
    private final int webSocketCode;
    private final String label;

    CloseReason(int wireCode, int webSocketCode, String label) {
        this.wireCode = wireCode;
        this.webSocketCode = webSocketCode;
        this.label = label;
    }

    /** The code in CLOSE and GOAWAY, 4000 to 4599; 0 for a reason that is never sent. */
    public int wireCode() {
        return wireCode;
    }

    /** The code of a plain WebSocket close frame: that of RFC 6455 section 7.4.1 where it has one, else {@link #wireCode()}. */
    public int webSocketCode() {
        return webSocketCode;
    }

    /** Lower-case name in metrics and events. */
    public String label() {
        return label;
    }

    /** Whether the reason can stand in a CLOSE frame. */
    public boolean onWire() {
        return wireCode != 0;
    }

    /** Whether the gateway's clock decided: one of the deadlines of section 4 of the protocol document. */
    public boolean isDeadline() {
        return switch (this) {
            case HEARTBEAT_TIMEOUT, READ_IDLE, READ_STALLED, WRITE_STALLED, MAX_AGE, HANDSHAKE_TIMEOUT, AUTH_EXPIRED ->
                true;
            default -> false;
        };
    }

    /** Whether the gateway's clock took the peer for dead or stuck. */
    public boolean findsTheDead() {
        return isDeadline() && this != MAX_AGE && this != AUTH_EXPIRED;
    }

    /** What the device may do after this close; {@link Reconnect#AT_ONCE} for reasons that are never sent. */
    public Reconnect reconnect() {
        if (wireCode >= 4400) {
            return Reconnect.NEVER;
        }
        return wireCode >= 4200 ? Reconnect.LATER : Reconnect.AT_ONCE;
    }

    /** All reasons in order of declaration, without the copy that {@code values()} makes. */
    public static List<CloseReason> all() {
        return ALL;
    }

    /**
     * The reason with this label.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static CloseReason ofLabel(String label) {
        return Arrays.stream(values())
                .filter(reason -> reason.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("reason = " + label + ": need one of "
                        + ALL.stream().map(CloseReason::label).toList()));
    }
}

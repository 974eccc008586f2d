package io.heartwheel.loadgen.wire;

import java.util.Locale;

/**
 * Reason codes of MQTT 5 (section 2.4) and return codes of a 3.1.1 CONNACK (section 3.2.2.3), as far as a server says them to
 * a client.
 */
public final class MqttCodes {

    /** DISCONNECT with reason code 0x00; that number means "no code" everywhere else. */
    public static final int NORMAL_DISCONNECTION = 0x100;

    public static final int MALFORMED_PACKET = 0x81;
    public static final int PROTOCOL_ERROR = 0x82;
    /** Nothing was heard in one and a half times the keep-alive. */
    public static final int KEEP_ALIVE_TIMEOUT = 0x8D;
    /** Another connection has this client id now. */
    public static final int SESSION_TAKEN_OVER = 0x8E;

    static final int PACKET_TOO_LARGE = 0x95;

    private static final int LEAST_ERROR = 0x80;

    private static final String[] RETURN_CODES =
            (", unacceptable protocol version, identifier rejected, server unavailable, "
                            + "bad user name or password, not authorized")
                    .split(", ", -1);

    private static final String[] NAMES =
            ("unspecified error, malformed packet, protocol error, implementation specific error, "
                            + "unsupported protocol version, client identifier not valid, bad user name or password, "
                            + "not authorized, server unavailable, server busy, banned, server shutting down, "
                            + "bad authentication method, keep alive timeout, session taken over, "
                            + "topic filter invalid, topic name invalid, packet identifier in use, "
                            + "packet identifier not found, receive maximum exceeded, topic alias invalid, "
                            + "packet too large, message rate too high, quota exceeded, administrative action, "
                            + "payload format invalid, retain not supported, QoS not supported, use another server, "
                            + "server moved, shared subscriptions not supported, connection rate exceeded, "
                            + "maximum connect time, subscription identifiers not supported, "
                            + "wildcard subscriptions not supported")
                    .split(", ", -1);

    private MqttCodes() {}

    /** Number and name as the specification has them: {@code keep alive timeout (0x8D)}; the bare number if it has none. */
    public static String name(int code) {
        if (code == NORMAL_DISCONNECTION) {
            return "normal disconnection (0x00)";
        }
        if (code > 0 && code < RETURN_CODES.length) {
            return RETURN_CODES[code];
        }
        return code >= LEAST_ERROR && code < LEAST_ERROR + NAMES.length
                ? NAMES[code - LEAST_ERROR] + String.format(Locale.ROOT, " (0x%02X)", code)
                : Integer.toString(code);
    }

    /** Whether a client that gets this code stays away until something was changed. */
    public static boolean staysAway(int code) {
        return switch (code) {
            case 1, 2, 4, 5, 0x81, 0x82, 0x84, 0x85, 0x86, 0x87, 0x8A, 0x8C, SESSION_TAKEN_OVER, 0x8F, 0x90 -> true;
            default -> false;
        };
    }
}

package io.heartwheel.loadgen.wire;

import static java.util.Map.entry;

import java.util.Map;

/** The close codes of section 6 that the load generator expects or explains. */
public final class CloseCodes {

    /** The sender is done. */
    public static final int NORMAL = 4000;
    /** No complete frame in interval x grace. */
    public static final int HEARTBEAT_TIMEOUT = 4001;
    /** A message was begun and not finished in its time. */
    public static final int READ_STALLED = 4003;
    /** The device took no bytes in time. */
    public static final int WRITE_STALLED = 4004;
    /** No valid HELLO or upgrade in time. */
    public static final int HANDSHAKE_TIMEOUT = 4006;
    /** The token has expired and was not renewed. */
    public static final int AUTH_EXPIRED = 4008;
    /** Too many, now. */
    public static final int OVERLOADED = 4202;
    /** Nobody could say in time whether the device may come in. */
    public static final int AUTH_UNAVAILABLE = 4206;
    /** Not admitted now, but it may try again. */
    public static final int UNAUTHORIZED_NOW = 4207;
    /** Connections with this device id displace each other too often. */
    public static final int ID_CONFLICT = 4208;
    /** Not admitted. */
    public static final int UNAUTHORIZED = 4401;
    /** A newer connection has this device id. */
    public static final int TAKEN_OVER = 4409;
    /** A frame that breaks the document. */
    public static final int MALFORMED = 4406;
    /** No code was seen: the stream ended or broke without one. */
    public static final int NONE = 0;

    static final int UNKNOWN_TYPE = 4404;
    static final int TOO_LARGE = 4405;
    static final int BAD_UTF8 = 4410;
    static final int BAD_IDENTITY = 4412;
    static final int BAD_VERSION = 4402;
    static final int BAD_MAGIC = 4400;
    static final int BAD_HTTP = 4411;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            entry(NONE, "no code"),
            entry(NORMAL, "NORMAL"),
            entry(HEARTBEAT_TIMEOUT, "HEARTBEAT_TIMEOUT"),
            entry(4002, "READ_IDLE"),
            entry(READ_STALLED, "READ_STALLED"),
            entry(WRITE_STALLED, "WRITE_STALLED"),
            entry(4005, "MAX_AGE"),
            entry(HANDSHAKE_TIMEOUT, "HANDSHAKE_TIMEOUT"),
            entry(4007, "ADMIN_CLOSED"),
            entry(AUTH_EXPIRED, "AUTH_EXPIRED"),
            entry(4200, "SHUTDOWN"),
            entry(4201, "CONNECTION_LIMIT"),
            entry(OVERLOADED, "OVERLOADED"),
            entry(4203, "INTERNAL_ERROR"),
            entry(4205, "RATE_EXCEEDED"),
            entry(AUTH_UNAVAILABLE, "AUTH_UNAVAILABLE"),
            entry(UNAUTHORIZED_NOW, "UNAUTHORIZED_NOW"),
            entry(ID_CONFLICT, "ID_CONFLICT"),
            entry(BAD_MAGIC, "BAD_MAGIC"),
            entry(UNAUTHORIZED, "UNAUTHORIZED"),
            entry(BAD_VERSION, "BAD_VERSION"),
            entry(UNKNOWN_TYPE, "UNKNOWN_TYPE"),
            entry(TOO_LARGE, "TOO_LARGE"),
            entry(MALFORMED, "MALFORMED"),
            entry(4407, "DUPLICATE_HELLO"),
            entry(4408, "HELLO_EXPECTED"),
            entry(TAKEN_OVER, "TAKEN_OVER"),
            entry(BAD_UTF8, "BAD_UTF8"),
            entry(BAD_HTTP, "BAD_HTTP"),
            entry(BAD_IDENTITY, "BAD_IDENTITY"),
            entry(4413, "FOREIGN_ORIGIN"));

    private CloseCodes() {}

    /** Whether a device that gets this code stays away until something was changed; native ones of RFC 6455 among them. */
    public static boolean staysAway(int code) {
        return switch (code) {
            case 1002, 1003, 1007, 1009 -> true;
            default -> code >= 4400;
        };
    }

    /** The code's name in the document, {@code "no code"} for {@link #NONE}, else the bare number. */
    public static String name(int code) {
        return NAMES.getOrDefault(code, Integer.toString(code));
    }
}

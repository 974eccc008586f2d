package io.heartwheel.loadgen.wire;

import java.util.stream.Stream;

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

    /** The names of the codes from 4000, 4200 and 4400 on, in their order; nobody uses 4204 and 4403. */
    private static final String[][] NAMES = Stream.of(
                    "NORMAL HEARTBEAT_TIMEOUT READ_IDLE READ_STALLED WRITE_STALLED MAX_AGE HANDSHAKE_TIMEOUT ADMIN_CLOSED"
                            + " AUTH_EXPIRED",
                    "SHUTDOWN CONNECTION_LIMIT OVERLOADED INTERNAL_ERROR 4204 RATE_EXCEEDED AUTH_UNAVAILABLE"
                            + " UNAUTHORIZED_NOW ID_CONFLICT",
                    "BAD_MAGIC UNAUTHORIZED BAD_VERSION 4403 UNKNOWN_TYPE TOO_LARGE MALFORMED DUPLICATE_HELLO HELLO_EXPECTED"
                            + " TAKEN_OVER BAD_UTF8 BAD_HTTP BAD_IDENTITY FOREIGN_ORIGIN")
            .map(names -> names.split(" ", -1))
            .toArray(String[][]::new);

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
        int hundred = (code - NORMAL) / 200;
        int at = (code - NORMAL) % 200;
        boolean known = code >= NORMAL && hundred < NAMES.length && at < NAMES[hundred].length;
        return known ? NAMES[hundred][at] : code == NONE ? "no code" : Integer.toString(code);
    }
}

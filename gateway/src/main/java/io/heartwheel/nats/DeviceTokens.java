package io.heartwheel.nats;

import java.util.Base64;
import java.util.HexFormat;
import java.util.zip.CRC32;

/** Tokens of a subject that stand for a device id, which may hold what a subject may not. Any thread. */
public final class DeviceTokens {
    private static final HexFormat HEX = HexFormat.of();

    private DeviceTokens() {}

    /** One of 256: two hexadecimal digits, the lowest of the id's CRC-32. */
    public static String hash(byte[] deviceId) {
        CRC32 sum = new CRC32();
        sum.update(deviceId);
        return HEX.toHexDigits((byte) sum.getValue());
    }

    /** The id in base64url, without padding. */
    public static String whole(byte[] deviceId) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(deviceId);
    }
}

package io.heartwheel.loadgen.uplink;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signature of a webhook's request: {@code t=<unix seconds>,v1=<hex>}, where {@code v1} is the HMAC-SHA256 of the time, a dot
 * and the body. There may be several {@code v1}, of which one has to be right: the sender is changing its secret. Stateless;
 * any thread.
 */
final class WebhookSignature {

    static final String HEADER = "Heartwheel-Signature";

    /** A request may be as old, or as much ahead. */
    static final long MOST_SECONDS = 300;

    private static final String ALGORITHM = "HmacSHA256";

    private WebhookSignature() {}

    /** Whether one of the signatures in a header is right, and its time near. */
    static boolean isValid(@Nullable String header, byte[] body, String secret, long nowSeconds) {
        if (header == null) {
            return false;
        }
        String time = "";
        boolean right = false;
        for (String part : header.split(",", -1)) {
            String text = part.strip();
            if (text.startsWith("t=")) {
                time = text.substring(2);
            } else if (text.startsWith("v1=")) {
                right |= MessageDigest.isEqual(
                        text.substring(3).getBytes(StandardCharsets.US_ASCII),
                        of(time, body, secret).getBytes(StandardCharsets.US_ASCII));
            }
        }
        return right && isNear(time, nowSeconds);
    }

    private static boolean isNear(String time, long nowSeconds) {
        try {
            return Math.abs(Long.parseLong(time) - nowSeconds) <= MOST_SECONDS;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** The HMAC-SHA256 of a time, a dot and a body, in lower-case hex. */
    static String of(String time, byte[] body, String secret) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            mac.update((time + ".").getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no " + ALGORITHM, e);
        }
    }
}

package io.heartwheel.loadgen.uplink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class WebhookSignatureTest {

    private static final byte[] BODY = "[{}]".getBytes(StandardCharsets.UTF_8);
    private static final long NOW = 1_700_000_000L;

    private static boolean valid(String header) {
        return WebhookSignature.isValid(header, BODY, "key", NOW);
    }

    private static String v1(long seconds, String secret) {
        return "v1=" + WebhookSignature.of(Long.toString(seconds), BODY, secret);
    }

    /** By {@code printf '1700000000.[{}]' | openssl dgst -sha256 -hmac key}. */
    @Test
    void of_knownText_isWhatOpensslSays() {
        assertEquals(
                "33636f09095dbe949cba048be4a555f24b06fb6b8393e27da077be1726e84c5a",
                WebhookSignature.of("1700000000", BODY, "key"));
    }

    @Test
    void isValid_rightOne_isTaken() {
        assertTrue(valid("t=" + NOW + "," + v1(NOW, "key")));
        assertTrue(valid("t=" + NOW + ", v1=00," + v1(NOW, "key")), "of two secrets one is right");
    }

    @Test
    void isValid_wrongOne_isNotTaken() {
        assertFalse(WebhookSignature.isValid(null, BODY, "key", NOW));
        assertFalse(valid(""));
        assertFalse(valid("t=" + NOW + "," + v1(NOW, "another")));
        assertFalse(valid("t=" + (NOW + 1) + "," + v1(NOW, "key")), "the time is signed too");
        assertFalse(valid(v1(NOW, "key")), "without a time");
        assertFalse(valid("t=soon,v1=" + WebhookSignature.of("soon", BODY, "key")));
        long old = NOW - WebhookSignature.MOST_SECONDS - 1;
        assertFalse(valid("t=" + old + "," + v1(old, "key")), "too old");
    }
}

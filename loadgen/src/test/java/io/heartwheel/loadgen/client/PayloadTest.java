package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.Payload.Kind;
import org.junit.jupiter.api.Test;

/** Sizes of messages, and the moments at which devices turn. */
final class PayloadTest {

    private static final double JUST_BELOW_ONE = Math.nextDown(1.0);

    @Test
    void bytes_fixed_isTheSmallest() {
        assertEquals(64, new Payload(Kind.FIXED, 64, 1_000).bytes(0.7));
    }

    @Test
    void bytes_uniform_reachesBothEndsAndEachSizeAlike() {
        Payload payload = new Payload(Kind.UNIFORM, 10, 13);
        assertEquals(10, payload.bytes(0));
        assertEquals(10, payload.bytes(0.2499));
        assertEquals(11, payload.bytes(0.25));
        assertEquals(13, payload.bytes(JUST_BELOW_ONE));
    }

    @Test
    void bytes_logUniform_staysWithinAndGivesEachMagnitudeAlike() {
        for (Payload payload : new Payload[] {
            new Payload(Kind.LOG_UNIFORM, 0, 65_536),
            new Payload(Kind.LOG_UNIFORM, 9, 9_999),
            new Payload(Kind.LOG_UNIFORM, 5, 5)
        }) {
            int before = 0;
            for (double unit = 0; unit < 1; unit += 0.0001) {
                int bytes = payload.bytes(unit);
                assertTrue(
                        bytes >= payload.least() && bytes <= payload.most() && bytes >= before, payload + ": " + bytes);
                before = bytes;
            }
            assertEquals(payload.least(), payload.bytes(0));
            assertEquals(payload.most(), payload.bytes(JUST_BELOW_ONE), 1);
        }
        assertEquals(100, new Payload(Kind.LOG_UNIFORM, 9, 9_999).bytes(1 / 3.0), 2);
    }

    @Test
    void payload_upsideDown_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Payload(Kind.FIXED, 2, 1));
        assertThrows(IllegalArgumentException.class, () -> new Payload(Kind.FIXED, -1, 1));
    }

    @Test
    void moment_devices_spreadEvenlyOverTheSpan() {
        ActionTime moment = new ActionTime(1_000, 2_000);
        for (long at = 1_000; at <= 2_000; at += 100) {
            int come = 0;
            for (int i = 0; i < 1_000; i++) {
                come += moment.hasCome(i, at) ? 1 : 0;
            }
            assertEquals(at - 1_000.0, come, 5.0, "at " + at);
        }
        assertFalse(moment.hasCome(0, 999));
        assertFalse(moment.hasCome(0, Long.MIN_VALUE / 2));
    }

    @Test
    void moment_upsideDown_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new ActionTime(2, 1));
        assertThrows(IllegalArgumentException.class, () -> new ActionTime(-1, 1));
    }
}

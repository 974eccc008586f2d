package io.heartwheel.presence;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.ConnectionEvent.Lost;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PresenceRowTest {
    private static final Identity DEVICE = new Identity("müller", 7, -3);
    private static final byte[] VALUE = PresenceRow.value(DEVICE, 1_700);

    @Test
    void read_whatWasWritten_isTheLostSession() {
        byte[] key = PresenceRow.key(4, 7);

        Lost lost = PresenceRow.read(key, VALUE, 2_000);

        assertEquals(new Lost(DEVICE, 2_000, 4, 1_700), lost);
        assertArrayEquals(key, PresenceRow.key(lost));
    }

    @Test
    void key_ofALaterIncarnation_standsBehind() {
        byte[] older = PresenceRow.key(255, Long.MAX_VALUE);
        assertTrue(Arrays.compareUnsigned(older, PresenceRow.key(256, 1)) < 0);
        assertEquals(255, PresenceRow.incarnation(older));
    }

    @Test
    void read_whatIsNone_isNull() {
        byte[] otherForm = VALUE.clone();
        otherForm[0] = 2;

        assertNull(PresenceRow.read(new byte[3], VALUE, 1));
        assertNull(PresenceRow.read(PresenceRow.key(1, 1), otherForm, 1));
        assertNull(PresenceRow.read(PresenceRow.key(1, 1), Arrays.copyOf(VALUE, 16), 1));
        assertNull(PresenceRow.read(PresenceRow.key(1, 1), new byte[0], 1));
    }
}

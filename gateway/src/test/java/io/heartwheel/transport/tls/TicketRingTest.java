package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Life of ticket keys: new, sealing, opening only, gone. */
class TicketRingTest {
    private static final long HOUR = 3_600_000;
    private static final long START = 1_000 * HOUR;
    private static final long LEAD = TicketRing.LEAD_MILLIS;

    private final SecureRandom random = new SecureRandom();

    @Test
    void rotated_empty_hasAKeyThatSealsAtOnce() {
        assertTrue(TicketRing.empty().isDue(START, HOUR));

        TicketRing ring = TicketRing.empty().rotated(START, HOUR, random);
        assertEquals(START, ring.currentSinceMillis(START));
        assertFalse(ring.isDue(START, HOUR));
    }

    @Test
    void isDue_nextKey_isMadeKnownBeforeItSeals() {
        TicketRing ring = TicketRing.empty().rotated(START, HOUR, random);
        long due = START + HOUR - LEAD;
        assertFalse(ring.isDue(due - 1, HOUR));
        assertTrue(ring.isDue(due, HOUR));

        TicketRing next = ring.rotated(due, HOUR, random);
        assertEquals(START, next.currentSinceMillis(due));
        assertEquals(START, next.currentSinceMillis(START + HOUR - 1));
        assertEquals(START + HOUR, next.currentSinceMillis(START + HOUR));
        assertArrayEquals(next.keys().get(1).forOpenSsl().name(), next.forOpenSsl(due)[0].name());
        assertEquals(2, next.forOpenSsl(due).length);
    }

    @Test
    void rotated_overAndOver_keepsEachKeyTwoToThreeRotations() {
        TicketRing ring = TicketRing.empty();
        TicketKey third = null;
        long thirdGone = 0;
        for (long now = START; now < START + 20 * HOUR; now += 1_000) {
            if (ring.isDue(now, HOUR)) {
                ring = ring.rotated(now, HOUR, random);
                assertTrue(ring.keys().size() <= 2 + TicketRing.OLD, ring.keys()::toString);
                third = ring.keys().size() == 3 && third == null ? ring.keys().get(0) : third;
            }
            if (third != null && thirdGone == 0 && !ring.keys().contains(third)) {
                thirdGone = now;
            }
        }
        long lifeMillis = thirdGone - third.activeMillis();
        assertTrue(lifeMillis >= 3 * HOUR - LEAD - 1_000 && lifeMillis <= 3 * HOUR, () -> "" + lifeMillis);
    }

    @Test
    void rotated_afterALongPause_forgetsWhatIsTooOld() {
        TicketRing ring = TicketRing.empty().rotated(START, HOUR, random);

        TicketRing later = ring.rotated(START + 100 * HOUR, HOUR, random);
        assertEquals(1, later.keys().size());
        assertEquals(START + 100 * HOUR, later.currentSinceMillis(START + 100 * HOUR));
    }

    @Test
    void current_clockWentBack_sealsWithTheFirstToCome() {
        TicketRing ring = TicketRing.empty().rotated(START, HOUR, random);

        assertEquals(START, ring.currentSinceMillis(START - 50 * HOUR));
        assertFalse(ring.isDue(START - 50 * HOUR, HOUR));
    }

    @Test
    void line_key_isReadAgain() {
        TicketKey key = TicketKey.create(START, random);

        assertEquals(key, TicketKey.parse(key.line()));
        assertFalse(key.toString().contains(key.line().substring(20)), key::toString);
    }

    @Test
    void order_keys_isNewestFirst() {
        TicketKey old = TicketKey.create(START, random);
        TicketKey young = TicketKey.create(START + 1, random);

        assertEquals(List.of(young, old), new TicketRing(List.of(old, young)).keys());
    }
}

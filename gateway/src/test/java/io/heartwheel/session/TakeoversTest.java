package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.session.Directory.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Who takes an id over and who has to wait, under a clock that the test moves. */
class TakeoversTest {
    private static final long SECOND = 1_000_000_000;

    private final Takeovers takeovers = new Takeovers();
    private long nowNanos = Long.MAX_VALUE - 5 * SECOND; // and over the edge

    private void takesOver(String device, int times) {
        for (int i = 0; i < times; i++) {
            assertNull(takeovers.claim(device, nowNanos), () -> "takeover of " + device);
        }
    }

    private double waitSeconds(String device) {
        return Objects.requireNonNull(takeovers.claim(device, nowNanos)).nanos() / 1e9;
    }

    private void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    @Test
    void claim_fifthWithinAMinute_waitsAndNobodyElse() {
        takesOver("d", 4);
        Wait wait = takeovers.claim("d", nowNanos);
        assertEquals(new Wait(2 * SECOND, true), wait);
        takesOver("other", 4);
        assertEquals(1, takeovers.conflicts(nowNanos));
    }

    @Test
    void claim_fourthWithinAMinuteEachTime_neverWaits() {
        for (int i = 0; i < 40; i++) {
            takesOver("d", 1);
            pass(Duration.ofSeconds(15));
        }
        assertEquals(0, takeovers.conflicts(nowNanos));
    }

    @Test
    void claim_whileSomebodyWaits_endsAtTheSameTime() {
        takesOver("d", 4);
        assertEquals(2, waitSeconds("d"));
        pass(Duration.ofMillis(1_500));
        for (int i = 0; i < 1_000; i++) {
            assertEquals(new Wait(SECOND / 2, false), takeovers.claim("d", nowNanos));
        }
        pass(Duration.ofMillis(500));
        takesOver("d", 1);
    }

    /** Rivals that never give up: each takeover after a longer wait, 40 s in the end. */
    @Test
    void claim_againAndAgain_waitsLongerUpToFortySeconds() {
        takesOver("d", 4);
        List<Double> waits = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            double seconds = waitSeconds("d");
            waits.add(seconds);
            // as late as it is told to come at the latest
            pass(Duration.ofMillis((long) (1_500 * seconds)));
            takesOver("d", 1);
        }
        assertEquals(List.of(2.0, 4.0, 8.0, 16.0, 32.0, 40.0, 40.0, 40.0), waits);
        assertEquals(1, takeovers.conflicts(nowNanos));
    }

    @Test
    void claim_aMinuteAfterTheLast_countsFromTheBeginning() {
        takesOver("d", 4);
        assertEquals(2, waitSeconds("d"));
        pass(Duration.ofSeconds(2));
        takesOver("d", 1);
        pass(Duration.ofSeconds(60));
        assertEquals(0, takeovers.conflicts(nowNanos));
        takesOver("d", 4);
        assertNotNull(takeovers.claim("d", nowNanos));
    }

    @Test
    void claim_ofMoreIdsThanAreRemembered_forgetsTheOldest() {
        takesOver("first", 4);
        for (int i = 0; i < Takeovers.MOST; i++) {
            takesOver("d" + i, 1);
            assertTrue(takeovers.size() <= Takeovers.MOST);
        }
        assertEquals(Takeovers.MOST, takeovers.size());
        takesOver("first", 4);
        pass(Duration.ofMinutes(1));
        takesOver("d", 1);
        assertEquals(1, takeovers.size());
    }
}

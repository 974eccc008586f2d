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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Takeovers of ids and waits for them, under a clock that the test moves. */
class TakeoversTest {
    private static final long SECOND = 1_000_000_000;

    private final Takeovers takeovers = new Takeovers();
    private long nowNanos = Long.MAX_VALUE - 5 * SECOND; // and over the edge
    /** The session that has the id. */
    private long holder;

    private @Nullable Wait claim(String device) {
        Wait wait = takeovers.claim(device, holder, nowNanos);
        if (wait == null) {
            holder++;
        }
        return wait;
    }

    private void takesOver(String device, int times) {
        for (int i = 0; i < times; i++) {
            assertNull(claim(device), () -> "takeover of " + device);
        }
    }

    private double waitSeconds(String device) {
        return Objects.requireNonNull(claim(device)).nanos() / 1e9;
    }

    /** Rivals until the wait is the longest: each comes back at once, and then as late as it is told to at the latest. */
    private List<Double> fightFor(String device) {
        takesOver(device, 4);
        List<Double> waits = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            double seconds = waitSeconds(device);
            waits.add(seconds);
            pass(Duration.ofMillis((long) (1_500 * seconds)));
            takesOver(device, 1);
        }
        return waits;
    }

    private void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    @Test
    void claim_fifthWithinAMinute_waitsAndNobodyElse() {
        takesOver("d", 4);
        assertEquals(new Wait(2 * SECOND, true), claim("d"));
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
            assertEquals(new Wait(SECOND / 2, false), claim("d"));
        }
        pass(Duration.ofMillis(500));
        takesOver("d", 1);
    }

    @Test
    void claim_byRivalsAgainAndAgain_waitsLongerUpToFortySeconds() {
        assertEquals(List.of(2.0, 4.0, 8.0, 16.0, 32.0, 40.0, 40.0, 40.0), fightFor("d"));
        assertEquals(1, takeovers.conflicts(nowNanos));
    }

    /** Rivals that come back some seconds after they were displaced, and as soon as they may: slow in the end, if not as slow as they are at a time. */
    @Test
    void claim_byRivalsThatTakeTheirTime_isSlowedAsWell() {
        for (int pause : new int[] {1, 5, 10, 14}) {
            String device = "d" + pause;
            long endNanos = nowNanos + Duration.ofHours(1).toNanos();
            int takeoversInAnHour = 0;
            while (endNanos - nowNanos > 0) {
                pass(Duration.ofSeconds(pause));
                Wait wait = claim(device);
                if (wait != null) {
                    pass(Duration.ofNanos(wait.nanos()));
                    takesOver(device, 1);
                }
                takeoversInAnHour++;
            }
            assertTrue(takeoversInAnHour < 100, device + ": " + takeoversInAnHour);
            assertTrue(takeovers.conflicts(nowNanos) >= 1);
        }
    }

    /** A device alone, each connection of which dies behind its back. */
    @Test
    void claim_everyFifteenSecondsOrLess_waitsForNobodyAnyMore() {
        for (int seconds : new int[] {15, 20, 30, 45, 59}) {
            String device = "d" + seconds;
            fightFor(device);
            for (int i = 0; i < 60; i++) {
                pass(Duration.ofSeconds(seconds));
                takesOver(device, 1);
            }
            assertEquals(0, takeovers.conflicts(nowNanos));
        }
    }

    /** Who waits, waits for the one that had the id then. */
    @Test
    void claim_ofAnotherHolder_doesNotWaitForTheOneThatEnded() {
        fightFor("d");
        assertEquals(40, waitSeconds("d"));
        pass(Duration.ofSeconds(16));
        holder++;
        takesOver("d", 1);
        assertEquals(40, waitSeconds("d"));
    }

    @Test
    void claim_afterItWasForgotten_countsFromTheBeginning() {
        fightFor("d");
        assertEquals(40, waitSeconds("d"));
        takeovers.forget("d");
        assertEquals(0, takeovers.conflicts(nowNanos));
        takesOver("d", 4);
        assertEquals(new Wait(2 * SECOND, true), claim("d"));
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
        assertNotNull(claim("d"));
    }

    // ---- at two gateways

    /** Takes the id at one gateway, and the other hears of it. */
    private double takesOver(Takeovers here, Takeovers there, long holderEpoch) {
        double waited = 0;
        for (Wait wait = here.claim("d", holderEpoch, nowNanos);
                wait != null;
                wait = here.claim("d", holderEpoch, nowNanos)) {
            waited += wait.nanos() / 1e9;
            nowNanos += wait.nanos();
        }
        nowNanos += SECOND / 100;
        there.takenElsewhere("d", holderEpoch + 1, here.waitNanos("d"), nowNanos);
        there.takenElsewhere("d", holderEpoch + 1, here.waitNanos("d"), nowNanos); // the kick comes twice
        return waited;
    }

    @Test
    void takenElsewhere_byRivalsAtTwoGateways_waitsAsAtOne() {
        Takeovers[] gateways = {new Takeovers(), new Takeovers()};
        List<Double> waits = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            waits.add(takesOver(gateways[i % 2], gateways[1 - i % 2], 100 + i));
        }
        assertEquals(List.of(0.0, 0.0, 0.0, 0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 40.0, 40.0, 40.0), waits);
        assertEquals(1, gateways[0].conflicts(nowNanos));
        assertEquals(1, gateways[1].conflicts(nowNanos));
        pass(Duration.ofSeconds(15));
        assertEquals(0, takesOver(gateways[0], gateways[1], 200), "who comes late waits for nobody");
        assertEquals(20 * SECOND, gateways[0].waitNanos("d"));
        assertEquals(20 * SECOND, gateways[1].waitNanos("d"));
    }

    @Test
    void takenElsewhere_everyFifteenSeconds_isNoConflict() {
        Takeovers[] gateways = {new Takeovers(), new Takeovers()};
        for (int i = 0; i < 40; i++) {
            assertEquals(0, takesOver(gateways[i % 2], gateways[1 - i % 2], 100 + i));
            pass(Duration.ofSeconds(15));
        }
        assertEquals(0, gateways[0].conflicts(nowNanos) + gateways[1].conflicts(nowNanos));
    }

    /** Somebody waits here for a session that is taken over elsewhere meanwhile. */
    @Test
    void takenElsewhere_whileSomebodyWaits_endsThatWait() {
        fightFor("d");
        assertEquals(40, waitSeconds("d"));
        takeovers.takenElsewhere("d", 900, 0, nowNanos);
        holder = 900;
        assertEquals(40, waitSeconds("d"), "a wait of its own, for the one that has the id now");
        pass(Duration.ofSeconds(40));
        takesOver("d", 1);
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

package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WheelSettingsTest {

    private static String refusal(Duration tick, int buckets, int maxEntries, int slice) {
        return assertThrows(IllegalArgumentException.class, () -> new WheelSettings(tick, buckets, maxEntries, slice))
                .getMessage();
    }

    @Test
    void defaults_areAccepted() {
        WheelSettings settings = WheelSettings.defaults();
        assertEquals(settings.tick().toNanos(), settings.tickNanos());
        assertTrue(settings.tick().toMillis() <= 50);
    }

    @Test
    void create_ticksAtTheEdges_areAccepted() {
        assertEquals(1_000_000, new WheelSettings(Duration.ofMillis(1), 64, 1).tickNanos());
        assertEquals(1_000_000_000, new WheelSettings(Duration.ofSeconds(1), 1 << 20, 1 << 28).tickNanos());
    }

    @Test
    void create_tickOutOfRange_namesKeyValueAndRange() {
        assertEquals("wheel.tick = 999us: need 1ms..1s", refusal(Duration.ofNanos(999_000), 64, 1, 1));
        assertEquals("wheel.tick = 999999ns: need 1ms..1s", refusal(Duration.ofNanos(999_999), 64, 1, 1));
        assertEquals("wheel.tick = 1001ms: need 1ms..1s", refusal(Duration.ofMillis(1_001), 64, 1, 1));
        assertEquals("wheel.tick = 0s: need 1ms..1s", refusal(Duration.ZERO, 64, 1, 1));
        assertEquals("wheel.tick = -3ms: need 1ms..1s", refusal(Duration.ofMillis(-3), 64, 1, 1));
        assertTrue(refusal(Duration.ofSeconds(Long.MAX_VALUE, 1), 64, 1, 1).endsWith(": need 1ms..1s"));
    }

    @Test
    void create_bucketsOutOfRange_namesKeyValueAndRange() {
        for (int buckets : new int[] {-1, 0, 32, 65, 1 << 21, Integer.MIN_VALUE}) {
            assertEquals(
                    "wheel.buckets = " + buckets + ": need a power of two in 64..1048576",
                    refusal(Duration.ofMillis(10), buckets, 1, 1));
        }
    }

    @Test
    void create_entriesOrSliceOutOfRange_namesKeyValueAndRange() {
        Duration tick = Duration.ofMillis(10);
        assertEquals("wheel.maxEntries = 0: need 1..268435456", refusal(tick, 64, 0, 1));
        assertEquals("wheel.slice = 1000001: need 1..1000000", refusal(tick, 64, 1, 1_000_001));
    }
}

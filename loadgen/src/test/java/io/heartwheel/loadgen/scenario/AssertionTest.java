package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** Assertions of a scenario, and their durations. */
final class AssertionTest {

    private static Assertion of(String text) {
        return Assertion.parse(text, 100);
    }

    private static boolean holds(String text, double seen) {
        return of(text).holds(figure -> OptionalDouble.of(seen));
    }

    @Test
    void parse_everyFigureThereIs_isRead() {
        for (Count count : Count.values()) {
            assertFalse(of(count.label() + " = 0").isDuration());
        }
        for (Timing timing : Timing.values()) {
            for (String part : new String[] {"p50", "p90", "p99", "p999", "max"}) {
                assertTrue(of(timing.label() + "." + part + " <= 5ms").isDuration());
            }
        }
        for (String part : new String[] {"50", "95", "99", "100"}) {
            assertTrue(of("recovery." + part + " <= 30s").isDuration());
        }
        assertFalse(of("reconnects_per_second.max <= 500").isDuration());
        assertTrue(of("reconnects_per_second.max <= 500").dependsOnSpeed());
        assertTrue(of("recovery.100 <= 30s").dependsOnSpeed());
        assertTrue(of("back_late = 0").dependsOnSpeed());
        assertFalse(of("back_never = 0").dependsOnSpeed());
        for (String side : new String[] {"kernel", "gateway", "generator"}) {
            assertFalse(of("memory." + side + " <= 4_000").isDuration());
        }
    }

    /** As many as a step of that share chooses. */
    @Test
    void bound_percentageExactly_isTheNearestNumberOfDevices() {
        assertEquals(101, Assertion.parse("condemned = 10%", 1_005).bound());
        assertEquals(100, Assertion.parse("condemned >= 10%", 1_005).bound());
    }

    @Test
    void parse_somethingElse_isNone() {
        for (String text : new String[] {
            "",
            "opened",
            "opened >= ",
            "opened >= 5ms",
            "opened => 5",
            "opened != 5",
            "opened >= 1.2.3",
            "openened = 5",
            "round_trip = 5ms",
            "round_trip.p98 <= 5ms",
            "round_trip.p99 <= 5",
            "round_trip.p99 <= 5 parsecs",
            "recovery.98 <= 5s",
            "memory.moon = 5",
            "memory = 5",
            "reconnects_per_second = 5",
            "reconnects_per_second.p99 <= 5",
            "opened.p99 <= 5ms",
            "opened = 5 and more"
        }) {
            assertThrows(IllegalArgumentException.class, () -> of(text), text);
        }
    }

    @Test
    void parse_mistyped_tellsTheFigureThatWasMeantOrWhatTheBoundNeeds() {
        Map.of(
                        "false_kils = 0", "no figure false_kils, did you mean false_kills?",
                        "round_trip.p98 <= 5ms", "no figure round_trip.p98, did you mean round_trip.p90?",
                        "recovrey.100 <= 5s", "no figure recovrey.100, did you mean recovery.100?",
                        "round_trip.p99 <= 5", "need a duration with its unit, for example 50ms",
                        "opened >= 5ms", "need a number, or a percentage of the devices",
                        "happiness = 5", "no figure happiness: " + Assertion.NEED)
                .forEach((text, need) -> assertEquals(
                        need,
                        assertThrows(IllegalArgumentException.class, () -> of(text))
                                .getMessage()));
    }

    @Test
    void holds_eachRelation_compares() {
        boolean[][] expected = {
            {false, true, false}, {true, false, false}, {true, true, false}, {false, false, true}, {false, true, true}
        };
        String[] relations = {"=", "<", "<=", ">", ">="};
        for (int relation = 0; relation < relations.length; relation++) {
            for (int seen = 0; seen < 3; seen++) {
                assertEquals(
                        expected[relation][seen],
                        holds("opened " + relations[relation] + " 1_000", 999 + seen),
                        relations[relation] + " " + (999 + seen));
            }
        }
    }

    @Test
    void holds_duration_isInNanoseconds() {
        assertTrue(holds("round_trip.p99<=1.5ms", 1_500_000));
        assertFalse(holds("round_trip.p99 <= 1.5 ms", 1_500_001));
    }

    @Test
    void holds_figureNobodySaw_doesNot() {
        assertFalse(of("recovery.100 <= 30s").holds(figure -> OptionalDouble.empty()));
        assertFalse(of("recovery.100 >= 0s").holds(figure -> OptionalDouble.empty()));
    }

    @Test
    void shown_value_hasItsUnit() {
        assertEquals("2.5 ms", of("round_trip.p99 <= 1ms").shown(2_500_000));
        assertEquals("1,234", of("opened = 1").shown(1_234));
    }

    @Test
    void durations_withUnit_areRead() {
        assertEquals(Optional.of(1_500_000_000L), Durations.nanos("1.5s"));
        assertEquals(Optional.of(200_000_000L), Durations.nanos(" 200 ms "));
        assertEquals(Optional.of(86_400_000_000_000L), Durations.nanos("1d"));
        assertEquals(Optional.of(0L), Durations.nanos("0ns"));
        for (String text : new String[] {"5", "s", "-1s", "1e3s", "1s2ms", "1.s", "1min", "99999999999d", ""}) {
            assertEquals(Optional.empty(), Durations.nanos(text), text);
        }
    }

    @Test
    void durations_forPeople_areShort() {
        assertEquals("250 us", Durations.text(250_000));
        assertEquals("250.0 ms", Durations.text(250e6));
        assertEquals("-250.0 ms", Durations.text(-250e6));
        assertEquals("12.5 s", Durations.text(12.5e9));
    }
}

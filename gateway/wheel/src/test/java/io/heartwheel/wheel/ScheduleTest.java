package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    private static void assertRefused(String message, Runnable made) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, made::run).getMessage());
    }

    @Test
    void schedule_outOfRange_namesComponentValueAndRange() {
        String every = ": need 1..4611686018427387903";
        assertRefused("schedule.everyNanos = 0" + every, () -> Schedule.atFixedRate(0, 0));
        assertRefused("schedule.everyNanos = -1" + every, () -> Schedule.withFixedDelay(0, -1));
        assertRefused("schedule.times = 0: need 1..9223372036854775807", () -> Schedule.atFixedRate(0, 1)
                .times(0));
        assertRefused("schedule.times = 2: need 1", () -> Schedule.once(0).times(2));
        assertRefused("schedule.everyNanos = 5: need 0", () -> new Schedule(Schedule.Kind.ONCE, 0, 5, 1));
    }

    @Test
    void factories_durations_becomeNanosecondsCutToTheLongest() {
        assertEquals(Schedule.once(1_500_000), Schedule.once(Duration.ofNanos(1_500_000)));
        assertEquals(
                Schedule.atFixedRate(-1, Deadline.MAX_DELAY_NANOS),
                Schedule.atFixedRate(Duration.ofNanos(-1), Duration.ofDays(1L << 40)));
        assertEquals(
                Schedule.withFixedDelay(-Deadline.MAX_DELAY_NANOS, 7),
                Schedule.withFixedDelay(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofNanos(7)));
        assertEquals(Schedule.FOR_EVER, Schedule.atFixedRate(1, 1).times());
        assertEquals(3, Schedule.withFixedDelay(1, 1).times(3).times());
    }
}

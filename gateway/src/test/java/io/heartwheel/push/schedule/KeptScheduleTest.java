package io.heartwheel.push.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.heartwheel.push.schedule.ScheduleRow.Progress;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Bytes of schedules. */
class KeptScheduleTest {
    private static KeptSchedule kept(boolean wall) {
        Progress at = new Progress(3, 7, wall, 1_000, 999, RunResult.DELIVERED);
        ScheduleSpec spec = ScheduleRig.rate(Duration.ofSeconds(2), 10, ScheduleSpec.Missed.ALL);
        return new KeptSchedule(new ScheduleRow("k", 42, spec, new byte[] {0, -1, 7}, 3, at), 50);
    }

    @Test
    void schedule_encodedAndDecoded_isTheSame() {
        KeptSchedule before = kept(true);
        KeptSchedule after = KeptSchedule.decode("k", before.encode());
        assertNotNull(after);
        assertEquals(before.withoutPayload(), after.withoutPayload());
        assertArrayEquals(before.row().payload(), after.row().payload());
        assertEquals(50, after.stepsMillis());
    }

    @Test
    void bytes_cutShortOrOfALaterVersion_areNone() {
        byte[] whole = kept(true).encode();
        for (int length = 0; length < whole.length; length++) {
            assertNull(KeptSchedule.decode("k", Arrays.copyOf(whole, length)), "" + length);
        }
        whole[0] = 2;
        assertNull(KeptSchedule.decode("k", whole));
    }

    @Test
    void steadyTime_byAnotherClock_isMoved() {
        assertEquals(1_020, kept(false).by(30).row().progress().dueMillis());
        assertEquals(1_000, kept(true).by(30).row().progress().dueMillis());
    }
}

package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Closes;
import org.junit.jupiter.api.Test;

class ServiceNotifierTest {
    @Test
    void line_oneAndMany_readsAsASentence() {
        assertEquals(
                "1,234 devices, 2 listeners; 12 closed by a deadline in the last minute",
                ServiceNotifier.line(1_234, 2, 12));
        assertEquals(
                "1 device, 1 listener; 1,000 closed by a deadline in the last minute",
                ServiceNotifier.line(1, 1, 1_000));
    }

    @Test
    void minute_closesByDeadlineAndOthers_countsTheFormerForAMinute() {
        ClosesLastMinute minute = new ClosesLastMinute(3);
        assertEquals(0, minute.next());
        close(minute, CloseReason.HEARTBEAT_TIMEOUT);
        close(minute, CloseReason.NORMAL);
        assertEquals(1, minute.next());
        close(minute, CloseReason.READ_IDLE);
        assertEquals(2, minute.next());
        assertEquals(2, minute.next());
        assertEquals(1, minute.next());
        assertEquals(0, minute.next());
    }

    private static void close(ClosesLastMinute minute, CloseReason reason) {
        minute.closed(Closes.of("plain", reason, true, 0, 0));
    }
}

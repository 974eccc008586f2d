package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class FramedStateTest {

    /** Its answer may still be in time, however many messages are sent and acknowledged meanwhile. */
    @Test
    void was_aHeartbeatBeforeManyMessages_isThatHeartbeat() {
        FramedState state = new FramedState(0, 1);
        state.sent(1, true, Long.MAX_VALUE, 1);
        for (int id = 1; id <= 200; id++) {
            state.sent(-id, true, id, 1);
        }
        assertEquals(-100, state.was(101, 0));
        assertEquals(1, state.was(1, 0));
    }
}

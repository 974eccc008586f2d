package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class StopSwitchTest {
    private final StopSwitch stopSwitch = new StopSwitch();
    private final FakeGateway gateway = new FakeGateway();

    /** A file may have changed after it was read and before the start was over. */
    @Test
    void reload_beforeTheStartIsOver_isMadeUpForOnce() {
        assertFalse(stopSwitch.reload());
        assertFalse(stopSwitch.reload());
        assertEquals(List.of(), gateway.done);
        stopSwitch.started(gateway);
        assertEquals(List.of("reload"), gateway.done);
    }

    @Test
    void stop_beforeTheStartIsOver_isMadeUpForAndLeavesNothingToReload() {
        assertFalse(stopSwitch.reload());
        assertTrue(stopSwitch.stop());
        assertFalse(stopSwitch.stop());
        stopSwitch.started(gateway);
        assertEquals(List.of("shutdown"), gateway.done);
    }

    @Test
    void stop_ofAStartedGateway_isDoneOnce() {
        stopSwitch.started(gateway);
        assertTrue(stopSwitch.stop());
        assertFalse(stopSwitch.stop());
        assertEquals(List.of("shutdown"), gateway.done);
    }
}

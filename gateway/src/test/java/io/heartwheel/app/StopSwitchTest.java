package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.admin.ReloadReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StopSwitchTest {
    private final List<String> done = new ArrayList<>();
    private final StopSwitch stopSwitch = new StopSwitch();

    private final RunningGateway gateway = new RunningGateway() {
        @Override
        public void shutdown() {
            done.add("shutdown");
        }

        @Override
        public ReloadReport reload() {
            done.add("reload");
            return ReloadReport.applied(List.of(), List.of());
        }

        @Override
        public void awaitTermination() {}
    };

    /** A file may have changed after it was read and before the start was over. */
    @Test
    void reload_beforeTheStartIsOver_isMadeUpForOnce() {
        assertFalse(stopSwitch.reload());
        assertFalse(stopSwitch.reload());
        assertEquals(List.of(), done);
        stopSwitch.started(gateway);
        assertEquals(List.of("reload"), done);
    }

    @Test
    void reload_ofAStartedGateway_isDoneAtOnce() {
        stopSwitch.started(gateway);
        assertEquals(List.of(), done);
        assertTrue(stopSwitch.reload());
        assertTrue(stopSwitch.reload());
        assertEquals(List.of("reload", "reload"), done);
    }

    @Test
    void stop_beforeTheStartIsOver_isMadeUpForAndLeavesNothingToReload() {
        assertFalse(stopSwitch.reload());
        assertTrue(stopSwitch.stop());
        assertFalse(stopSwitch.stop());
        stopSwitch.started(gateway);
        assertEquals(List.of("shutdown"), done);
    }

    @Test
    void stop_ofAStartedGateway_isDoneOnce() {
        stopSwitch.started(gateway);
        assertTrue(stopSwitch.stop());
        assertFalse(stopSwitch.stop());
        assertEquals(List.of("shutdown"), done);
    }
}

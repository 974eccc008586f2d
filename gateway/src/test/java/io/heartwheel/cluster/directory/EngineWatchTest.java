package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.Health;
import io.heartwheel.log.LogCapture;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EngineWatchTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private boolean isConnected = true;
    private String fault;

    private final EngineWatch watch = new EngineWatch(
            new Health() {
                @Override
                public boolean isReachable() {
                    return isConnected;
                }

                @Override
                public void repair() throws EngineException {
                    if (fault != null) {
                        throw new EngineException(EngineException.Kind.UNREACHABLE, fault);
                    }
                }
            },
            0,
            Runnable::run);

    @Test
    void engine_thatRefusesWritesAndAnswersReads_isDownUntilItIsRepaired() {
        watch.turn(0);
        assertFalse(watch.isDown());
        fault = "no room";
        for (int i = 0; i < 3; i++) {
            watch.failed("no room");
        }
        watch.turn(SECOND);
        assertTrue(watch.isDown());
        watch.succeeded();
        watch.turn(2 * SECOND);
        assertTrue(watch.isDown());
        fault = null;
        watch.turn(4 * SECOND);
        assertFalse(watch.isDown());
    }

    @Test
    void causes_thatAreNotKnownAtFirst_areToldWhenTheyAreAndNotForEver() {
        watch.turn(0);
        isConnected = false;
        fault = EngineException.NOT_CONNECTED;
        try (LogCapture log = new LogCapture(EngineWatch.class)) {
            for (int second = 1; second <= 12; second++) {
                fault = second > 3 ? "cause" + second / 2 : fault;
                watch.turn(second * SECOND);
            }
            assertEquals(
                    List.of(
                            "cluster: NATS is not to be had; connections stay, ids are not looked up in the fleet",
                            "cluster: NATS is not to be had: cause2; tries again once a second",
                            "cluster: NATS is not to be had: cause3; tries again once a second",
                            "cluster: NATS is not to be had: cause4; tries again once a second"),
                    log.messages());
        }
    }
}

package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.Health;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An engine that is connected all the time. */
class EngineWatchTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private boolean isFull;

    private final EngineWatch watch = new EngineWatch(
            new Health() {
                @Override
                public boolean isReachable() {
                    return true;
                }

                @Override
                public void repair() throws EngineException {
                    if (isFull) {
                        throw new EngineException(EngineException.Kind.UNREACHABLE, "no room");
                    }
                }
            },
            0,
            Runnable::run);

    @Test
    void engine_thatRefusesWritesAndAnswersReads_isDownUntilItIsRepaired() {
        watch.turn(0);
        assertFalse(watch.isDown());
        isFull = true;
        for (int i = 0; i < 3; i++) {
            watch.failed("no room");
        }
        watch.turn(SECOND);
        assertTrue(watch.isDown());
        watch.succeeded();
        watch.turn(2 * SECOND);
        assertTrue(watch.isDown());
        isFull = false;
        watch.turn(4 * SECOND);
        assertFalse(watch.isDown());
    }
}

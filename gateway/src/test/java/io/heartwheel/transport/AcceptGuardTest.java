package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pauses of a listener, under virtual time. */
class AcceptGuardTest {
    private static final int LIMIT = 8_192;
    private static final long PAUSE_MILLIS = 100;

    private final Admission admission = AdmissionFixture.of(1_000_000);
    private int waiting;
    private final EmbeddedChannel listener = new EmbeddedChannel(
            new AcceptGuard("tcp", admission, TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS), () -> waiting));

    AcceptGuardTest() {
        listener.freezeTime();
    }

    @AfterEach
    void end() {
        listener.finishAndReleaseAll();
    }

    private void accepted(int nowWaiting) {
        waiting = nowWaiting;
        listener.pipeline().fireChannelReadComplete();
    }

    private void pass(long millis, int nowWaiting) {
        waiting = nowWaiting;
        listener.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        listener.runPendingTasks();
    }

    private boolean accepts() {
        return listener.config().isAutoRead();
    }

    @Test
    void accepted_fewerThanMayWait_goesOn() {
        accepted(LIMIT - 1);
        assertTrue(accepts());
    }

    @Test
    void accepted_asManyAsMayWait_restsUntilHalfOfThemAreTakenIn() {
        accepted(LIMIT);
        assertFalse(accepts());
        pass(2, LIMIT / 2 + 1);
        assertFalse(accepts());
        pass(1, 0);
        assertFalse(accepts(), "it looks every 2 ms");
        pass(1, LIMIT / 2);
        assertTrue(accepts());
        accepted(LIMIT);
        assertFalse(accepts(), "and again");
        assertEquals(0, admission.acceptPauses(), "that is no failure");
    }

    @Test
    void acceptFails_whileAsManyWaitAsMay_goesOnWhenBothAreOver() {
        accepted(LIMIT);
        listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
        assertEquals(1, admission.acceptPauses());
        pass(2, 0);
        assertFalse(accepts());
        accepted(LIMIT);
        pass(PAUSE_MILLIS, LIMIT);
        assertFalse(accepts());
        pass(2, 0);
        assertTrue(accepts());
    }

    @Test
    void turnedAway_moreThanAreGoodForTheEstablished_restsForAMoment() {
        for (int i = 0; i <= AcceptLimit.SHED_BURST; i++) {
            admission.acceptLimit().turnAway();
        }
        accepted(0);
        assertFalse(accepts());
        pass(19, 0);
        assertFalse(accepts());
        pass(1, 0);
        assertTrue(accepts());
        accepted(0);
        assertTrue(accepts());
        assertEquals(AcceptLimit.SHED_BURST + 1, admission.shed());
    }

    @Test
    void lookAgain_listenerClosedMeanwhile_staysClosed() {
        accepted(LIMIT);
        listener.close();
        pass(2, 0);
        assertFalse(accepts());
    }
}

package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.PushedDevice.ID;
import static io.heartwheel.loadgen.fleet.PushedDevice.MILLI;
import static io.heartwheel.loadgen.fleet.PushedDevice.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Acks.Ask;
import io.heartwheel.loadgen.scenario.Acks.Reply;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pushes that a gateway keeps for one device, and those it sends later, in virtual time: each finding about them. */
final class PushKeptTest {

    private final PushedDevice one = new PushedDevice();

    @AfterEach
    void tidy() {
        one.close();
    }

    // ---- what is kept

    private void kept(int sequence) {
        one.told(sequence, Ask.STORED, Said.QUEUED, ID + sequence, MILLI);
    }

    @Test
    void kept_comesWhenTheDeviceIsBack_isRightAndAlwaysAcknowledged() {
        one.keeps(Reply.NEVER, 1);
        kept(1);
        one.leaves(0);
        kept(2);
        one.leaves(60 * SECOND);
        one.connect();
        one.said();
        one.now += 2 * SECOND;
        one.comes(2);
        assertEquals(List.of(0), one.said());
        assertEquals(2, one.recorder.ledger().of(Count.PUSHES_QUEUED));
        one.assertFound();
    }

    @Test
    void kept_neverComesToADeviceThatIsThere_isFound() {
        one.keeps(Reply.PROMPT, 0);
        kept(1);
        one.now += 4 * SECOND;
        one.report();
        one.leaves(SECOND);
        one.connect();
        one.assertFound(Count.PUSHES_LOST, "push 1 was kept \\(QUEUED\\) and never came, to a device that was .*");
    }

    @Test
    void kept_forADeviceThatIsNeverThereForLong_isExcused() {
        one.keeps(Reply.PROMPT, 0);
        kept(1);
        for (int i = 0; i < 10; i++) {
            one.leaves(SECOND);
            one.connect();
            one.now += 2 * SECOND;
        }
        one.leaves(0);
        one.assertFound();
        assertEquals(1, one.recorder.ledger().of(Count.PUSHES_EXCUSED));
    }

    @Test
    void kept_overtakenByALaterOne_isFound() {
        one.keeps(Reply.PROMPT, 0);
        kept(1);
        kept(2);
        one.comes(2);
        one.leaves(0);
        one.assertFound(Count.PUSHES_LOST);
        one.keeps(Reply.PROMPT, 0);
        kept(1);
        one.comes(2);
        one.comes(1);
        one.assertFound(Count.PUSHES_DISORDERED);
    }

    @Test
    void kept_comesLongAfterItsDevice_isFound() {
        one.keeps(Reply.PROMPT, 0);
        one.leaves(0);
        kept(1);
        one.connect();
        one.now += 3_100 * MILLI;
        one.comes(1);
        one.assertFound(Count.PUSHES_LATE, "push 1 came 3100 ms after its device was connected \\(QUEUED\\)");
    }

    @Test
    void kept_comesUnderAnotherIdThanItsCallerWasTold_isFound() {
        one.keeps(Reply.PROMPT, 0);
        kept(1);
        one.comes(1, ID, true);
        one.assertFound(Count.PUSHES_RENAMED);
    }

    @Test
    void kept_comesAgainThoughAcknowledgedLongBeforeTheDeviceLeft_isFound() {
        one.keeps(Reply.PROMPT, 2);
        kept(1);
        kept(2);
        one.now += 500 * MILLI;
        one.leaves(0);
        one.connect();
        one.comes(1); // its ACK may have been lost
        assertEquals(1, one.recorder.ledger().of(Count.PUSHES_REPEATED));
        one.now += 2 * SECOND;
        one.leaves(0);
        one.connect();
        one.comes(2);
        one.assertFound(Count.PUSHES_DOUBLED, "push 2 again, which was acknowledged 2\\d+ ms before that .*");
    }

    // ---- what comes later

    /** Three times, 2, 12 and 22 seconds after it was asked for, which is one.now. */
    private void later() {
        one.device("later { after = 2s, every = 10s, times = 3 }");
        one.intended = one.now;
        one.told(1, Ask.NOTHING, Said.QUEUED, 0, 0);
    }

    private void run(long atSeconds, long id) {
        one.now = one.intended + atSeconds * SECOND;
        one.report();
        one.comes(1, id, true);
    }

    private void runs(long... atSeconds) {
        later();
        for (long at : atSeconds) {
            run(at, 10 + at);
        }
    }

    @Test
    void later_eachRunAtItsTime_isRightAndAcknowledged() {
        runs(2, 12, 22);
        assertEquals(List.of(0, 0, 0), one.said());
        one.assertFound();
        assertEquals(3, one.recorder.ledger().of(Count.PUSHES_DELIVERED));
        assertEquals(3, one.timed(Timing.PUSH_LATER));
    }

    @Test
    void later_runsMissedWhileTheDeviceWasAway_areRightWhenItIsBack() {
        later();
        one.leaves(30 * SECOND);
        one.connect();
        one.comes(1, 11, true);
        one.comes(1, 12, true);
        one.comes(1, 13, true);
        one.assertFound();
    }

    @Test
    void later_aRunTooEarly_isFound() {
        runs(2, 9, 22);
        one.assertFound(Count.PUSHES_EARLY, "push 1, run 2 came 2\\d{3} ms before its time");
        runs(1, 12, 22);
        one.assertFound(Count.PUSHES_EARLY, "push 1, run 1 came 9\\d\\d ms before its time");
    }

    @Test
    void later_aRunTwiceOrAfterTheLast_isFound() {
        runs(2, 3, 12, 22);
        one.assertFound(Count.PUSHES_DOUBLED, "push 1, run 1 once more");
        runs(2, 12, 22, 32);
        one.assertFound(Count.PUSHES_DOUBLED, "push 1, run 3 once more");
    }

    @Test
    void later_aRunNeverOrLate_isFound() {
        runs(2, 22);
        one.assertFound(Count.PUSHES_LOST, "push 1, run 2 was kept \\(QUEUED\\) and never came.*");
        runs(2, 17, 22);
        one.assertFound(Count.PUSHES_LATE, "push 1, run 2 came 5000 ms after its device was connected.*");
    }

    @Test
    void later_aRunAgainThoughAcknowledgedLongBeforeTheDeviceLeft_isFound() {
        runs(2, 12, 22);
        one.now += 2 * SECOND;
        one.leaves(0);
        one.connect();
        one.comes(1, 32, true);
        one.assertFound(Count.PUSHES_DOUBLED, "push 1 again, which was acknowledged .*");
    }

    @Test
    void kept_comesChanged_isNotLostBesides() {
        one.keeps(Reply.PROMPT, 0);
        kept(1);
        one.changed(1);
        one.assertFound(Count.PUSHES_CHANGED);
    }

    @Test
    void later_theSameRunAgain_isAllowedOnAnotherConnectionOnly() {
        later();
        run(2, 11);
        one.leaves(0);
        one.connect();
        one.comes(1, 11, true);
        assertEquals(1, one.recorder.ledger().of(Count.PUSHES_REPEATED));
        one.comes(1, 11, true);
        run(12, 12);
        run(22, 13);
        one.assertFound(Count.PUSHES_DOUBLED, "push 1 twice");
    }
}

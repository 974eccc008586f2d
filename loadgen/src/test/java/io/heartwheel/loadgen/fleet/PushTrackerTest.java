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
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pushes to one device that are waited for, in virtual time: what the device says, and each finding about what its gateway says. */
final class PushTrackerTest {

    private final PushedDevice one = new PushedDevice();

    @AfterEach
    void tidy() {
        one.close();
    }

    // ---- what devices do

    @Test
    void received_eachReply_saysWhatItIs() {
        Map<Reply, List<Integer>> replies = Map.of(
                Reply.PROMPT, List.of(0),
                Reply.TWICE, List.of(0, 0),
                Reply.NEVER, List.of(),
                Reply.LATE, List.of(),
                Reply.REFUSE, List.of(1),
                Reply.LEAVE, List.of(-1));
        replies.forEach((reply, wanted) -> {
            one.device(reply);
            one.comes(1);
            assertEquals(wanted, one.said(), reply::name);
            one.channel.finishAndReleaseAll();
        });
    }

    @Test
    void received_late_isAcknowledgedAfterAWhileOnTheSameConnectionOnly() {
        one.device(Reply.LATE);
        one.comes(1);
        one.channel.advanceTimeBy(301, TimeUnit.MILLISECONDS);
        one.channel.runScheduledPendingTasks();
        assertEquals(List.of(0), one.said());
        one.comes(2);
        EmbeddedChannel older = one.channel;
        one.channel.close();
        one.connect();
        older.advanceTimeBy(301, TimeUnit.MILLISECONDS);
        older.runScheduledPendingTasks();
        assertEquals(List.of(), one.said());
        older.finishAndReleaseAll();
    }

    @Test
    void received_again_isAcknowledgedUnlessItNeverIs() {
        for (Reply reply : Reply.values()) {
            one.device(reply);
            one.comes(1);
            one.channel.close();
            one.connect();
            one.comes(1);
            assertEquals(reply == Reply.NEVER ? List.of() : List.of(0), one.said(), reply::name);
            assertEquals(1, one.recorder.ledger().of(Count.PUSHES_REPEATED));
            one.told(1, reply == Reply.NEVER ? Said.EXPIRED : Said.ACKNOWLEDGED, 3 * SECOND);
            one.assertFound();
            one.channel.finishAndReleaseAll();
        }
    }

    @Test
    void received_withoutAWish_isNotAcknowledged() {
        one.device(Reply.PROMPT);
        one.comes(1, ID, false);
        assertEquals(List.of(), one.said());
    }

    // ---- what the gateway says of it

    @Test
    void told_whatWasAcknowledged_isProvenAndTimed() {
        one.device(Reply.PROMPT);
        one.comes(1);
        one.told(1, Said.ACKNOWLEDGED, MILLI);
        one.now += one.scenario.coldUntilNanos();
        one.comes(2);
        one.told(2, Said.ACKNOWLEDGED, MILLI);
        one.comes(3, ID, false);
        one.told(3, Ask.RECEIVED, Said.ACKNOWLEDGED, ID, MILLI);
        one.comes(4, ID, false);
        one.told(4, Ask.SENT, Said.ACCEPTED, ID, MILLI);
        one.assertFound();
        assertEquals(1, one.timed(Timing.PUSH_COLD));
        assertEquals(1, one.timed(Timing.PUSH_CALL_COLD));
        assertEquals(3, one.timed(Timing.PUSH));
        assertEquals(1, one.timed(Timing.PUSH_CALL));
        assertEquals(1, one.timed(Timing.PUSH_CALL_RECEIVED));
        assertEquals(1, one.timed(Timing.PUSH_CALL_DEVICE));
        assertEquals(3, one.recorder.ledger().of(Count.PUSHES_ACKNOWLEDGED));
        assertEquals(1, one.recorder.ledger().of(Count.PUSHES_ACCEPTED));
    }

    @Test
    void told_deliveredBeforeItCame_isFound() {
        one.device(Reply.PROMPT);
        one.told(1, Said.ACKNOWLEDGED, MILLI);
        one.assertFound(Count.PUSHES_UNPROVEN, "push 1 was told as delivered \\(ACKNOWLEDGED\\) and had not come");
    }

    @Test
    void told_acknowledgedByADeviceThatNeverDid_isFound() {
        one.device(Reply.NEVER);
        one.comes(1);
        one.told(1, Said.ACKNOWLEDGED, MILLI);
        one.assertFound(Count.PUSHES_UNPROVEN, ".* and its device had not said so");
    }

    @Test
    void told_acknowledgedBeforeTheDeviceDid_isFound() {
        one.device(Reply.REFUSE);
        one.comes(1);
        long early = one.now + MILLI;
        one.now += SECOND;
        one.comes(1);
        one.report(new PushOutcome(0, 1, Ask.DEVICE, Said.ACKNOWLEDGED, "200", List.of(), ID + 1, 0, 0, 0, early));
        one.assertFound(Count.PUSHES_UNPROVEN);
    }

    @Test
    void told_readByADeviceThatNeverAcknowledges_isProven() {
        one.device(Reply.NEVER);
        one.comes(1);
        one.told(1, Ask.RECEIVED, Said.ACKNOWLEDGED, ID + 1, MILLI);
        one.assertFound();
    }

    @Test
    void told_anotherId_isFound() {
        one.device(Reply.PROMPT);
        one.comes(1);
        one.told(1, Ask.DEVICE, Said.ACKNOWLEDGED, ID, MILLI);
        one.assertFound(Count.PUSHES_RENAMED, "push 1 has two ids, 1729.* and 1729.*");
    }

    @Test
    void came_againUnderAnotherId_isFound() {
        one.device(Reply.NEVER);
        one.comes(1);
        one.channel.close();
        one.connect();
        one.comes(1, ID, true);
        one.assertFound(Count.PUSHES_RENAMED);
    }

    @Test
    void came_twiceOnAConnection_isFoundUnlessItWasRefused() {
        one.device(Reply.REFUSE);
        one.comes(1);
        one.comes(1);
        assertEquals(List.of(1, 0), one.said());
        one.comes(1);
        one.told(1, Said.ACKNOWLEDGED, MILLI);
        one.assertFound(Count.PUSHES_DOUBLED, "push 1 twice");
    }

    @Test
    void came_againLongAfterItsAnswer_isFound() {
        one.device(Reply.PROMPT);
        one.comes(1);
        one.told(1, Said.ACKNOWLEDGED, MILLI);
        one.channel.close();
        one.now += 2 * SECOND;
        one.connect();
        one.comes(1);
        one.assertFound(Count.PUSHES_DOUBLED, "push 1 again 2000 ms after its answer");
    }

    @Test
    void came_againThoughOnlySent_isFound() {
        one.device(Reply.PROMPT);
        one.comes(1, ID, false);
        one.channel.close();
        one.connect();
        one.comes(1, ID, false);
        one.told(1, Ask.SENT, Said.ACCEPTED, ID, MILLI);
        one.assertFound(Count.PUSHES_DOUBLED);
    }

    @Test
    void came_behindALaterOne_isFound() {
        one.device(Reply.PROMPT);
        one.told(1, Ask.SENT, Said.ACCEPTED, ID, MILLI);
        one.comes(2);
        one.comes(1, ID, false);
        one.assertFound(Count.PUSHES_DISORDERED);
    }

    @Test
    void told_sentAndNeverCame_isFound() {
        one.device(Reply.PROMPT);
        one.told(1, Ask.SENT, Said.ACCEPTED, ID, MILLI);
        one.assertFound(Count.PUSHES_LOST);
    }

    @Test
    void told_twoAnswersUnderOneKey_isFound() {
        one.device(Reply.PROMPT);
        one.comes(1);
        one.told(1, Said.CONTRADICTED, MILLI);
        one.assertFound(Count.PUSHES_CONTRADICTED);
    }

    @Test
    void expired_ofADeviceThatSaidNothing_isRight() {
        one.device(Reply.NEVER);
        one.comes(1);
        one.told(1, Said.EXPIRED, 3 * SECOND);
        one.assertFound();
        assertEquals(1, one.recorder.ledger().of(Count.PUSHES_EXPIRED));
    }

    @Test
    void expired_beforeItsTime_isFound() {
        one.device(Reply.NEVER);
        one.comes(1);
        one.told(1, Said.EXPIRED, 3 * SECOND - 2 * MILLI);
        one.assertFound(Count.PUSHES_EXPIRED_WRONG, "push 1 expired 2 ms before its time");
    }

    @Test
    void expired_thoughAcknowledged_isFound() {
        one.device(Reply.PROMPT);
        one.comes(1);
        one.told(1, Said.EXPIRED, 3 * SECOND);
        one.assertFound(Count.PUSHES_EXPIRED_WRONG, "push 1 expired though acknowledged 3000 ms before");
    }

    @Test
    void expired_thoughReadByItsDevice_isFound() {
        one.device(Reply.NEVER);
        one.comes(1, ID, false);
        one.told(1, Ask.RECEIVED, Said.EXPIRED, ID, 3 * SECOND);
        one.assertFound(Count.PUSHES_EXPIRED_WRONG, "push 1 expired though read 3000 ms before");
    }

    @Test
    void expired_thoughTheDeviceWasThere_isFound() {
        one.device(Reply.PROMPT);
        one.told(1, Said.EXPIRED, 3 * SECOND);
        one.assertFound(Count.PUSHES_EXPIRED_WRONG, ".* it never came to its device, which was there for 3000 ms");
    }

    @Test
    void expired_ofADeviceThatWasAway_isRight() {
        one.device(Reply.PROMPT);
        one.channel.close();
        one.told(1, Said.EXPIRED, 3 * SECOND);
        one.assertFound();
    }

    @Test
    void came_longAfterItExpired_isFound() {
        one.device(Reply.PROMPT);
        one.channel.close();
        one.told(1, Said.EXPIRED, 3 * SECOND);
        one.now += 2 * SECOND;
        one.connect();
        one.comes(1);
        one.assertFound(Count.PUSHES_LATE, "push 1 came 2000 ms after it had expired");
    }
}

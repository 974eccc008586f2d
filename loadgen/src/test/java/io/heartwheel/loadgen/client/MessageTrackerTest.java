package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.MessageTracker.Fact;
import org.junit.jupiter.api.Test;

final class MessageTrackerTest {

    private static final MessageContract HELD = new MessageContract(true, true, 1_000, 1_000, false, 0, false);
    private static final MessageContract KEEPS = new MessageContract(true, true, 1_000, 1_000, true, 0, false);

    private final MessageTracker messages = new MessageTracker(true);
    private long now;

    private void send(int many) {
        for (int i = 0; i < many; i++) {
            messages.send(now + i, now + i + 10, true, 8);
        }
    }

    private Fact acknowledge(long id, boolean taken) {
        return messages.acknowledge(id, taken, now, false);
    }

    private void disconnect() {
        messages.disconnected(now, HELD, false, (from, to) -> 0);
    }

    private MessageTracker.Account account() {
        return messages.account(now, 0, HELD, true, (from, to) -> 0);
    }

    private void assertAccount(long lost, long unacknowledged, long open) {
        assertEquals(new MessageTracker.Account(lost, 0, unacknowledged, open, ""), account());
    }

    @Test
    void acknowledge_inOrder_settlesEach() {
        now = 1_000;
        send(3);
        for (long id = 1; id <= 3; id++) {
            assertEquals(Fact.ACCEPTED, acknowledge(id, true));
            assertEquals(1_000 + id - 1, messages.dueNanos());
            assertEquals(1_012, messages.sentNanos());
            assertEquals(id == 3, messages.wasNewest());
        }
        assertAccount(0, 0, 0);
    }

    @Test
    void acknowledge_outOfOrderTwiceOrUnasked_isTold() {
        send(3);
        assertEquals(Fact.ACCEPTED, acknowledge(2, true));
        assertEquals(Fact.OVERTAKEN, acknowledge(1, true));
        assertEquals(Fact.DOUBLED, acknowledge(1, true));
        assertEquals(Fact.DOUBLED, acknowledge(2, false));
        assertEquals(Fact.UNASKED, acknowledge(4, true));
        assertEquals(Fact.UNASKED, acknowledge(0, true));
        assertEquals(Fact.REFUSED, acknowledge(3, false));
        now = 1_001;
        assertAccount(2, 0, 0);
    }

    @Test
    void echo_inOrderLateTwiceOrUnasked_isTold() {
        send(4);
        assertEquals(Fact.ECHOED, messages.echo(1));
        assertEquals(Fact.ECHOED, messages.echo(3));
        assertEquals(Fact.DISORDERED, messages.echo(2));
        assertEquals(Fact.DOUBLED, messages.echo(2));
        assertEquals(Fact.DOUBLED, messages.echo(3));
        assertEquals(Fact.UNASKED, messages.echo(5));
        assertEquals(Fact.ECHOED, messages.echo(4));
    }

    @Test
    void isFull_sixtyFourWait_holdsBackUntilOneIsAcknowledged() {
        send(64);
        assertTrue(messages.isFull(MessageTracker.MOST));
        acknowledge(2, true);
        assertFalse(messages.isFull(MessageTracker.MOST));
        now = 1_008;
        assertEquals(7, account().unacknowledged());
        now = 10_000;
        assertEquals(63, account().unacknowledged());
    }

    @Test
    void send_withoutAcknowledgementOrEcho_isSettledAtOnce() {
        MessageTracker unasked = new MessageTracker(false);
        for (int i = 0; i < 200; i++) {
            unasked.send(i, i, false, 8);
        }
        assertFalse(unasked.isFull(MessageTracker.MOST));
        assertEquals(
                new MessageTracker.Account(0, 0, 0, 0, ""), unasked.account(100_000, 0, HELD, false, (from, to) -> 0));
    }

    @Test
    void send_withoutAcknowledgement_hasToComeBack() {
        messages.send(0, 0, false, 8);
        messages.send(0, 0, false, 8);
        messages.echo(2);
        assertAccount(1, 0, 0);
        messages.echo(1);
        assertAccount(0, 0, 0);
        messages.send(0, 0, false, 8);
        now = 1_000;
        assertAccount(0, 0, 0);
        now = 1_001;
        assertAccount(0, 1, 0);
        now = 3_001;
        assertAccount(1, 0, 0);
    }

    @Test
    void account_cameBackAndWasNeverAcknowledged_isUnacknowledged() {
        send(2);
        messages.echo(1);
        acknowledge(2, true);
        messages.echo(2);
        now = 1_001;
        assertAccount(0, 1, 0);
        disconnect();
        assertAccount(0, 1, 0);
    }

    @Test
    void account_laterOneCameBack_isLostAtOnce() {
        send(3);
        acknowledge(1, true);
        messages.echo(2);
        assertAccount(1, 0, 0);
        messages.echo(1);
        assertAccount(0, 0, 0);
    }

    // ---- over several connections

    @Test
    void disconnected_acknowledgedLongBefore_isLostUntilItComesBack() {
        send(2);
        acknowledge(1, true);
        acknowledge(2, true);
        now = 1_001;
        disconnect();
        assertAccount(2, 0, 0);
        send(1);
        acknowledge(3, true);
        messages.echo(3);
        assertAccount(2, 0, 0);
        assertEquals(Fact.ECHOED, messages.echo(2));
        assertEquals(Fact.DOUBLED, messages.echo(2));
        assertAccount(1, 0, 0);
    }

    @Test
    void disconnected_acknowledgedShortlyBefore_isOpenWhereEchoesFollowTheirAcknowledgement() {
        send(1);
        acknowledge(1, true);
        now = 1_000;
        disconnect();
        assertAccount(0, 0, 1);
        assertEquals(
                new MessageTracker.Account(1, 0, 0, 0, ""),
                messages.account(now, 0, HELD, false, (from, to) -> 0),
                "a server that was never seen to echo behind its acknowledgement has nothing under way");
    }

    @Test
    void disconnected_notAcknowledged_mayComeBackOrNot() {
        send(2);
        now = 1_000;
        disconnect();
        assertAccount(0, 0, 2);
        assertEquals(Fact.ECHOED, messages.echo(1));
        assertEquals(Fact.DOUBLED, messages.echo(1));
        assertEquals(Fact.UNASKED, acknowledge(2, true), "what was said on another connection");
        assertAccount(0, 0, 1);
    }

    @Test
    void disconnected_notAcknowledgedLongBefore_isUnacknowledgedUnlessExcused() {
        send(2);
        now = 1_001;
        disconnect();
        assertEquals(1, account().unacknowledged());
        send(1);
        now = 9_000;
        messages.disconnected(now, HELD, true, (from, to) -> 0);
        assertEquals(1, account().unacknowledged());
    }

    @Test
    void disconnected_generatorStoodStill_takesThatOff() {
        send(1);
        acknowledge(1, true);
        now = 5_000;
        messages.disconnected(now, HELD, false, (from, to) -> 4_000);
        assertAccount(0, 0, 1);
    }

    @Test
    void account_serverThatRedelivers_hasTimeAfterTheNextConnect() {
        send(1);
        acknowledge(1, true);
        now = 9_000;
        disconnect();
        assertEquals(
                new MessageTracker.Account(0, 0, 0, 1, ""),
                messages.account(10_000, 9_500, KEEPS, true, (from, to) -> 0));
        assertEquals(
                new MessageTracker.Account(1, 0, 0, 0, ""),
                messages.account(10_501, 9_500, KEEPS, true, (from, to) -> 0));
    }

    @Test
    void acknowledge_whileLeaving_leavesOpenWhetherItComesBack() {
        send(1);
        messages.acknowledge(1, true, now, true);
        now = 9_000;
        assertAccount(0, 0, 1);
    }

    @Test
    void excuse_networkCut_leavesOpenWhatIsUnderWay() {
        send(2);
        acknowledge(1, true);
        messages.excuse();
        now = 90_000;
        assertAccount(0, 0, 2);
        acknowledge(2, true);
        messages.echo(2);
        assertAccount(0, 0, 1);
    }

    @Test
    void stranger_insteadOfOneThatIsMissing_isThatOneChanged() {
        messages.unknown("hello");
        messages.unknown("later");
        assertAccount(0, 0, 0);
        messages.send(0, 0, false, 8);
        now = 3_001;
        assertEquals(new MessageTracker.Account(0, 1, 0, 0, "hello"), account());
    }

    /** Acknowledges and swallows, and sends the device away each time: all of it is remembered. */
    @Test
    void account_manyConnections_losesNothingOfWhatWasLost() {
        for (int connection = 0; connection < 50; connection++) {
            for (int i = 0; i < 211; i++) {
                now += 10;
                acknowledge(messages.send(now, now, true, 8), true);
            }
            disconnect();
        }
        assertEquals(
                new MessageTracker.Account(50 * 211, 0, 0, 0, ""),
                messages.account(now, 0, HELD, false, (from, to) -> 0));
    }

    @Test
    void account_moreThanIsRemembered_isStillCounted() {
        int many = 3 * MessageTracker.REMEMBERED;
        for (int i = 0; i < many; i++) {
            acknowledge(messages.send(now, now, true, 8), true);
        }
        now = 2_000;
        assertAccount(many, 0, 0);
    }
}

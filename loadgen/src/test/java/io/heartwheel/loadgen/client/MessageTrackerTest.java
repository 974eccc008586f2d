package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.MessageTracker.Fact;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MessageTrackerTest {

    private static final MessageContract HELD = new MessageContract(true, true, 1_000, 1_000, false, 0, false);
    private static final MessageContract KEEPS = new MessageContract(true, true, 1_000, 1_000, true, 0, false);

    private static final MessageContract NO_ECHO = new MessageContract(false, true, 1_000, 1_000, false, 0, false);

    private final List<String> faults = new ArrayList<>();
    private final MessageTracker messages = tracker(HELD);
    private long now;
    private long stall;

    private MessageTracker tracker(MessageContract contract) {
        return new MessageTracker(
                contract,
                false,
                (from, to) -> stall,
                (what, id, sent, waited, detail) -> faults.add(
                        what + " " + id + (waited > 0 ? " " + waited : "") + (detail.isEmpty() ? "" : " " + detail)));
    }

    private void send(int many) {
        for (int i = 0; i < many; i++) {
            messages.send(now + i, now + i + 10, true, 8);
        }
    }

    private Fact acknowledge(long id, boolean taken) {
        return messages.acknowledge(id, true, taken, now, false, false);
    }

    private Fact acknowledgeNext(long at) {
        return messages.acknowledge(messages.nextToAcknowledge(at), false, true, at, false, false);
    }

    private Fact echo(long id) {
        return messages.echo(id, now, false);
    }

    private void assertFaults(String... wanted) {
        assertEquals(List.of(wanted), faults);
        faults.clear();
    }

    private void disconnect() {
        messages.disconnected(now, false);
    }

    /** What is told at the end; and how many are left open. */
    private void assertAccount(MessageTracker judge, long at, long opened, boolean follow, int lost, int open) {
        long left = judge.account(at, opened, follow);
        assertEquals(
                lost, faults.stream().filter(each -> each.startsWith("LOST")).count(), faults::toString);
        assertEquals(open, left);
        faults.clear();
    }

    private void assertAccount(int lost, int unacknowledged, int open) {
        int before = faults.size();
        long left = messages.account(now, 0, true);
        List<String> told = new ArrayList<>(faults.subList(before, faults.size()));
        assertEquals(lost, told.stream().filter(each -> each.startsWith("LOST")).count(), told::toString);
        assertEquals(
                unacknowledged,
                told.stream()
                        .filter(each -> each.startsWith("UNACKNOWLEDGED") || each.startsWith("OVERDUE"))
                        .count(),
                told::toString);
        assertEquals(open, left);
        faults.subList(before, faults.size()).clear();
    }

    @Test
    void acknowledge_inOrder_settlesEach() {
        now = 1_000;
        send(3);
        for (long id = 1; id <= 3; id++) {
            assertEquals(Fact.ACCEPTED, acknowledge(id, true));
        }
        assertAccount(0, 0, 3);
    }

    @Test
    void acknowledge_outOfOrderTwiceOrUnasked_isTold() {
        send(3);
        assertEquals(Fact.ACCEPTED, acknowledge(2, true));
        assertEquals(Fact.ACCEPTED, acknowledge(1, true));
        assertFaults("DISORDERED 1");
        assertEquals(Fact.AGAIN, acknowledge(1, true));
        assertEquals(Fact.AGAIN, acknowledge(2, false));
        assertFaults("DOUBLED 1", "DOUBLED 2");
        assertEquals(Fact.UNASKED, acknowledge(4, true));
        assertEquals(Fact.UNASKED, acknowledge(0, true));
        assertEquals(Fact.REFUSED, acknowledge(3, false));
        now = 1_001;
        assertAccount(2, 0, 0);
    }

    @Test
    void echo_inOrderLateTwiceOrUnasked_isTold() {
        send(4);
        assertEquals(Fact.ECHOED, echo(1));
        assertEquals(Fact.ECHOED, echo(3));
        assertFaults();
        assertEquals(Fact.ECHOED, echo(2));
        assertFaults("DISORDERED 2");
        assertEquals(Fact.AGAIN, echo(2));
        assertEquals(Fact.AGAIN, echo(3));
        assertFaults("DOUBLED 2", "DOUBLED 3");
        assertEquals(Fact.UNASKED, echo(5));
        assertEquals(Fact.ECHOED, echo(4));
    }

    // ---- each by its own deadline

    @Test
    void acknowledge_laterThanItMay_isTold() {
        send(3);
        now = 1_010;
        acknowledge(1, true);
        assertFaults();
        now = 1_013;
        acknowledge(3, true);
        acknowledge(2, true);
        assertFaults("ACKNOWLEDGED_LATE 3 1001", "ACKNOWLEDGED_LATE 2 1002", "DISORDERED 2");
    }

    @Test
    void echo_laterThanItMayAfterItsAcknowledgement_isTold() {
        send(2);
        now = 900;
        acknowledge(1, true);
        acknowledge(2, true);
        now = 1_890;
        echo(1);
        assertFaults();
        now = 2_000;
        stall = 100;
        echo(2);
        assertFaults();
        send(1);
        stall = 0;
        now = 2_100;
        acknowledge(3, true);
        now = 3_101;
        echo(3);
        assertFaults("LATE 3 1001");
    }

    @Test
    void echo_lateBehindALaterOne_isLateAndOutOfOrder() {
        messages.send(0, 0, false, 8);
        messages.send(0, 500, false, 8);
        now = 600;
        echo(2);
        now = 1_001;
        echo(1);
        assertFaults("LATE 1 1001", "DISORDERED 1");
        assertAccount(0, 0, 0);
    }

    @Test
    void late_excused_isNotTold() {
        send(1);
        messages.send(0, 0, false, 8);
        messages.acknowledge(1, true, true, 5_000, true, false);
        messages.echo(2, 5_000, true);
        assertFaults();
    }

    @Test
    void acknowledgeNext_someWereLost_answersOneThatIsInTime() {
        send(2);
        now = 2_000;
        send(2);
        acknowledgeNext(2_500);
        acknowledgeNext(2_501);
        assertFaults();
        acknowledgeNext(2_511);
        assertFaults("ACKNOWLEDGED_LATE 2 2500");
        acknowledgeNext(2_511);
        assertFaults("ACKNOWLEDGED_LATE 1 2501");
        assertEquals(Fact.UNASKED, acknowledgeNext(2_511));
    }

    @Test
    void isFull_sixtyFourWait_holdsBackUntilOneIsAcknowledged() {
        send(64);
        assertTrue(messages.isFull(MessageTracker.MOST));
        acknowledge(2, true);
        assertFalse(messages.isFull(MessageTracker.MOST));
        now = 1_008;
        echo(2);
        assertAccount(0, 0, 63);
        now = 1_018;
        assertAccount(0, 7, 56);
        now = 10_000;
        assertAccount(0, 63, 0);
    }

    @Test
    void send_withoutAcknowledgementOrEcho_isSettledAtOnce() {
        MessageTracker unasked = tracker(NO_ECHO);
        for (int i = 0; i < 200; i++) {
            unasked.send(i, i, false, 8);
        }
        assertFalse(unasked.isFull(MessageTracker.MOST));
        assertAccount(unasked, 100_000, 0, false, 0, 0);
    }

    @Test
    void send_withoutAcknowledgement_hasToComeBack() {
        messages.send(0, 0, false, 8);
        messages.send(0, 0, false, 8);
        echo(2);
        assertAccount(1, 0, 0);
        echo(1);
        assertAccount(0, 0, 0);
        messages.send(0, 0, false, 8);
        now = 1_000;
        assertAccount(0, 0, 1);
        now = 1_001;
        assertAccount(0, 1, 0);
        now = 3_001;
        assertAccount(1, 0, 0);
    }

    @Test
    void account_cameBackAndWasNeverAcknowledged_isUnacknowledged() {
        send(2);
        echo(1);
        acknowledge(2, true);
        echo(2);
        now = 1_011;
        assertAccount(0, 1, 0);
        disconnect();
        assertFaults("UNACKNOWLEDGED 1 1001");
    }

    @Test
    void account_laterOneCameBack_isLostAtOnce() {
        send(3);
        acknowledge(1, true);
        echo(2);
        assertAccount(1, 0, 1);
        echo(1);
        assertAccount(0, 0, 1);
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
        echo(3);
        assertAccount(2, 0, 0);
        assertEquals(Fact.ECHOED, echo(2));
        assertEquals(Fact.AGAIN, echo(2));
        assertAccount(1, 0, 0);
    }

    @Test
    void disconnected_acknowledgedShortlyBefore_isOpenWhereEchoesFollowTheirAcknowledgement() {
        send(1);
        acknowledge(1, true);
        now = 1_000;
        disconnect();
        assertAccount(0, 0, 1);
        // a server that was never seen to echo behind its acknowledgement has nothing under way
        assertAccount(messages, now, 0, false, 1, 0);
    }

    @Test
    void disconnected_notAcknowledged_mayComeBackOrNot() {
        send(2);
        now = 1_000;
        disconnect();
        assertAccount(0, 0, 2);
        assertEquals(Fact.ECHOED, echo(1));
        assertEquals(Fact.AGAIN, echo(1));
        assertEquals(Fact.UNASKED, acknowledge(2, true), "what was said on another connection");
        assertAccount(0, 0, 1);
    }

    @Test
    void disconnected_notAcknowledgedLongBefore_isUnacknowledgedUnlessExcused() {
        send(2);
        now = 1_011;
        disconnect();
        assertFaults("UNACKNOWLEDGED 1 1001");
        send(1);
        now = 9_000;
        messages.disconnected(now, true);
        assertFaults();
    }

    @Test
    void disconnected_excusedWhileAnAcknowledgedOneWasOverdue_leavesItOpenUnlessALaterOneCameBack() {
        send(3);
        acknowledge(1, true);
        acknowledge(2, true);
        echo(2);
        acknowledge(3, true);
        now = 9_000;
        messages.disconnected(now, true);
        assertAccount(1, 0, 1);
    }

    @Test
    void disconnected_generatorStoodStill_takesThatOff() {
        send(1);
        acknowledge(1, true);
        now = 5_000;
        stall = 4_000;
        disconnect();
        assertAccount(0, 0, 1);
    }

    @Test
    void account_serverThatRedelivers_hasTimeAfterTheNextConnect() {
        MessageTracker keeping = tracker(KEEPS);
        keeping.send(0, 0, true, 8);
        keeping.acknowledge(1, true, true, 0, false, false);
        keeping.disconnected(9_000, false);
        assertAccount(keeping, 10_000, 9_500, true, 0, 1);
        assertAccount(keeping, 10_501, 9_500, true, 1, 0);
    }

    @Test
    void acknowledge_whileLeaving_leavesOpenWhetherItComesBack() {
        send(1);
        messages.acknowledge(1, true, true, now, false, true);
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
        echo(2);
        assertAccount(0, 0, 1);
    }

    @Test
    void stranger_whereOneWasToComeAfterAnotherWasLost_isThatOneChanged() {
        for (int i = 0; i < 4; i++) {
            messages.send(0, 0, false, 8);
        }
        echo(2);
        messages.unknown("hello");
        echo(4);
        messages.account(0, 0, true);
        assertFaults("LOST 1", "CHANGED 3 hello");
    }

    /** A server that greets, or has something to say now and then, did not change what it lost. */
    @Test
    void strangers_insteadOfNothing_changeNothing() {
        messages.unknown("welcome");
        messages.send(0, 0, false, 8);
        messages.unknown("news");
        echo(1);
        messages.send(0, 0, false, 8);
        now = 3_001;
        messages.account(now, 0, true);
        assertFaults("LOST 2");
    }

    @Test
    void stranger_insteadOfOneThatIsMissing_isThatOneChanged() {
        messages.send(0, 0, false, 8);
        messages.send(0, 0, false, 8);
        messages.unknown("hello");
        messages.unknown("later");
        now = 3_001;
        messages.account(now, 0, true);
        assertFaults("CHANGED 1 hello", "CHANGED 2 something else came instead");
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
        assertAccount(messages, now, 0, false, 50 * 211, 0);
    }

    @Test
    void send_oneIsForgottenThatNobodyAcknowledged_tellsItAndMakesRoom() {
        messages.send(now, now, true, 8);
        for (int i = 0; i < MessageTracker.REMEMBERED; i++) {
            long id = messages.send(++now, now, true, 8);
            acknowledge(id, true);
            echo(id);
        }
        assertFaults("UNACKNOWLEDGED 1 " + MessageTracker.REMEMBERED);
        assertFalse(messages.isFull(1), "nothing waits any more");
        assertAccount(0, 0, 0);
    }

    @Test
    void account_timeNotOver_isUnknown() {
        send(3);
        acknowledge(1, true);
        acknowledge(2, true);
        echo(2);
        messages.send(now, now, false, 8);
        assertAccount(1, 0, 2);
        assertAccount(messages, now, 0, true, 1, 2);
    }

    @Test
    void account_moreThanIsRemembered_isStillCounted() {
        int many = 3 * MessageTracker.REMEMBERED;
        for (int i = 0; i < many; i++) {
            acknowledge(messages.send(now, now, true, 8), true);
        }
        now = 2_000;
        assertAccount(messages, now, 0, true, many, 0);
    }
}

package io.heartwheel.loadgen.client;

import static io.heartwheel.loadgen.client.Rig.MILLI;
import static io.heartwheel.loadgen.client.Rig.NONE;
import static io.heartwheel.loadgen.client.Rig.WELCOME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.pace.Comeback;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A chatty device that sends again what was not accepted: over TCP frames, in virtual time. */
final class ResendTest {

    private static final String OF_A_MESSAGE = "0501";
    private static final int SIZE = 24;
    private static final String ACCEPTED = "00";
    private static final String REFUSED = "01";

    private final Rig rig = new Rig(new Comeback(Comeback.Kind.FIXED, 500 * MILLI, 500 * MILLI));
    private final Device device = new Device(
            rig.loopContext, rig.dialect(), Behaviours.chatty(10, new Payload(Payload.Kind.FIXED, SIZE, SIZE)), 3);

    @BeforeEach
    void resend() {
        rig.loopContext.messageContract(
                new MessageContract(false, true, 1_000 * MILLI, 1_000 * MILLI, false, 0, true), 10);
        rig.connect(device, rig.now);
        rig.receive(WELCOME);
        rig.forget();
    }

    @AfterEach
    void tidy() {
        rig.close();
    }

    /** The messages that were written since it was asked last, whole; other frames are left out. */
    private List<String> messages() {
        List<String> frames = new ArrayList<>();
        for (String sent = rig.sent(); sent != null; sent = rig.sent()) {
            if (sent.startsWith(OF_A_MESSAGE)) {
                frames.add(sent);
            }
        }
        return frames;
    }

    private List<String> sendSome(int many) {
        List<String> frames = new ArrayList<>();
        while (frames.size() < many) {
            rig.step(device);
            frames.addAll(messages());
        }
        return frames;
    }

    private void answer(String frame, String status) {
        rig.receive("06000009" + frame.substring(8, 24) + status);
    }

    private EmbeddedChannel comeBack() {
        rig.channel().close();
        int before = rig.channels.size();
        while (rig.channels.size() == before) {
            rig.step(device);
        }
        return rig.channel();
    }

    @Test
    void opened_messagesWithoutAcknowledgement_goFirstAndInOrderWithTheSameBytes() {
        List<String> frames = sendSome(5);
        answer(frames.get(0), ACCEPTED);
        answer(frames.get(2), ACCEPTED);
        comeBack();
        assertEquals(List.of(), messages(), "nothing before the welcome");
        rig.receive(WELCOME);
        assertEquals(List.of(frames.get(1), frames.get(3), frames.get(4)), messages());
        String next = sendSome(1).get(0);
        assertFalse(frames.contains(next), "and then new ones");
    }

    @Test
    void opened_lostTwice_sendsAgainEachTimeUntilAccepted() {
        List<String> frames = sendSome(2);
        for (int i = 0; i < 2; i++) {
            comeBack();
            rig.receive(WELCOME);
            assertEquals(frames, messages());
        }
        rig.seen.clear();
        frames.forEach(frame -> answer(frame, ACCEPTED));
        assertEquals(List.of("message ACCEPTED", "message ACCEPTED"), rig.seen);
        comeBack();
        rig.receive(WELCOME);
        assertEquals(List.of(), messages());
    }

    @Test
    void acknowledged_refused_isSentAgainAWhileLaterBehindNewerOnes() {
        List<String> frames = sendSome(2);
        answer(frames.get(0), REFUSED);
        answer(frames.get(1), ACCEPTED);
        long refusedNanos = rig.now;
        while (rig.now - refusedNanos < DeviceMessages.RETRY_NANOS && rig.due != NONE) {
            assertFalse(messages().contains(frames.get(0)));
            rig.step(device);
        }
        assertTrue(messages().contains(frames.get(0)));
        rig.seen.clear();
        answer(frames.get(0), ACCEPTED);
        assertEquals(List.of("message ACCEPTED"), rig.seen, "not overtaken: it was sent again behind the other");
    }

    @Test
    void acknowledged_twice_isTold() {
        String frame = sendSome(1).get(0);
        comeBack();
        rig.receive(WELCOME);
        answer(frame, ACCEPTED);
        rig.seen.clear();
        answer(frame, ACCEPTED);
        assertTrue(rig.seen.contains("message DOUBLED"), rig.seen::toString);
    }

    @Test
    void message_tooManyUnacknowledged_areHeldBackAcrossConnections() {
        sendSome(MessageTracker.MOST);
        comeBack();
        rig.receive(WELCOME);
        assertEquals(MessageTracker.MOST, messages().size());
        rig.seen.clear();
        rig.runTo(device, rig.now / MILLI + 500);
        assertTrue(rig.seen.contains("message HELD_BACK"));
        assertEquals(List.of(), messages());
    }

    @Test
    void account_awayWithMessagesUnacknowledged_isNoFault() {
        sendSome(3);
        rig.channel().close();
        rig.now += 60_000 * MILLI;
        assertEquals(3, device.judgeMessages(rig.now), "unknown, since they still wait to be sent again");
        assertTrue(rig.seen.stream().noneMatch("message UNACKNOWLEDGED"::equals), rig.seen::toString);
    }

    @Test
    void hush_chattyDevice_onlySendsAgain() {
        List<String> frames = sendSome(1);
        rig.loopContext.hush();
        rig.runTo(device, rig.now / MILLI + 2_000);
        assertEquals(List.of(), messages());
        comeBack();
        rig.receive(WELCOME);
        assertEquals(frames, messages());
        assertNull(rig.sent());
    }

    @Test
    void received_messageOfAnotherDevice_isToldWithItsSenderAndNumberAndNothingElse() {
        String frame = sendSome(2).get(1);
        Device other = new Device(rig.loopContext, rig.dialect(), Behaviours.steady(), 4);
        rig.connect(other, rig.now);
        rig.receive(WELCOME);
        rig.seen.clear();
        rig.receive(frame);
        assertEquals(List.of("misdelivered 3 2"), rig.seen);
    }

    @Test
    void sendAgain_notWanted_leavesMessagesOpen() {
        rig.loopContext.messageContract(
                new MessageContract(false, true, 1_000 * MILLI, 1_000 * MILLI, false, 0, false), 10);
        Device forgetful = new Device(
                rig.loopContext, rig.dialect(), Behaviours.chatty(10, new Payload(Payload.Kind.FIXED, SIZE, SIZE)), 4);
        rig.connect(forgetful, rig.now);
        rig.receive(WELCOME);
        rig.forget();
        while (messages().isEmpty()) {
            rig.step(forgetful);
        }
        rig.channel().close();
        rig.connect(forgetful, rig.now);
        rig.receive(WELCOME);
        assertEquals(List.of(), messages());
        assertEquals(1, forgetful.judgeMessages(rig.now));
    }
}

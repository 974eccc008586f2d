package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.Credentials.Habit;
import io.heartwheel.loadgen.pace.Comeback;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A device in virtual time whose token expires, or is wrong. */
final class RenewalTest {

    /** Status 1, 5,000 ms left. */
    private static final String WARNING = "090000050100001388";

    private static final String ACCEPTED = "090000050000002710";
    private static final long LIFE = 10_000 * Rig.MILLI;

    private int made;

    private Rig rig(Habit habit, Dialect dialect) {
        Rig rig = new Rig(Comeback.NEVER, 0, dialect);
        rig.loopContext.credentials(
                new Credentials() {
                    @Override
                    public Habit habit(int index) {
                        return habit;
                    }

                    @Override
                    public Credential made(int index, long nowNanos) {
                        return new Credential("t" + ++made, nowNanos + LIFE);
                    }
                },
                new CredentialObserver<>() {});
        return rig;
    }

    private Rig rig(Habit habit) {
        return rig(habit, new HeartwheelDialect());
    }

    @Test
    void hello_ofEachHabit_hasItsTokenAndWhatItUnderstands() {
        try (Rig rig = rig(Habit.RENEW);
                Rig old = rig(Habit.OLD)) {
            rig.connected(Behaviours.steady());
            String hello = rig.sent();
            assertTrue(hello.startsWith("48570101", 8), hello);
            assertTrue(hello.contains("00027431"), hello);
            old.connected(Behaviours.steady());
            assertTrue(old.sent().startsWith("48570100", 8));
        }
    }

    @Test
    void warning_ofADeviceThatRenews_isAnsweredWithANewerToken() {
        try (Rig rig = rig(Habit.RENEW)) {
            Device device = rig.welcomed(Behaviours.steady());
            rig.now += 1_000 * Rig.MILLI;
            rig.receive(WARNING);
            assertEquals("090000027432", rig.sent());
            rig.receive(WARNING);
            assertNull(rig.sent());
            assertEquals(LIFE, device.admission().expiresNanos());
            rig.receive(ACCEPTED);
            assertEquals(LIFE + 1_000 * Rig.MILLI, device.admission().expiresNanos());
        }
    }

    @Test
    void warning_ofADeviceThatNeverRenews_isHeardAndNotAnswered() {
        try (Rig rig = rig(Habit.NEVER)) {
            Device device = rig.welcomed(Behaviours.steady());
            rig.receive(WARNING);
            assertNull(rig.sent());
            assertTrue(device.admission().wasWarned());
        }
    }

    @Test
    void early_device_renewsWithAHeartbeatBeforeItIsWarned() {
        try (Rig rig = rig(Habit.EARLY)) {
            Device device = rig.welcomed(Behaviours.steady());
            rig.runTo(device, 9_000);
            boolean renewed = false;
            for (String sent = rig.sent(); sent != null; sent = rig.sent()) {
                renewed |= sent.startsWith("09000002");
            }
            assertTrue(renewed, rig.seen::toString);
        }
    }

    @Test
    void auth_toADeviceThatDoesNotUnderstandIt_isABreach() {
        try (Rig rig = rig(Habit.OLD)) {
            rig.welcomed(Behaviours.steady());
            rig.receive(WARNING);
            assertTrue(rig.seen.toString().contains("violated"), rig.seen::toString);
        }
    }

    @Test
    void welcome_withAWrongCredential_isSeenAndTheDeviceLeaves() {
        try (Rig rig = rig(Habit.WRONG)) {
            Device device = rig.connected(Behaviours.steady());
            rig.receive(Rig.WELCOME);
            assertTrue(device.isFinished());
            assertEquals(ExpectedOutcome.LEAVING, device.expectedOutcome());
        }
    }

    @Test
    void refusal_ofAWrongCredential_isNoRefusalOfAGoodOne() {
        try (Rig rig = rig(Habit.WRONG)) {
            Device device = rig.connected(Behaviours.steady());
            rig.receive(Rig.close(4401));
            assertTrue(device.isFinished());
            assertTrue(rig.seen.isEmpty(), rig.seen::toString);
        }
    }

    @Test
    void upgrade_ofAPlainDevice_offersItsTokenAsASubprotocolAlone() {
        WsRequest request = new WsRequest(Template.of("/ws"), false, Map.of(), null);
        try (Rig rig = rig(Habit.RENEW, new PlainWsDialect("h", request))) {
            rig.connected(Behaviours.steady());
            String sent = new String(HexFormat.of().parseHex(rig.sent()), StandardCharsets.US_ASCII);
            assertTrue(sent.contains("Sec-WebSocket-Protocol: heartwheel.plain, heartwheel.bearer.t1\r\n"), sent);
            assertEquals(sent.indexOf("t1"), sent.lastIndexOf("t1"), sent);
        }
    }

    @Test
    void upgrade_thatIsRefused_isNoBreach() {
        WsRequest request = new WsRequest(Template.of("/ws"), false, Map.of(), null);
        try (Rig rig = rig(Habit.RENEW, new PlainWsDialect("h", request))) {
            rig.connected(Behaviours.steady());
            byte[] answer =
                    "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            rig.receive(HexFormat.of().formatHex(answer));
            assertEquals("[refused NOT_ACCEPTED 0]", rig.seen.toString());
        }
    }
}

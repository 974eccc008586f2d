package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.pace.Comeback;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One device that speaks MQTT, byte by byte in virtual time: id {@code d-3}, keep-alive 2 s. */
final class MqttDialectTest {

    private static final String PINGREQ = "c000";
    private static final String PINGRESP = "d000";
    private static final String ACCEPTED_3 = "20020000";
    private static final String ACCEPTED_5 = "2003000000";

    private Rig rig = new Rig();

    @AfterEach
    void close() {
        rig.close();
    }

    private static MqttSettings settings(boolean version5, String clientId, String filter) {
        return new MqttSettings(
                version5,
                Template.of(clientId),
                Template.of("u-{number}"),
                Template.of(""),
                true,
                0,
                1,
                Template.of("t/{id}"),
                Template.of(filter));
    }

    private Device device(boolean version5, String clientId, String filter, Behaviour behaviour) {
        rig = new Rig(Comeback.NEVER, 0, new MqttDialect(settings(version5, clientId, filter)));
        rig.dialect().withContract(ServerContract.mqtt(version5, Rig.TIMEOUTS.handshakeNanos()));
        return rig.connected(behaviour);
    }

    /** A device that was taken in and subscribes to nothing. */
    private Device opened(boolean version5, String connack) {
        Device device = device(version5, "{id}", "", Behaviours.steady());
        rig.receive(connack);
        rig.forget();
        return device;
    }

    private static String text(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
    }

    // ---- the way up

    @Test
    void greet_version311_saysWhoItIsAndItsKeepAlive() {
        Device device = device(false, "c-{number:4}", "", Behaviours.steady());
        String connect = rig.sent();
        assertEquals("1017" + "00044d51545404" + "82" + "0002" + "0006", connect.substring(0, 28));
        assertEquals("c-0003", text(connect.substring(28, 40)));
        assertEquals("u-3", text(connect.substring(44)));
        rig.receive(ACCEPTED_3);
        assertTrue(device.isOpen());
        assertEquals(2_000, device.grantedMillis());
        assertEquals(3_000 * Rig.MILLI, device.allowedSilenceNanos());
    }

    @Test
    void connack_serverKeepAlive_isKept() {
        Device device = opened(true, "2006" + "0000" + "03" + "130001");
        assertEquals(1_000, device.grantedMillis());
        assertEquals(1_500 * Rig.MILLI, device.allowedSilenceNanos());
    }

    @Test
    void connack_serverKeepAliveOff_allowsSilenceLongerThanAnyRun() {
        assertEquals(65_535_000, opened(true, "2006" + "0000" + "03" + "130000").grantedMillis());
    }

    @ParameterizedTest
    @CsvSource({
        "20020003, refused CLOSE 3",
        "20020006, violated CONNACK with return code 6 (130)",
        "20020100, violated CONNACK with session present to a client that asked for a clean one",
        "20020103, violated CONNACK that refuses with session present",
        "20020200, violated CONNACK with flags 0x2 (130)",
        "d000, violated PINGRESP before CONNACK (130)",
        "20020000 20020000, violated a second CONNACK (130)",
        "20020000 9003000100, violated SUBACK of packet identifier 1 that was not sent (130)",
        "20020000 50020001, violated PUBREC that nothing was sent for (130)",
        "20020000 d100, violated PINGRESP with flags 0x1 (129)",
        "20020000 d000, violated PINGRESP that no PINGREQ asked for",
        "20020000 40020001, message UNASKED",
    })
    void read_version311_whatABrokerMustNotSay_isTold(String bytes, String told) {
        device(false, "{id}", "", Behaviours.steady());
        rig.receive(bytes.replace(" ", ""));
        assertTrue(rig.seen.contains(told), () -> rig.seen.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "2003008700, refused CLOSE 135",
        "20020001, refused CLOSE 1",
        "20020000, violated CONNACK of 2 bytes to a client of version 5 (130)",
        "2003000000 e0018d, ended CLOSE 141",
        "2003000000 e000, ended CLOSE 256",
        "2003000000 f000, violated AUTH that nothing was sent for (130)",
    })
    void read_version5_whatABrokerSays_isTold(String bytes, String told) {
        device(true, "{id}", "", Behaviours.steady());
        rig.receive(bytes.replace(" ", ""));
        assertTrue(rig.seen.stream().anyMatch(said -> said.startsWith(told)), () -> rig.seen.toString());
    }

    @Test
    void greet_clientIdAssigned_isUsedTheNextTime() {
        Device device = device(true, "", "", Behaviours.steady());
        assertFalse(rig.sent().contains("7372762d31"), "srv-1");
        rig.receive("200b" + "0000" + "08" + "120005" + "7372762d31");
        rig.forget();
        rig.connect(device, rig.now);
        assertTrue(rig.sent().contains("00057372762d31"), "srv-1");
    }

    // ---- heartbeats

    @Test
    void beat_andItsAnswer_areTwoBytesEach() {
        Device device = opened(false, ACCEPTED_3);
        rig.step(device);
        assertEquals(PINGREQ, rig.sent());
        rig.receive(PINGRESP);
        assertTrue(rig.seen.get(rig.seen.size() - 1).startsWith("answered"), () -> rig.seen.toString());
    }

    @Test
    void pingresp_late_isToldByHowMuchAndIsNotUnasked() {
        Device device = opened(false, ACCEPTED_3);
        rig.step(device);
        rig.step(device);
        rig.receive(PINGRESP);
        assertTrue(rig.seen.stream().noneMatch(said -> said.startsWith("late")), () -> rig.seen.toString());
        rig.receive(PINGRESP);
        assertTrue(rig.seen.stream().anyMatch(said -> said.endsWith(" ms late")), () -> rig.seen.toString());
        assertTrue(rig.seen.stream().noneMatch(said -> said.startsWith("violated")), () -> rig.seen.toString());
        rig.receive(PINGRESP);
        assertTrue(rig.seen.contains("violated PINGRESP that no PINGREQ asked for"), () -> rig.seen.toString());
    }

    @Test
    void pingresp_oneMissing_isCountedOnceWhenItsTimeIsOver() {
        Device device = opened(false, ACCEPTED_3);
        rig.step(device);
        rig.step(device);
        rig.receive(PINGRESP);
        device.judgeMissing(rig.now);
        device.judgeMissing(rig.now);
        assertEquals(
                1,
                rig.seen.stream()
                        .filter(said -> said.startsWith("unanswered 1"))
                        .count(),
                () -> rig.seen.toString());
    }

    // ---- messages

    @Test
    void publish_moreThanTheBrokerTakes_isHeldBack() {
        Device device = opened(true, "2006" + "0000" + "03" + "210002");
        for (int i = 0; i < 3; i++) {
            device.message(rig.now, 16);
        }
        assertEquals(
                List.of("message SENT", "message SENT", "message HELD_BACK"),
                rig.seen.stream().filter(said -> said.startsWith("message")).toList());
        rig.receive("40020001");
        device.message(rig.now, 16);
        assertEquals("message SENT", rig.seen.get(rig.seen.size() - 1));
    }

    @Test
    void publish_maximumQos0_wantsNoAcknowledgement() {
        Device device = opened(true, "2005" + "0000" + "02" + "2400");
        device.message(rig.now, 16);
        assertTrue(rig.sent().startsWith("30"));
        assertTrue(rig.seen.contains("message SENT_UNASKED"), () -> rig.seen.toString());
    }

    @Test
    void publish_maximumPacketSize_isNotExceeded() {
        Device device = opened(true, "2008" + "0000" + "05" + "2700000040");
        device.message(rig.now, 4_000);
        int bytes = rig.sent().length() / 2;
        assertTrue(bytes <= 64 && bytes > 32, () -> bytes + " bytes");
    }

    @Test
    void publish_packetIdentifiers_beginAgainAfter65535() {
        Device device = opened(false, ACCEPTED_3);
        String first = null;
        for (int id = 1; id <= 65_537; id++) {
            device.message(rig.now, 0);
            String sent = rig.sent();
            assertNotNull(sent);
            int wanted = (id - 1) % 65_535 + 1;
            String hex = String.format("%04x", wanted);
            assertTrue(sent.startsWith(hex, 18), () -> sent + ": need packet identifier " + hex);
            rig.receive("4002" + hex);
            rig.seen.removeIf("message SENT"::equals);
            assertTrue(rig.seen.remove("message ACCEPTED"), () -> hex + rig.seen);
            first = first == null ? hex : first;
        }
        assertEquals("0001", first);
        rig.receive("40020002");
        assertTrue(rig.seen.contains("message DOUBLED"), () -> rig.seen.toString());
    }

    @Test
    void publish_received_isAcknowledgedAndMatchedWithItsTopic() {
        device(false, "{id}", "t/{id}", Behaviours.steady());
        rig.receive(ACCEPTED_3);
        rig.forget();
        rig.receive("9003000101");
        assertEquals(List.of("opened"), rig.seen);
        rig.receive("3209" + "0005" + "742f642d33" + "0007"); // t/d-3, packet identifier 7
        assertEquals("40020007", rig.sent());
        rig.receive("3209" + "0005" + "742f642d34" + "0008"); // t/d-4
        assertEquals("40020008", rig.sent());
        assertEquals("violated PUBLISH to t/d-4, which it did not subscribe to", rig.seen.get(rig.seen.size() - 1));
    }

    /** QoS 1 is at least once: again after a reconnection, and then said to be a duplicate; never twice on one connection. */
    @Test
    void publish_again_isRightOnlyOnALaterConnectionAndAsADuplicate() {
        Device device = device(false, "{id}", "t/{id}", Behaviours.steady());
        rig.receive(ACCEPTED_3 + "9003000101");
        rig.forget();
        device.message(rig.now, 4);
        String message = rig.sent().substring(22); // behind fixed header, topic and packet identifier
        String delivery = "3215" + "0005" + "742f642d33" + "0007" + message;
        rig.receive("40020001" + delivery);
        rig.receive("3a" + delivery.substring(2));
        assertEquals(1, rig.seen.stream().filter("message ECHOED"::equals).count(), () -> rig.seen.toString());
        assertEquals("message DOUBLED", rig.seen.get(rig.seen.size() - 1));
        rig.channel().close();
        rig.connect(device, rig.now);
        rig.receive(ACCEPTED_3 + "9003000101");
        rig.forget();
        rig.receive("3a" + delivery.substring(2));
        assertEquals(List.of(), rig.seen);
        rig.receive(delivery);
        assertEquals(List.of("message DOUBLED"), rig.seen);
    }

    @Test
    void suback_failure_isARefusal() {
        device(true, "{id}", "t/{id}", Behaviours.steady());
        rig.receive(ACCEPTED_5);
        rig.receive("9004" + "0001" + "00" + "87");
        assertEquals("refused CLOSE 135", rig.seen.get(rig.seen.size() - 1));
    }

    // ---- what is not whole, and the end

    @Test
    void drip_isNoSignOfLife() {
        Device device = device(false, "{id}", "", Behaviours.slowWriter(100 * Rig.MILLI));
        rig.receive(ACCEPTED_3);
        rig.forget();
        long said = device.lastSentNanos();
        rig.runTo(device, 2_500);
        assertEquals(said, device.lastSentNanos());
        assertEquals(said + 3_000 * Rig.MILLI, device.deadlineNanos());
        assertEquals(device.deadlineNanos(), device.earliestNanos());
        assertTrue(rig.sent().startsWith("308b07" + "0005" + "742f642d33"), "a PUBLISH of 900 bytes to its topic");
        assertEquals("00", rig.sent());
    }

    @Test
    void leave_saysDisconnect() {
        Device device = opened(false, ACCEPTED_3);
        device.leave();
        assertEquals("e000", rig.sent());
        assertNull(rig.sent());
    }

    // ---- topics

    @ParameterizedTest
    @CsvSource({
        "sport/tennis, sport/tennis, true",
        "sport/tennis/#, sport/tennis, true",
        "sport/tennis/#, sport/tennis/player1/score, true",
        "sport/#, sport, true",
        "#, a/b, true",
        "sport/+, sport/, true",
        "sport/+, sport, false",
        "+, sport/x, false",
        "+/+, /finance, true",
        "/+, /finance, true",
        "+, /finance, false",
        "#, $SYS/x, false",
        "$SYS/#, $SYS/x, true",
        "sport/tennis, sport/tennis/x, false",
        "sport, sports, false",
        "$share/group/a/+, a/b, true",
    })
    void matches_examplesOfTheSpecification_areRead(String filter, String topic, boolean matches) {
        assertEquals(matches, MqttTopics.matches(filter, topic));
    }

    @ParameterizedTest
    @CsvSource({
        "a/+/b, true",
        "#, true",
        "a/#, true",
        "a#, false",
        "a/#/b, false",
        "a+, false",
        "+a/b, false",
        "'', false"
    })
    void isFilter_wildcards_standAlone(String filter, boolean well) {
        assertEquals(well, MqttTopics.isFilter(filter));
        assertFalse(MqttTopics.isTopic("a/+"));
        assertTrue(MqttTopics.isTopic("a//b"));
    }
}

package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.AllowedEnds;
import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.client.ServerContract;
import io.heartwheel.loadgen.client.Timeouts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels of targets, TLS in them, and what their servers are held to. */
final class TargetTest {

    private static Target target(String keys) {
        return scenario("", keys).targets().get(0);
    }

    private static Scenario scenario(String general, String keys) {
        return ScenarioReader.read(general + "\ntargets = [{ address = \"127.0.0.1:7070\"\n" + keys + " }]", "test");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tcp",
                "ws",
                "plain",
                "raw",
                "raw-ws",
                "tcp+tls",
                "ws+tls",
                "plain+tls",
                "mqtt",
                "mqtt5",
                "mqtt5+tls"
            })
    void label_everyProtocol_isToldAgain(String label) {
        assertEquals(
                label + "=127.0.0.1:7070",
                target("protocol = \"" + label + "\"").label());
    }

    @Test
    void tls_onlyWhereTheLabelSaysSo_isThere() {
        assertNotNull(target("protocol = \"ws+tls\"").tls());
        assertNull(target("protocol = ws").tls());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp", "+tls", "tcp+ssl", "tcp+tls+tls", ""})
    void label_unknown_isRefused(String label) {
        assertThrows(IllegalArgumentException.class, () -> target("protocol = \"" + label + "\""));
    }

    // ---- mqtt

    private static String mistakes(String general, String keys) {
        return assertThrows(IllegalArgumentException.class, () -> scenario(general, keys))
                .getMessage();
    }

    @Test
    void mqtt_whatItCannotDo_isRefusedWithWords() {
        String broken =
                """
                protocol = mqtt, mqtt {
                  client-id = same, password = x, session-expiry = 1h, qos = 2, topic = "a/+", subscribe = "a/#/b", will = x
                }
                """;
        String told = mistakes("heartbeat.interval = 1500ms, id-prefix = \"a#\", gateways.start = true", broken);
        for (String mistake : new String[] {
            "mqtt.client-id = same: need {id} or {number} in it",
            "mqtt.password = x: need a user too",
            "mqtt.session-expiry = 1h: need protocol mqtt5",
            "mqtt.qos = 2: need a whole number, 0..1",
            "mqtt.topic = a/+: need a topic name",
            "mqtt.subscribe = a/#/b: need a topic filter",
            "mqtt.will: unknown key",
            "heartbeat.interval = 1500ms: need whole seconds, 1s..65535s, for an mqtt target",
            "id-prefix = a#: need one without + and #",
            "gateways.start = true: need false for an mqtt target"
        }) {
            assertTrue(told.contains(mistake), () -> mistake + " is not in " + told);
        }
        assertTrue(mistakes("", "protocol = mqtt, mqtt.client-id = \"\"").contains("need one, or protocol mqtt5"));
        assertTrue(mistakes("echo = true", "protocol = mqtt, mqtt.subscribe = \"b/#\"")
                .contains("need a filter that matches topic = heartwheel/{id}, or echo = false"));
        assertTrue(mistakes("", "protocol = mqtt, mqtt.user = \"{name}\"").contains("{name} is unknown"));
    }

    @Test
    void mqtt_nothingSaid_isHeldToTheKeepAlive() {
        ServerContract three = target("protocol = mqtt").contract();
        assertEquals("fin", three.ends(ExpectedOutcome.SILENT).text());
        assertEquals("fin or rst", three.ends(ExpectedOutcome.DRIPPING).text());
        assertEquals("fin or rst", three.takenOver().text());
        ServerContract five = target("protocol = mqtt5").contract();
        assertEquals("141 or fin", five.ends(ExpectedOutcome.SILENT).text());
        assertEquals("142", five.takenOver().text());
        assertTrue(five.limitsAll());
        assertFalse(target("protocol = mqtt5, contract.grace = none").contract().limitsAll());
        ServerContract given = target("protocol = mqtt5, contract.close { taken-over = [0x8E, fin] }")
                .contract();
        assertEquals("142 or fin", given.takenOver().text());
    }

    // ---- what servers are held to

    @Test
    void contract_nothingSaid_isHeartwheels() {
        ServerContract contract = target("protocol = ws").contract();
        assertEquals("4001", contract.ends(ExpectedOutcome.SILENT).text());
        assertEquals(
                "4001 or fin or rst", contract.ends(ExpectedOutcome.VANISHED).text());
        assertEquals(
                "4006 or fin or rst", contract.ends(ExpectedOutcome.UNGREETED).text());
        assertEquals("4003", contract.ends(ExpectedOutcome.DRIPPING).text());
        assertEquals("4004 or fin or rst", contract.ends(ExpectedOutcome.STUCK).text());
        assertEquals("4409", contract.takenOver().text());
        assertTrue(contract.meansIdle(4001) && contract.meansIdle(4002) && !contract.meansIdle(4200));
    }

    @Test
    void contract_closeGiven_isForEveryReasonAndTolerantWhereBytesMayCross() {
        ServerContract contract =
                scenario("contract.close = fin", "").targets().get(0).contract();
        assertEquals("fin", contract.ends(ExpectedOutcome.SILENT).text());
        assertEquals("fin", contract.ends(ExpectedOutcome.UNGREETED).text());
        assertEquals("fin or rst", contract.ends(ExpectedOutcome.VANISHED).text());
        assertEquals("fin or rst", contract.ends(ExpectedOutcome.DRIPPING).text());
        assertEquals("fin", contract.takenOver().text());
        assertFalse(contract.ends(ExpectedOutcome.SILENT).accepts(ConnectionEnd.RESET, 0));
        assertFalse(contract.ends(ExpectedOutcome.SILENT).accepts(ConnectionEnd.CLOSE, 4001));
        assertTrue(contract.ends(ExpectedOutcome.SILENT).accepts(ConnectionEnd.END_OF_STREAM, 0));
        assertFalse(contract.meansIdle(4001));
    }

    @Test
    void contract_ofATarget_beatsTheGeneralOne() {
        Scenario scenario = ScenarioReader.read(
                """
                duration = 5m, contract { interval = 20s, grace = 2, close = 4001, handshake = none }
                targets = [
                  { protocol = tcp, address = "127.0.0.1:7070" }
                  { protocol = plain, address = "127.0.0.1:7070"
                    contract { interval = 40s, close { silent = [1001, rst], taken-over = none }, read-progress = none } }
                ]
                """,
                "test");
        ServerContract general = scenario.targets().get(0).contract();
        assertEquals(20_000, general.intervalMillis());
        assertEquals(200, general.graceHundredths());
        assertEquals("4001", general.ends(ExpectedOutcome.SILENT).text());
        assertEquals(Timeouts.NEVER, general.timeouts().handshakeNanos());
        ServerContract own = scenario.targets().get(1).contract();
        assertEquals(40_000, own.intervalMillis());
        assertEquals("1001 or rst", own.ends(ExpectedOutcome.SILENT).text());
        assertEquals(Timeouts.NEVER, own.timeouts().progressNanos());
        assertTrue(own.takenOver().isNone());
        assertEquals(20_000, scenario.deviceDefaults().wantedMillis());
    }

    @Test
    void contract_everyMistake_isToldAtOnce() {
        String told = assertThrows(
                        IllegalArgumentException.class,
                        () -> scenario(
                                "contract { close = [fin, any], grace = 0.5, handshake = 1ms }",
                                "contract { close { silent = 70000, nobody = fin } }"))
                .getMessage();
        assertTrue(told.contains("contract.close = [fin, any]: need " + AllowedEnds.NEED), told);
        assertTrue(told.contains("contract.grace = 0.5: need 1..10"), told);
        assertTrue(told.contains("contract.handshake = 1ms: need 100ms..30d"), told);
        assertTrue(told.contains("targets[0].contract.close.silent = 70000: need " + AllowedEnds.NEED), told);
        assertTrue(told.contains("targets[0].contract.close.nobody: unknown key"), told);
    }

    @Test
    void plain_pathHeadersAndSubprotocolWrong_areToldAtOnce() {
        String told = assertThrows(
                        IllegalArgumentException.class,
                        () -> target(
                                """
                                protocol = plain, path = "ws/{who} x", subprotocol = "a\\nb"
                                headers { Host = x, "Sec-WebSocket-Key" = x, "a b" = x, X-Good = "{nobody}", X-Evil = "a\\r\\nb" }
                                messages { heartbeat { send = "{payload}" } }
                                """))
                .getMessage();
        assertTrue(told.contains("targets[0].path = ws/{who} x: need visible ASCII"), told);
        assertTrue(told.contains("path = ws/{who} x: need a path that begins with /"), told);
        assertTrue(told.contains("subprotocol"), told);
        assertTrue(told.contains("Host: need another name"), told);
        assertTrue(told.contains("Sec-WebSocket-Key: need another name"), told);
        assertTrue(told.contains("a b: need another name"), told);
        assertTrue(told.contains("{nobody} is unknown"), told);
        assertTrue(told.contains("need no control characters"), told);
        assertTrue(told.contains("messages.heartbeat.send = {payload}: need {payload:hex}"), told);
    }

    @Test
    void contract_noSilenceTooLong_isSaid() {
        assertFalse(target("contract.grace = none").contract().limitsSilence());
    }
}

package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.server.Disturbance;
import io.heartwheel.loadgen.server.Disturbance.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The block of a scenario that says who receives the gateway's events. */
final class UplinkReaderTest {

    private static final long SECOND = 1_000_000_000L;
    private static final String TARGET = "targets = [{ protocol = tcp, address = \"127.0.0.1:7070\" }]\n";

    private static Scenario read(String text) {
        return ScenarioReader.read("clients = 100, duration = 30s\n" + TARGET + text, "test");
    }

    private static void assertMistake(String text, String wanted) {
        IllegalArgumentException told = assertThrows(IllegalArgumentException.class, () -> read(text));
        assertTrue(told.getMessage().contains(wanted), told::getMessage);
    }

    @Test
    void read_noBlock_receivesAndSendsAgainNothing() {
        assertNull(read("").uplink());
        assertFalse(read("").contract().messages().resend());
    }

    @Test
    void read_anEmptyBlock_receivesOnLoopbackAndSendsAgain() {
        Scenario scenario = read("uplink {}");
        Uplink uplink = scenario.uplink();
        assertEquals("127.0.0.1:0", uplink.bind());
        assertTrue(uplink.journalSettings());
        assertEquals(60 * SECOND, uplink.withinNanos());
        assertTrue(scenario.contract().messages().resend());
        assertFalse(read("uplink {}, resend = false").contract().messages().resend());
        assertTrue(read("resend = true").contract().messages().resend());
    }

    @Test
    void at_anyTime_isWhatThePlanSays() {
        List<Disturbance> plan = read("uplink.plan = [{ at = 5s, for = 2s, answer = \"500\" },"
                        + " { at = 7s, for = 1s, answer = late, hold = 3s }, { at = 10s, answer = never }]")
                .uplink()
                .plan();
        assertEquals(Answer.OK, Disturbance.at(plan, -1).answer());
        assertEquals(Answer.OK, Disturbance.at(plan, 5 * SECOND - 1).answer());
        assertEquals(Answer.ERROR, Disturbance.at(plan, 5 * SECOND).answer());
        assertEquals(Answer.LATE, Disturbance.at(plan, 7 * SECOND).answer());
        assertEquals(3 * SECOND, Disturbance.at(plan, 7 * SECOND).holdNanos());
        assertEquals(Answer.OK, Disturbance.at(plan, 8 * SECOND).answer());
        assertEquals(Answer.NEVER, Disturbance.at(plan, 20 * SECOND - 1).answer());
        assertEquals(Answer.OK, Disturbance.at(plan, 20 * SECOND).answer());
    }

    @Test
    void read_again_isTheSame() {
        Scenario scenario = read("uplink { plan = [{ at = 5s, answer = down }], secret = \"0123456789abcdef\" }");
        assertEquals(
                scenario.uplink(), ScenarioReader.read(scenario.text(), "again").uplink());
    }

    @Test
    void read_kafka_knowsItsBrokersAndTopic() {
        Uplink usual = read("uplink.kind = kafka").uplink();
        assertEquals(Uplink.Kind.KAFKA, usual.kind());
        assertEquals("127.0.0.1:9092", usual.bootstrap());
        assertEquals("heartwheel-events", usual.topic());
        Uplink other = read("uplink { kind = kafka, bootstrap = \"b-1.example:9092, [::1]:1\", topic = a.B_c-1 }")
                .uplink();
        assertEquals("b-1.example:9092, [::1]:1", other.bootstrap());
        assertEquals("a.B_c-1", other.topic());
    }

    @Test
    void read_kafkaThatCannotBe_tellsAllMistakes() {
        String wrong = "uplink { kind = kafka, bootstrap = \"b:0\", topic = \"a b\", plan = [{ answer = \"500\" }] }";
        assertMistake(wrong, "uplink.bootstrap = b:0: need host:port, port 1..65535, several with commas between");
        assertMistake(wrong, "uplink.topic = a b: need 1..249 of A-Z a-z 0-9 . _ -, not . or ..");
        assertMistake(wrong, "uplink.plan: need [] with kind = kafka");
        assertMistake("uplink.bootstrap = \"a:1,,b:2\"", "uplink.bootstrap = a:1,,b:2: need host:port");
        assertMistake("uplink.bootstrap = \"a:65536\"", "uplink.bootstrap = a:65536: need host:port");
        assertMistake("uplink.topic = \"..\"", "uplink.topic = ..: need 1..249");
        assertMistake("uplink.topic = " + "a".repeat(250), "need 1..249");
    }

    @Test
    void read_whatCannotBe_isRefused() {
        assertMistake("uplink.kind = pigeon", "uplink.kind = pigeon: need kafka, webhook");
        assertMistake("uplink.secret = short", "uplink.secret = short: need at least 16 characters");
        assertMistake("uplink.bind = nowhere", "uplink.bind = nowhere: need host:port");
        assertMistake("uplink.plan = [{ at = 25s, for = 10s }]", "it ends after the duration, 30.0 s");
        assertMistake("uplink.plan = [{ at = 5s, for = 10s }, { at = 14s, for = 1s }]", "need a time after the end");
        assertMistake("uplink {}, clients = 100001", "uplink: clients = 100001: need 1..100000");
        assertMistake("uplink {}, gateways { start = true, count = 2 }", "uplink: gateways.count = 2: need 1");
        assertMistake("uplink {}, echo = true", "echo = true: need false with resend = true");
        assertMistake(
                "uplink {}, targets = [{ protocol = raw, address = \"127.0.0.1:1\" }]",
                "uplink: need targets of tcp, ws or plain alone");
    }
}

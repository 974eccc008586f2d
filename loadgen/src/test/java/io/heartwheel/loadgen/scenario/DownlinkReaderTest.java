package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The block of a scenario that says what is pushed to devices. */
final class DownlinkReaderTest {

    private static final String COMMON =
            "clients = 100, duration = 32s, seed = 5, targets = [{ protocol = tcp, address = \"127.0.0.1:7070\" }]\n";

    private static Downlink read(String text) {
        List<Downlink> all = ScenarioReader.read(COMMON + text, "test").downlinks();
        return all.isEmpty() ? null : all.get(0);
    }

    private static void assertMistake(String text, String wanted) {
        IllegalArgumentException told =
                assertThrows(IllegalArgumentException.class, () -> ScenarioReader.read(COMMON + text, "test"));
        assertTrue(told.getMessage().contains(wanted), told::getMessage);
    }

    @Test
    void read_noBlock_pushesNothing() {
        assertNull(read(""));
    }

    @Test
    void read_anEmptyBlockWithAddresses_isHeartwheelsOwnRoute() {
        Downlink downlink = read("downlink.http.addresses = [\"127.0.0.1:7090\"]");
        assertNotNull(downlink);
        assertEquals(Downlink.By.HTTP, downlink.by());
        assertEquals(
                "http://{address}/v1/devices/{id}/messages", downlink.http().url());
        assertEquals(Set.of(404), downlink.http().absent());
        assertFalse(downlink.text());
        assertFalse(downlink.toAll());
        // From 500 ms to 32 s less an answer's second and one more, ten a second.
        assertEquals(295, downlink.count());
        assertEquals(500_000_000L, downlink.dueNanos(0));
        assertEquals(1_500_000_000L, downlink.dueNanos(10));
        assertTrue(downlink.tellsAbsent());
    }

    @Test
    void read_acks_areAskedForByTheRouteAndDrawnByTheSeed() {
        Downlink downlink = read(
                """
                downlink { http.addresses = ["127.0.0.1:7090"]
                  acks { ask { device = 3, sent = 1 }, again = 0.5, devices { prompt = 1, never = 1 } } }
                """);
        assertEquals(
                "http://{address}/v1/devices/{id}/messages?ack={ack}",
                downlink.http().url());
        assertEquals(Map.of("Idempotency-Key", "{key}"), downlink.http().headers());
        Acks acks = downlink.acks();
        assertNotNull(acks);
        Map<Object, Integer> seen = new HashMap<>();
        for (int push = 0; push < 4_000; push++) {
            seen.merge(acks.ask(5, push, 1, true), 1, Integer::sum);
            seen.merge(acks.ask(5, push, 1, false), 1, Integer::sum);
            seen.merge(acks.reply(5, push, 1), 1, Integer::sum);
            seen.merge(acks.again(5, push, 1), 1, Integer::sum);
        }
        assertEquals(
                Set.of(
                        Acks.Ask.DEVICE,
                        Acks.Ask.SENT,
                        Acks.Ask.RECEIVED,
                        Acks.Reply.PROMPT,
                        Acks.Reply.NEVER,
                        true,
                        false),
                seen.keySet());
        assertTrue(Math.abs(seen.get(Acks.Ask.DEVICE) - 3_000) < 200, seen::toString);
        assertTrue(Math.abs(seen.get(Acks.Reply.NEVER) - 2_000) < 200, seen::toString);
        assertTrue(Math.abs(seen.get(true) - 2_000) < 200, seen::toString);
    }

    @Test
    void read_acksThatNobodyCanGive_areToldWithWhatIsNeeded() {
        String http = "downlink { http.addresses = [\"127.0.0.1:7090\"], ";
        assertMistake(http + "acks.timeout = 5s }", "need less than downlink.timeout, 5.0 s");
        assertMistake(
                http + "acks { }, by = exec, exec.command = [\"{id}{message}\"] }", "need by = http and to = one");
        assertMistake(http + "acks.devices.promt = 1 }", "promt");
    }

    @Test
    void read_also_isPushedBesideWithOtherMessagesToTheSameServer() {
        List<Downlink> all = ScenarioReader.read(
                        COMMON
                                + """
                                downlink { http.addresses = ["127.0.0.1:7090"], nonce = 7
                                  also = [{ to = all }, { to = all, group = site-7, count = 3 }] }
                                """,
                        "test")
                .downlinks();
        assertEquals(List.of(7L, 8L, 9L), all.stream().map(Downlink::nonce).toList());
        assertEquals(List.of("127.0.0.1:7090"), all.get(2).http().addresses());
        assertEquals("http://{address}/v1/messages", all.get(1).http().url());
        assertEquals(
                "http://{address}/v1/groups/site-7/messages", all.get(2).http().url());
        assertTrue(all.get(2).keeps());
        assertMistake(
                "downlink { http.addresses = [\"127.0.0.1:7090\"], group = g }", "downlink.group = g: need letters");
        assertMistake(
                "downlink { http.addresses = [\"127.0.0.1:7090\"], also = [{ to = all, group = \"a b\" }] }",
                "also[0].group");
    }

    @Test
    void read_later_isAScheduleOfItsOwnAndEndsBeforeTheEnd() {
        Downlink downlink = read(
                "downlink { http.addresses = [\"127.0.0.1:7090\"], later { after = 2s, every = 3s, times = 4 }, rate = 1, after = 1s }");
        assertEquals("PUT", downlink.http().method());
        assertEquals("http://{address}/v1/schedules/{key}", downlink.http().url());
        assertTrue(downlink.http().body().contains("\"after\":\"2000ms\",\"every\":\"3000ms\",\"times\":4,"));
        assertTrue(downlink.text());
        // from 1 s to 32 s less an answer's second, one more, and the 11 s to the last time
        assertEquals(18, downlink.count());
        assertMistake(
                "downlink { http.addresses = [\"127.0.0.1:7090\"], to = all, later { } }",
                "downlink.later: need to = one");
    }

    @Test
    void read_endless_isAScheduleToAnyThatIsNotKeptAndEndsAfterTheRun() {
        String http =
                "downlink { http.addresses = [\"127.0.0.1:7090\"], later { endless = true, after = 6s, every = %s }, %s }";
        Downlink one = read(http.formatted("12s", "rate = 1"));
        assertTrue(one.http()
                .body()
                .startsWith("{\"to\":{\"device\":\"{id}\"},\"after\":\"6000ms\",\"every\":\"12000ms\",\"times\":38,"));
        assertFalse(one.keeps());
        assertTrue(read(http.formatted("12s", "to = all, group = g"))
                .http()
                .body()
                .startsWith("{\"to\":{\"group\":\"g\"},"));
        assertTrue(read(http.formatted("12s", "to = all")).http().body().startsWith("{\"to\":{\"all\":true},"));
        assertMistake(http.formatted("9s", ""), "every = 9s: need 10s..30d");
    }

    @Test
    void read_ownGateways_needNoAddresses() {
        assertEquals(
                List.of(), read("gateways.start = true, downlink { }").http().addresses());
    }

    @Test
    void read_aTemplateAroundTheMessage_makesItText() {
        Downlink downlink = read(
                """
                downlink {
                  http { url = "http://h/api", body = "{\\"to\\":\\"{id}\\",\\"text\\":\\"{message}\\"}"
                         headers { Content-Type = application/json }, accepted = [200, 207], absent = [] }
                }
                """);
        assertTrue(downlink.text());
        assertFalse(downlink.tellsAbsent());
        assertEquals(Map.of("Content-Type", "application/json"), downlink.http().headers());
        assertEquals(Set.of(200, 207), downlink.http().accepted());
    }

    @Test
    void read_mqttAndExec_areWhatTheySay() {
        Downlink mqtt =
                read("downlink { by = mqtt, mqtt { address = \"127.0.0.1:1883\", topic = \"d/{id}\", qos = 0 } }");
        assertEquals(0, mqtt.mqtt().qos());
        assertFalse(mqtt.tellsAbsent());
        Downlink exec =
                read("downlink { by = exec, exec { command = [send, \"{id}\", \"{message}\"], absent = [3] } }");
        assertTrue(exec.text());
        assertTrue(exec.tellsAbsent());
        assertTrue(read("downlink { by = exec, to = all, exec.command = [send, \"{message}\"] }")
                .toAll());
    }

    @Test
    void read_whatIsWrong_isToldWithWhatIsNeeded() {
        String http = "downlink.http.addresses = [\"127.0.0.1:7090\"]\n";
        assertMistake("downlink { }", "downlink.http.addresses: need those of the server's API");
        assertMistake(http + "downlink.by = smoke", "downlink.by = smoke: need exec, http, mqtt");
        assertMistake(http + "downlink.to = some", "downlink.to = some: need one or all");
        assertMistake(
                http + "downlink { to = all, http.url = \"http://h/{id}\" }", "need neither {id} nor {number} in it");
        assertMistake(http + "downlink.http.url = \"http://h/x\"", "need {id} or {number} in it, or to = all");
        assertMistake(http + "downlink.http.body = hello", "need {message} in it, or in the url");
        assertMistake(http + "downlink.http.headers.Host = h", "need a request that can be made");
        assertMistake(http + "downlink.http.url = \"h/{id}\"", "need a request that can be made");
        assertMistake(
                http + "downlink { text = false, http.body = \"<{message}>\" }", "downlink.text = false: need true");
        assertMistake(http + "downlink.http.accepted = [20, x]", "need whole numbers, 100..599");
        assertMistake(http + "downlink.count = 296", "downlink.count = 296: need at most 295");
        assertMistake(http + "downlink.until = 31s", "downlink.until = 31s: need at most 30");
        assertMistake(http + "downlink.payload.min = 43B", "downlink.payload.min = 43B: need 44B..1048576B");
        assertMistake(http + "downlink.among.behaviours = [chatty]", "need some of those of this scenario: steady");
        assertMistake(
                http + "downlink.among { first = 5, last = 4 }", "downlink.among.last = 4: need at least first, 5");
        assertMistake(http + "downlink.among.first = 100", "downlink.among.first = 100: need a whole number, 0..99");
        assertMistake(http + "downlink.speed = 2", "downlink.speed: unknown key");
        assertMistake("downlink { by = mqtt, mqtt.topic = \"d/+\" }", "need a topic without wildcards");
        assertMistake("downlink { by = mqtt, mqtt.topic = \"d/{id}\" }", "downlink.mqtt.address");
        assertMistake("downlink { by = exec }", "need a program and its arguments");
        assertMistake("downlink { by = exec, exec.command = [x, \"{id}\"] }", "need {message} in it");
    }
}

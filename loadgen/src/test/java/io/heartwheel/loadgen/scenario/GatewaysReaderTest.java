package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The block of a scenario that says which gateways are started, and what beside them. */
final class GatewaysReaderTest {

    private static final String SERVICE =
            "name = nats, count = 2, command = nats-server, arguments = [\"-p\", \"{port:client}\"], ports = [client, routes]";

    private static Scenario read(String text) {
        return ScenarioReader.read(
                "duration = 30s, targets = [{ protocol = tcp, address = \"127.0.0.1:7070\" }]\n" + text, "test");
    }

    private static void assertMistake(String text, String wanted) {
        IllegalArgumentException told = assertThrows(IllegalArgumentException.class, () -> read(text));
        assertTrue(told.getMessage().contains(wanted), told::getMessage);
    }

    private static String services(String more) {
        return "gateways { start = true, services = [{ " + SERVICE + more + " }] }\n";
    }

    @Test
    void read_services_areProcessesWithPortsAndFiles() {
        Scenario scenario = read(
                services(", files { \"a.conf\" = \"x {nats-1:routes} { y }\" }, install = get it")
                        + "gateways.settings.cluster.nats.servers = [\"nats://127.0.0.1:{nats-1:client}\"]\n"
                        + "timeline = [{ at = 1s, do = kill, service = nats, node = 1, for = 2s }, { at = 5s, do = freeze, service = nats }]");
        Service service = scenario.gateways().services().get(0);
        assertEquals(List.of("nats-server", "-p", "{port:client}"), service.command());
        assertEquals("client", service.readyPort());
        assertEquals("x {nats-1:routes} { y }", service.files().get("a.conf"));
        assertEquals("get it", service.install());
        Step kill = scenario.timeline().get(0);
        assertEquals("kill nats 1 for 2.0 s", kill.text());
        assertEquals("freeze all of nats", scenario.timeline().get(1).text());
        assertTrue(!kill.outage() && !kill.ordersGoaway(), "nobody may be closed for it");
        assertEquals(
                scenario.gateways(),
                ScenarioReader.read(scenario.text(), "again").gateways());
    }

    @Test
    void read_servicesThatCannotBe_areRefused() {
        assertMistake("gateways.services = [{ " + SERVICE + " }]", "gateways.services: need start = true");
        assertMistake(
                services(", ready-port = http"),
                "gateways.services[0].ready-port = http: need one of ports: client, routes");
        assertMistake(services(", count = 17"), "count = 17: need a whole number, 1..16");
        assertMistake(services(", name = gateway"), "need one that no other service has");
        assertMistake(services(", command = \"\""), "gateways.services[0].command = : need a program");
        assertMistake(services(", ports = []"), "ports = []: need names");
        assertMistake(services(", files { \"../a\" = x }"), "files: need file names");
        assertMistake(
                services(", files { a = \"{nats-2:client}\" }"),
                "{nats-2:client} is nobody's port: need one of {nats-0:client}");
        assertMistake(
                services("") + "gateways.settings.x = \"{port:client}\"",
                "gateways.settings: {port:client} is nobody's port");
        assertMistake(
                services("") + "timeline = [{ do = kill, service = nuts }]", "timeline[0].service = nuts: need one");
        assertMistake(
                services("") + "timeline = [{ do = kill, service = nats, node = 2 }]", "service = nats: need one");
        assertMistake(services("") + "timeline = [{ do = silence, service = nats }]", "service = nats: need one");
    }

    @Test
    void read_severalGatewaysWithAnUplink_needNames() {
        String two = "gateways { start = true, count = 2 }, uplink {}\n";
        assertMistake(two, "uplink: gateways.count = 2: need 1, or a name");
        assertEquals(
                2,
                read(two + "gateways.settings.instance = \"{number}\"")
                        .gateways()
                        .count());
    }
}

package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heartwheel.loadgen.scenario.Service;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Needs of a service before it is started. */
final class ServicePoolTest {

    private static Service service(String program) {
        return new Service("s", 2, List.of(program), List.of("a", "b"), "a", Map.of(), "apt-get install it");
    }

    @Test
    void check_programThatIsMissing_isToldWithKeyValueAndHowToGetIt() {
        List<Service> services = List.of(service("sh"), service("no-such-program"), service("/no/such/file"));
        IllegalArgumentException told = assertThrows(IllegalArgumentException.class, () -> ServicePool.check(services));
        String need = ": need a program that is there, with its directory or on the path; apt-get install it";
        assertEquals(
                "gateways.services[1].command = no-such-program" + need + "\n"
                        + "gateways.services[2].command = /no/such/file" + need,
                told.getMessage());
        assertDoesNotThrow(() -> ServicePool.check(services.subList(0, 1)));
    }

    @Test
    void ports_ofSeveralProcesses_areDifferentAndStandInTexts() throws Exception {
        Map<String, String> ports = ServicePool.ports(List.of(service("sh")));
        assertEquals(4, new HashSet<>(ports.values()).size());
        String text = ServicePool.filled("{s-0:a} {s-1:b} {s-2:a}", ports);
        assertEquals(ports.get("{s-0:a}") + " " + ports.get("{s-1:b}") + " {s-2:a}", text);
        assertFalse(ports.containsValue("0"));
    }
}

package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DeviceAssignmentTest {

    private static final String GROUPS =
            """
            clients = 10000, duration = 10m
            behaviours = [
              { kind = steady, weight = 7 }, { kind = silent, weight = 2 }, { kind = late, weight = 0 }
              { kind = roaming, weight = 0.5 }, { kind = chatty, weight = 0.5 }
            ]
            targets = [{ address = "127.0.0.1:1", weight = 3 }, { protocol = ws, address = "127.0.0.1:2" }]
            timeline = [{ at = 1s, do = silence, share = 0.1 }, { at = 2s, do = vanish, share = 0.1 }]
            """;

    private static Scenario scenario(long seed) {
        return TestScenarios.of(GROUPS + "seed = " + seed);
    }

    @Test
    void groups_anySeed_areAsLargeAsTheirWeights() {
        for (long seed = 0; seed < 20; seed++) {
            DeviceAssignment deviceAssignment = new DeviceAssignment(scenario(seed));
            assertEquals(
                    Map.of("steady", 7_000L, "silent", 2_000L, "roaming", 500L, "chatty", 500L),
                    deviceAssignment.clientsByBehaviour());
            assertEquals(
                    Map.of("tcp=127.0.0.1:1", 7_500L, "ws=127.0.0.1:2", 2_500L), deviceAssignment.clientsByTarget());
        }
    }

    @Test
    void groups_smallFleets_addUp() {
        for (int clients = 1; clients < 30; clients++) {
            Map<String, Long> groups =
                    new DeviceAssignment(TestScenarios.of(GROUPS + "clients = " + clients)).clientsByBehaviour();
            assertEquals(
                    clients, groups.values().stream().mapToLong(Long::longValue).sum(), groups::toString);
        }
    }

    /** Whoever reads the scenario's text knows the same of each device, whatever part of them it runs. */
    @Test
    void roster_madeAgainFromTheText_isTheSame() {
        Scenario scenario = scenario(42);
        DeviceAssignment deviceAssignment = new DeviceAssignment(scenario);
        DeviceAssignment other = new DeviceAssignment(ScenarioReader.read(scenario.text(), "text"));
        for (int i = 0; i < 10_000; i++) {
            assertEquals(deviceAssignment.group(i), other.group(i));
            assertEquals(deviceAssignment.kind(i, 0), other.kind(i, 0));
        }
        assertEquals(deviceAssignment.chosen(1), other.chosen(1));
    }

    @Test
    void groups_anotherSeed_areOtherDevices() {
        DeviceAssignment deviceAssignment = new DeviceAssignment(scenario(1));
        DeviceAssignment other = new DeviceAssignment(scenario(2));
        int same = 0;
        for (int i = 0; i < 10_000; i++) {
            same += deviceAssignment.group(i) == other.group(i) ? 1 : 0;
        }
        // 0.7^2 + 0.2^2 + 2 * 0.05^2
        assertEquals(5_350, same, 400);
    }

    @Test
    void groups_alongTheDevices_areSpreadEvenlyAndOverTheTargets() {
        DeviceAssignment deviceAssignment = new DeviceAssignment(scenario(5));
        int[] silent = new int[10];
        int[] byTarget = new int[2];
        for (int i = 0; i < 10_000; i++) {
            if (deviceAssignment.group(i) == 1) {
                silent[i / 1_000]++;
                byTarget[deviceAssignment.kind(i, 0)]++;
            }
        }
        for (int count : silent) {
            assertEquals(200, count, 65);
        }
        assertEquals(1_500, byTarget[0], 100);
    }

    @Test
    void chosen_eachStep_isExactAndOthersThanBefore() {
        DeviceAssignment deviceAssignment = new DeviceAssignment(scenario(5));
        assertEquals(1_000, deviceAssignment.chosen(0).cardinality());
        assertEquals(1_000, deviceAssignment.chosen(1).cardinality());
        assertNotEquals(deviceAssignment.chosen(0), deviceAssignment.chosen(1));
        assertEquals(deviceAssignment.chosen(0), deviceAssignment.chosen(0));
    }

    @Test
    void kind_afterAHop_isTheNextTarget() {
        DeviceAssignment deviceAssignment = new DeviceAssignment(scenario(5));
        for (int i = 0; i < 100; i++) {
            assertEquals((deviceAssignment.kind(i, 0) + 1) % 2, deviceAssignment.kind(i, 1));
            assertEquals(deviceAssignment.kind(i, 0), deviceAssignment.kind(i, 2));
        }
    }

    @Test
    void behaviours_forALoop_areInTheOrderOfTheGroups() {
        var behaviours = new DeviceAssignment(scenario(5)).behaviours();
        assertEquals("silent", behaviours[1].label());
        assertTrue(behaviours[1].endsInClose());
        assertEquals(2, behaviours[3].sockets());
    }
}

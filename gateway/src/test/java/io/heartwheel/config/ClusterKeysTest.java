package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.nats.NatsServers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterKeysTest {
    @TempDir
    Path directory;

    private List<String> problems(String cluster) {
        return Loading.problems(() -> Loading.check(Loading.file(directory, "heartwheel.cluster { " + cluster + " }")))
                .stream()
                .map(problem -> problem.replaceFirst(" \\(gateway.conf:1\\)$", ""))
                .toList();
    }

    @Test
    void cluster_nothingSaid_isNone() throws Exception {
        assertNull(Loading.load(Map.of()).cluster());
    }

    @Test
    void cluster_enabledWithANode_hasTheDefaults() throws Exception {
        GatewaySettings settings =
                Loading.load(Map.of("heartwheel.cluster.enabled", "true", "heartwheel.cluster.node", "gw-1"));
        assertEquals(
                new ClusterSettings(
                        "main",
                        "gw-1",
                        "",
                        new NatsServers(List.of("nats://127.0.0.1:4222"), null, null, null, null),
                        1,
                        1,
                        OnOutage.LOCAL,
                        1_000),
                settings.cluster());
        assertEquals("gw-1", settings.sink().instance(), "its name in events");
    }

    @Test
    void cluster_withoutANode_takesTheInstance() throws Exception {
        GatewaySettings settings =
                Loading.load(Map.of("heartwheel.cluster.enabled", "true", "heartwheel.instance", "3"));
        ClusterSettings cluster = settings.cluster();
        assertEquals("3", cluster == null ? "" : cluster.node());
        assertEquals("3", settings.sink().instance());
    }

    @Test
    void name_thatSomethingElseInNatsHas_isNone() {
        List.of("events", "eu-groups", "eu-schedules", "eu-devices-12", "a b", "")
                .forEach(name -> assertFalse(ClusterSettings.isName(name), name));
        List.of("groups", "eu-groups-2", "events-eu", "eu-devices")
                .forEach(name -> assertTrue(ClusterSettings.isName(name), name));
    }

    @Test
    void cluster_mistakes_areAllTold() {
        String missing = directory.resolve("missing").toString();
        assertEquals(
                List.of(
                        "heartwheel.cluster.address = h: need host:port of at most 255 bytes, or nothing",
                        "heartwheel.cluster.device-buckets = 65: need 1..64",
                        "heartwheel.cluster.name = eu-groups: need 1..32 characters of [A-Za-z0-9_-], other than events, and not ending in -groups, -schedules or -devices-N",
                        "heartwheel.cluster.nats.credentials-file = " + missing
                                + ": need a file that exists and can be read",
                        "heartwheel.cluster.nats.servers = []: need at least one with enabled = true",
                        "heartwheel.cluster.node = \"\": need a name with enabled = true, unique in the fleet, or instance",
                        "heartwheel.cluster.on-outage = die: need local or refuse",
                        "heartwheel.cluster.replicas = 0: need 1..5",
                        "heartwheel.cluster.sweep-rate = 0: need 1..100000"),
                problems(
                                "enabled = true, name = eu-groups, address = h, node = \"\", on-outage = die, replicas = 0, device-buckets = 65, sweep-rate = 0,"
                                        + " nats { servers = [], credentials-file = \"" + missing + "\" }")
                        .stream()
                        .sorted()
                        .toList());
    }

    @Test
    void alternateHost_leastLoaded_needsAFleetAndAnAddress() throws Exception {
        String leastLoaded = "}, heartwheel.shutdown { alternate-host = least-loaded";
        List<String> problem = List.of(
                "heartwheel.shutdown.alternate-host = least-loaded: need cluster.enabled = true and a cluster.address with it");
        assertEquals(problem, problems("address = \"h:1\"" + leastLoaded));
        assertEquals(problem, problems("enabled = true, node = a" + leastLoaded));
        GatewaySettings settings = Loading.load(Map.of(
                "heartwheel.cluster.enabled",
                "true",
                "heartwheel.cluster.node",
                "a",
                "heartwheel.cluster.address",
                "h:1",
                "heartwheel.shutdown.alternate-host",
                "least-loaded"));
        assertTrue(settings.drain().isToLeastLoaded());
        ClusterSettings cluster = settings.cluster();
        assertEquals("h:1", cluster == null ? "" : cluster.address());
    }

    @Test
    void readmitRate_nothingSaid_isLeftToTheFleet() throws Exception {
        assertEquals(DrainSettings.BY_FLEET, Loading.load(Map.of()).drain().readmitRate());
        assertEquals(
                7,
                Loading.load(Map.of("heartwheel.shutdown.readmit-rate", "7"))
                        .drain()
                        .readmitRate());
    }

    @Test
    void servers_thatAreNone_areAMistake() {
        for (String server :
                List.of("127.0.0.1:4222", "nats://u:p@h:4222", "nats://h", "nats://h:0", "tls://h", "ws://h:4222")) {
            assertEquals(
                    1,
                    problems("enabled = true, node = a, nats.servers = [\"" + server + "\"]")
                            .size(),
                    server);
        }
    }
}

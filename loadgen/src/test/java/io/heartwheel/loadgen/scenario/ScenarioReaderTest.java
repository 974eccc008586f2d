package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import io.heartwheel.loadgen.client.Behaviour;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.pace.Ramp;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ScenarioReaderTest {

    private static final long MILLI = 1_000_000L;
    private static final String TARGET = "targets = [{ address = \"127.0.0.1:7070\" }]\n";

    private static Scenario read(String text) {
        return ScenarioReader.read(TARGET + text, "test");
    }

    /** The mistakes of a text, without the line that counts them. */
    private static List<String> mistakes(String text) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> read(text)).getMessage();
        List<String> lines = message.lines().map(String::strip).toList();
        String count = lines.size() == 2 ? "1 mistake" : lines.size() - 1 + " mistakes";
        assertEquals("test: " + count, lines.get(0));
        return lines.subList(1, lines.size());
    }

    @Test
    void read_nothingButATarget_hasDefaults() {
        Scenario scenario = read("");
        assertEquals("test", scenario.name());
        assertEquals(1_000, scenario.clients());
        assertEquals(1, scenario.seed());
        assertEquals(30_000 * MILLI, scenario.durationNanos());
        assertEquals(60_000, scenario.deviceDefaults().wantedMillis());
        assertEquals(150, scenario.deviceDefaults().graceHundredths());
        assertEquals("load-", scenario.deviceDefaults().idPrefix());
        assertEquals(new Ramp(1_000, 1_000), scenario.ramp());
        assertEquals(Protocol.TCP, scenario.targets().get(0).protocol());
        assertEquals(
                List.of("steady"), scenario.groups().stream().map(Group::label).toList());
        assertEquals(Comeback.Kind.NONE, scenario.comeback().kind());
        assertEquals(40 * MILLI, scenario.contract().latenessLimitNanos());
        assertEquals(
                10_000 * MILLI, scenario.targets().get(0).contract().timeouts().handshakeNanos());
        assertEquals(128, scenario.targets().get(0).contract().timeouts().progressBytesPerSecond());
        assertEquals(
                90_000 * MILLI, scenario.targets().get(0).contract().timeouts().writeNanos());
        assertEquals(List.of(), scenario.timeline());
        assertFalse(scenario.gateways().start());
        assertEquals(0, scenario.closedShare());
        assertEquals(1, scenario.socketsEach());
    }

    @Test
    void read_limitsOfFewLateCloses_followSlackAndMissedAfterUnlessGiven() {
        assertEquals(160 * MILLI, read("").contract().latenessP999Nanos());
        assertEquals(1_010 * MILLI, read("").contract().latenessMaxNanos());
        assertEquals(2_000 * MILLI, read("").contract().welcomeWithinNanos());
        Contract wide = read("contract { slack = 3s, missed-after = 4s, answer-within = 8s }")
                .contract();
        assertEquals(3_010 * MILLI, wide.latenessP999Nanos());
        assertEquals(3_010 * MILLI, wide.latenessMaxNanos());
        assertEquals(8_000 * MILLI, wide.welcomeWithinNanos());
        Contract own = read("contract { slack-p999 = 50ms, slack-max = 70ms, welcome-within = 300ms }")
                .contract();
        assertEquals(60 * MILLI, own.latenessP999Nanos());
        assertEquals(80 * MILLI, own.latenessMaxNanos());
        assertEquals(300 * MILLI, own.welcomeWithinNanos());
        assertEquals(
                List.of("contract.slack-max = 20ms: need at least slack, 30.0 ms"),
                mistakes("contract.slack-max = 20ms"));
        assertEquals(
                List.of("contract.slack-p999 = 2s: need slack..slack-max, 30.0 ms..1.0 s"),
                mistakes("contract.slack-p999 = 2s"));
    }

    @Test
    void read_manyMistakes_tellsThemAllWithKeyValueAndNeed() {
        assertEquals(
                Set.of(
                        "clients = 0: need a whole number, 1..10000000",
                        "heartbeat.interval = 5: need 100ms..24h, with its unit",
                        "heartbeat.share = 2: need 0.01..1",
                        "behaviours[0].payload.distribution = normal: need fixed, log-uniform, uniform",
                        "behaviours[1].kind = dancing: need steady, chatty, slow-reader, byte-drip, never-hello, flapping,"
                                + " silent, vanishing, reset, leaving, late, duplicate-id, nat-rebind, roaming, crowd, rival, replay",
                        "seed = -1: need a whole number, 0..1000000000000000",
                        "reconnect.policy = soon: need exponential, fixed, full-jitter, naive, none, obey",
                        "assert = false_kills < many: " + Assertion.NEED,
                        "echo = maybe: need true or false"),
                Set.copyOf(
                        mistakes(
                                """
                        clients = 0, seed = -1, echo = maybe
                        heartbeat { interval = 5, share = 2 }
                        behaviours = [{ kind = chatty, payload { distribution = normal } }, { kind = dancing }]
                        reconnect.policy = soon
                        assert = ["false_kills < many", "opened = 3"]
                        """)));
    }

    @Test
    void read_unknownKeys_areNamedWithThoseThatAreKnown() {
        List<String> lines = mistakes(
                """
                cliens = 5, heartbeat { intervall = 3s, colour = red }
                behaviours = [{ kind = steady, after = 3s }]
                """);
        assertEquals(
                Set.of(
                        "heartbeat.intervall: unknown key, did you mean interval?",
                        "heartbeat.colour: unknown key; known here: grace, interval, jitter, period, share, step",
                        "behaviours[0].after: unknown key; known here: kind, weight",
                        "cliens: unknown key, did you mean clients?"),
                Set.copyOf(lines));
    }

    @Test
    void read_file_tellsFileAndLineOfEachMistakeAndTheWordThatWasMeant(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("mine.conf");
        Files.writeString(
                file,
                """
                targets = [
                  { protocol = plian, address = "127.0.0.1:7070" },
                  { protocol = "framed+tls", address = "127.0.0.1:7071", framed { framing.lines = lf, heartbeat.send = "'a\\\\nb'" } }
                ]
                duration = 3s
                heartbeat { interval = 5 }
                behaviours = [
                  { kind = steady }
                  { kind = chaty,
                    wieght = 3 }
                ]
                reconnect.policy = full-jiter
                assert = [
                  "opened >= 100%"
                  "round_trip.p98 <= 5ms"
                ]
                """);
        String told = assertThrows(
                        IllegalArgumentException.class,
                        () -> ScenarioReader.read(ConfigFactory.parseFile(file.toFile()), "mine.conf"))
                .getMessage();
        String need = ": need steady, chatty, slow-reader, byte-drip, never-hello, flapping, silent, vanishing, reset,"
                + " leaving, late, duplicate-id, nat-rebind, roaming, crowd, rival, replay, did you mean chatty?";
        for (String line : List.of(
                "2: targets[0].protocol = plian: need tcp, ws, plain, framed, mqtt, mqtt5, raw or raw-ws, with +tls or"
                        + " without, did you mean plain?",
                "3: targets[1].framed: \"'a\\nb'\": the framing does not read",
                "6: heartbeat.interval = 5: need 100ms..24h, with its unit",
                "9: behaviours[1].kind = chaty" + need,
                "10: behaviours[1].wieght: unknown key, did you mean weight?",
                "12: reconnect.policy = full-jiter: need exponential, fixed, full-jitter, naive, none, obey, did you mean"
                        + " full-jitter?",
                "15: assert = round_trip.p98 <= 5ms: no figure round_trip.p98, did you mean round_trip.p90?")) {
            assertTrue(told.contains("\n  " + file + ":" + line), () -> line + "\nis not in\n" + told);
        }
    }

    @Test
    void read_contradictions_areMistakes() {
        assertEquals(
                List.of("reconnect.cap = 1s: need at least base, 2.0 s"),
                mistakes("reconnect { policy = fixed, base = 2s, cap = 1s }"));
        assertEquals(
                List.of("behaviours[0].until = 1s: need at least after, 3.0 s"),
                mistakes("behaviours = [{ kind = leaving, after = 3s, until = 1s }]"));
        assertEquals(
                List.of("behaviours: need a weight over 0"), mistakes("behaviours = [{ kind = steady, weight = 0 }]"));
        assertEquals(
                List.of("targets: need a weight over 0"),
                mistakes("targets = [{ address = \"127.0.0.1:1\", weight = 0 }]"));
        assertEquals(
                List.of("behaviours[0].payload.max = 5B: need at least min, 9B"),
                mistakes("behaviours = [{ kind = chatty, payload { min = 9B, max = 5B } }]"));
        assertTrue(mistakes("behaviours = [{ kind = late, by = 0.7 }]")
                .get(0)
                .startsWith("behaviours[0].by = 0.7: a silence of 1.5 intervals is too close to the 1.5 allowed"));
        assertEquals(
                List.of("ramp.curve: need times from 0s on, each later than the one before, and a last"
                        + " rate over 0"),
                mistakes("ramp.curve = [{ at = 1s, rate = 3 }]"));
    }

    @Test
    void read_timeline_isInOrderAndWithinTheDuration() {
        assertEquals(
                List.of(
                        "timeline[0].at = 31s: it ends after the duration, 30.0 s",
                        "timeline[1].command: need a program and its arguments",
                        "timeline[1].at = 5s: need the steps in the order of their times",
                        "timeline[2].do: need what happens",
                        "timeline[3].at = 20s: it ends after the duration, 30.0 s"),
                mistakes(
                        """
                        timeline = [
                          { at = 31s, do = silence }, { at = 5s, do = exec }, { at = 6s }, { at = 20s, do = cut, for = 11s }
                        ]
                        """));
        Scenario good =
                read("timeline = [{ at = 5s, do = cut, share = 0.25, for = 10s }, { at = 20s, do = kill, node = 2 }]");
        assertEquals(5_000 * MILLI, good.timeline().get(0).atNanos());
        assertEquals(
                "cut 25.00 % of the devices for 10.0 s", good.timeline().get(0).text());
        assertEquals("kill gateway 2", good.timeline().get(1).text());
    }

    @Test
    void read_targets_needAnAddressThatIsOne() {
        String need = ": need host:port of a host that is known, port 1..65535";
        for (String address : new String[] {"127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", ":80", "127.0.0.1:http"}) {
            assertEquals(
                    List.of("targets[0].address = " + address + need),
                    mistakes("targets = [{ address = \"" + address + "\" }]"));
        }
        assertEquals(List.of("targets[0].address" + need), mistakes("targets = [{ protocol = ws }]"));
        assertEquals(
                1,
                read("targets = [{ protocol = ws }], gateways.start = true")
                        .targets()
                        .size());
        assertTrue(mistakes("targets = []").get(0).startsWith("targets = []: need at least one, for example"));
    }

    @Test
    void read_gatewaysToStart_areReachedThroughTlsWhenTheyHaveIt() {
        String targets = "gateways.start = true, targets = [{ protocol = \"ws+tls\", tls.insecure = true }]\n";
        String on = "gateways.settings.listeners.websocket.tls { enabled = true, certificate-file = c, key-file = k }";
        Scenario moved = read(targets + on).at(protocol -> new InetSocketAddress("127.0.0.1", 7443), List.of());
        assertEquals("ws+tls=127.0.0.1:7443", moved.targets().get(0).label());
        assertEquals(
                List.of(
                        "targets[0].protocol = ws+tls: need gateways.settings { listeners.websocket.tls { enabled = true,"
                                + " certificate-file = ..., key-file = ... } }, or no +tls: the gateways of this run have no TLS"),
                mistakes(targets));
        assertEquals(
                List.of("targets[0].protocol = plain: need plain+tls: gateways.settings turn TLS on"),
                mistakes("gateways.start = true, targets = [{ protocol = plain }]\n" + on));
    }

    @Test
    void read_silentDevicesInTooShortARun_saysHowLongItMustBe() {
        String scenario = "heartbeat { interval = 2s, share = 0.9 }, behaviours = [{ kind = %s }], duration = %dms\n";
        String need = "need at least 9600ms to see devices with an interval of 2000ms fall silent and be closed";
        assertEquals(List.of("duration = 3000ms: " + need), mistakes(String.format(scenario, "silent", 3_000)));
        assertEquals(List.of("duration = 9599ms: " + need), mistakes(String.format(scenario, "vanishing", 9_599)));
        assertNotNull(read(String.format(scenario, "silent", 9_600)));
        assertNotNull(read(String.format(scenario, "steady", 3_000)));
    }

    @Test
    void read_notHocon_namesTheSource() {
        String message = assertThrows(
                        IllegalArgumentException.class, () -> ScenarioReader.read("clients = [", "a.conf"))
                .getMessage();
        assertTrue(message.startsWith("a.conf: "), message);
        message = assertThrows(
                        IllegalArgumentException.class, () -> ScenarioReader.read("clients = ${nobody}", "a.conf"))
                .getMessage();
        assertTrue(message.startsWith("a.conf: "), message);
    }

    @Test
    void closedShare_groupsAndTimeline_areBothCounted() {
        assertEquals(
                0.25,
                read("behaviours = [{ kind = steady, weight = 3 }, { kind = never-hello }]")
                        .closedShare());
        assertEquals(
                0.625,
                read("behaviours = [{ kind = steady, weight = 3 }, { kind = never-hello }],"
                                + "timeline = [{ do = silence, share = 0.5 }]")
                        .closedShare());
    }

    @Test
    void socketsEach_whoMoves_holdsTwo() {
        assertEquals(
                1.5,
                read("behaviours = [{ kind = steady }, { kind = roaming }]").socketsEach());
    }

    @Test
    void behaviours_eachKind_isMade() {
        for (String kind : List.of(
                "steady",
                "chatty",
                "slow-reader",
                "byte-drip",
                "never-hello",
                "flapping",
                "silent",
                "vanishing",
                "reset",
                "leaving",
                "late",
                "duplicate-id",
                "nat-rebind",
                "roaming",
                "crowd",
                "rival")) {
            Scenario scenario = read("duration = 10m, behaviours = [{ kind = " + kind + " }]");
            Behaviour behaviour = scenario.groups().get(0).behaviour().get();
            assertEquals(kind, behaviour.label());
            assertEquals(kind, scenario.groups().get(0).label());
        }
    }

    /** Another process reads the text and must play the same. */
    @Test
    void text_readAgain_isTheSameScenario() throws IOException {
        List<Path> files = files();
        assertTrue(files.size() > 5, files::toString);
        for (Path file : files) {
            Scenario first = ScenarioReader.read(Files.readString(file), file.toString());
            Scenario again = ScenarioReader.read(first.text(), file.toString());
            assertEquals(alike(first), alike(again), file::toString);
            assertEquals(first.text(), again.text());
        }
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("..", "conf", "scenarios"))) {
            return files.filter(file -> file.toString().endsWith(".conf") && !file.endsWith("replay.conf"))
                    .sorted()
                    .toList();
        }
    }

    /** What has a value: a behaviour is but made, a script holds arrays. */
    private static String alike(Scenario scenario) {
        return String.join(
                "\n",
                scenario.name() + scenario.clients() + scenario.seed() + scenario.durationNanos() + scenario.echo(),
                scenario.ramp().toString(),
                scenario.targets().stream()
                        .map(target -> target.label() + target.contract() + target.weight())
                        .toList()
                        .toString(),
                scenario.deviceDefaults().toString(),
                scenario.groups().stream()
                        .map(group -> group.label() + group.weight())
                        .toList()
                        .toString(),
                scenario.comeback().toString(),
                scenario.timeline().toString(),
                scenario.assertions().toString(),
                scenario.contract().toString(),
                scenario.targets().get(0).contract().timeouts().toString(),
                scenario.gateways().toString(),
                scenario.sources() + scenario.loops());
    }
}

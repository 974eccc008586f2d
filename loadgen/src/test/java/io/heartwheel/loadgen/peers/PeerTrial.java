package io.heartwheel.loadgen.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.loadgen.measure.Proc;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fleet of {@code peers.md} played by the real jar against one server, which is looked at from outside meanwhile.
 *
 * @param result the JSON result
 * @param output what the run printed
 * @param bytesEach what a connection costs the server: resident memory, or live heap in a Java process
 * @param cpuMicrosABeat processor time of the server in the quieter part of the run, a heartbeat of it
 */
record PeerTrial(Peer peer, JsonNode result, String output, long bytesEach, double cpuMicrosABeat) {

    /** Devices of the fleet of {@code peers.md}; each beats once a second, a tenth of them falls silent. */
    private static final int CLIENTS = 4_000;

    /** The server's compilers have the first seconds to themselves. */
    private static final long WARM_UP_SECONDS = 8;

    private static final long PATIENCE_SECONDS = 120;
    private static final long LOOK_MILLIS = 50;

    private static final String FLEET =
            """
            name = "The fleet of peers.md"
            clients = %d
            duration = 28s
            behaviours = [ { kind = steady, weight = 9 }, { kind = silent, weight = 1, after = 1s, until = 12s } ]
            """;

    /** Devices that talk, hear themselves, and come a second time under their id. */
    private static final String TALK =
            """
            name = "Devices that talk"
            clients = 300
            duration = 12s
            echo = true
            behaviours = [
              { kind = steady, weight = 5 }
              { kind = chatty, weight = 4, rate = 3, payload { distribution = log-uniform, min = 64B, max = 8KiB } }
              { kind = duplicate-id, weight = 1, after = 2s, until = 8s }
            ]
            """;

    private static final String COMMON =
            """
            seed = 7
            ramp.rate = 1000
            id-prefix = "peer-"
            heartbeat { interval = 4s, share = 0.25 }
            contract { tick = 10ms, slack = 240ms, missed-after = 8s, answer-within = 2s }
            targets = [ { %s } ]
            """;

    /** Plays the fleet, and looks at the server from outside meanwhile. */
    static PeerTrial play(Path directory, Peer peer) throws Exception {
        int metrics = PeerServer.freePort();
        long emptyBytes = bytes(peer);
        try (Run run = new Run(directory, peer, String.format(Locale.ROOT, FLEET, CLIENTS), metrics)) {
            run.awaitObserving(metrics);
            long fullBytes = bytes(peer);
            TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
            Proc.ProcessReading warm = peer.server().reading();
            double warmBeats = figure(metrics, "heartwheel_loadgen_beats_sent_total");
            TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
            double beats = figure(metrics, "heartwheel_loadgen_beats_sent_total") - warmBeats;
            double micros = (peer.server().reading().cpuNanos() - warm.cpuNanos()) / 1e3;
            return run.result((fullBytes - emptyBytes) / CLIENTS, micros / beats);
        }
    }

    /** Plays devices that talk. */
    static PeerTrial talk(Path directory, Peer peer) throws Exception {
        try (Run run = new Run(directory, peer, TALK, PeerServer.freePort())) {
            return run.result(0, 0);
        }
    }

    /** The load generator's jar at work. */
    private static final class Run implements AutoCloseable {
        private final Peer peer;
        private final Path json;
        private final Path log;
        private final Process process;

        Run(Path directory, Peer peer, String fleet, int metrics) throws IOException {
            this.peer = peer;
            json = directory.resolve("result.json");
            log = directory.resolve("run.log");
            Path scenario = Files.writeString(
                    directory.resolve("fleet.conf"), fleet + String.format(Locale.ROOT, COMMON, peer.target()));
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-jar",
                            Path.of(System.getProperty("heartwheel.loadgen.jar"))
                                    .toAbsolutePath()
                                    .toString(),
                            "run",
                            "--scenario=" + scenario,
                            "--json=" + json,
                            "--metrics=127.0.0.1:" + metrics)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        }

        void awaitObserving(int metrics) throws Exception {
            for (long rounds = TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS) / LOOK_MILLIS; rounds > 0; rounds--) {
                String page = page(metrics);
                if (page != null && page.contains("phase=\"observing\"")) {
                    return;
                }
                if (process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    break;
                }
            }
            throw new AssertionError("never observed:\n" + Files.readString(log));
        }

        PeerTrial result(long bytesEach, double cpuMicrosABeat) throws Exception {
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            String output = Files.readString(log, StandardCharsets.UTF_8);
            assertTrue(ended, () -> peer.title() + ": the run did not end:\n" + output);
            assertTrue(Files.isRegularFile(json), () -> peer.title() + ": no result:\n" + output);
            JsonNode result = new ObjectMapper().readTree(json.toFile());
            return new PeerTrial(peer, result, output, bytesEach, cpuMicrosABeat);
        }

        @Override
        public void close() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }
    }

    private static long bytes(Peer peer) throws Exception {
        return peer.java()
                ? peer.server().liveHeapBytes()
                : peer.server().reading().residentBytes();
    }

    private static double figure(int metrics, String name) throws IOException {
        String page = page(metrics);
        Matcher line = Pattern.compile("(?m)^" + name + " (\\S+)$").matcher(String.valueOf(page));
        if (!line.find()) {
            throw new AssertionError(name + " is not in " + page);
        }
        return Double.parseDouble(line.group(1));
    }

    /** The page of metrics; null while nobody serves it. */
    private static @Nullable String page(int port) throws IOException {
        try (var in =
                URI.create("http://127.0.0.1:" + port + "/metrics").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (ConnectException notYet) {
            return null;
        }
    }

    long count(String name) {
        return result.path("counts").path(name).asLong();
    }

    double lateMillis(String part) {
        return result.path("timings").path("lateness").path(part + "_nanos").asDouble() / 1e6;
    }

    String verdict() {
        return result.path("verdict").asText();
    }

    /** The texts of the findings of this weight. */
    private List<String> findings(String weight) {
        List<String> texts = new ArrayList<>();
        for (JsonNode finding : result.path("findings")) {
            if (finding.path("weight").asText().equals(weight)) {
                texts.add(finding.path("text").asText());
            }
        }
        return texts;
    }

    /** What speaks against the server for certain. */
    List<String> hard() {
        return findings("HARD");
    }

    /** Everybody was connected, everybody who fell silent was closed at some time, and nobody else. */
    PeerTrial everybodyJudged() {
        assertEquals(CLIENTS, count("opened"), output);
        assertEquals(CLIENTS / 10, count("condemned"), output);
        assertEquals(CLIENTS / 10, count("detected") + count("false_kills"), output);
        assertEquals(CLIENTS - CLIENTS / 10, count("live_at_end"), output);
        assertEquals(0, count("beats_unanswered"), output);
        return this;
    }

    /** What it was configured to do it did, as far as this machine can tell. */
    void kept() {
        assertEquals(List.of(), hard(), output);
        assertTrue(verdict().equals("PASS") || excused(), output);
    }

    /** It was late, and the verdict says so, if the machine lets it. */
    void late() {
        assertTrue(findings("TIMED").stream().anyMatch(text -> text.startsWith("detection lateness p99")), output);
        assertTrue(verdict().equals("FAIL") || excused(), output);
    }

    /** Nothing is proved on a machine that is too busy, and the run has to say that it was. */
    private boolean excused() {
        return verdict().equals("INCONCLUSIVE")
                && findings("DOUBT").size() + findings("OWN").size() > 0;
    }

    /** A row of the table in {@code peers.md}. */
    String row() {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %,d | %,d | %,d | %s | %,.0f / %,.0f / %,.0f ms | %s %s | %.1f us | %s |",
                peer.title(),
                peer.configured(),
                count("condemned"),
                count("false_kills"),
                count("missed_kills"),
                ends(),
                lateMillis("p50"),
                lateMillis("p99"),
                lateMillis("max"),
                bytesEach < 0 ? "-" : String.format(Locale.ROOT, "%,d B", bytesEach),
                peer.java() ? "heap" : "RSS",
                cpuMicrosABeat,
                verdict());
    }

    /** How silent devices were closed, the most frequent first. */
    private String ends() {
        List<String> ends = new ArrayList<>();
        result.path("tables").path("closes of silent").fieldNames().forEachRemaining(ends::add);
        return String.join(", ", ends);
    }
}

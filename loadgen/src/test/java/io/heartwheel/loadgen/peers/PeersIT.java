package io.heartwheel.loadgen.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The same fleet against real servers, each judged by what it was configured to do, one after the other; the rows of the
 * table in {@code gateway/docs/peers.md} are printed and stand in {@code target/peers.md}. About half a minute each.
 */
@Tag("peers")
@Isolated("figures need the machine for themselves")
@Timeout(240)
final class PeersIT {

    private static final String HEAD =
            """
            | server | configured | silent | false kills | missed | closed by | late, p50 / p99 / max | memory a connection | CPU a beat | verdict |
            |---|---|---|---|---|---|---|---|---|---|
            """;

    private static final Map<Integer, String> ROWS = new ConcurrentSkipListMap<>();

    @TempDir
    private Path directory;

    @AfterAll
    static void print() throws Exception {
        String table = HEAD + String.join("\n", ROWS.values()) + "\n";
        Files.writeString(Files.createDirectories(Path.of("target")).resolve("peers.md"), table);
        System.out.println(table);
    }

    private PeerTrial play(int row, Peer peer) throws Exception {
        try (peer) {
            PeerTrial trial = PeerTrial.play(directory, peer);
            ROWS.put(row, trial.row());
            System.out.println(trial.row());
            return trial.everybodyJudged();
        }
    }

    @Test
    void heartwheel_overTcp_keepsItsPromise() throws Exception {
        play(1, Peer.heartwheel(directory, "tcp", "tcp")).kept();
    }

    @Test
    void heartwheel_overPlainWebSocket_keepsItsPromise() throws Exception {
        play(2, Peer.heartwheel(directory, "websocket", "plain")).kept();
    }

    @Test
    void netty_idleStateHandler_keepsItsPromise() throws Exception {
        play(3, Peer.netty(directory)).kept();
    }

    @Test
    void haproxy_timeoutTunnel_keepsItsPromise() throws Exception {
        play(4, Peer.haproxy(directory)).kept();
    }

    /** MQTT has it closed at 1.5 x keep-alive; Mosquitto looks every five seconds. */
    @Test
    void mosquitto_mqtt311_closesSecondsAfterOneAndAHalfKeepAlives() throws Exception {
        afterSeconds(play(5, Peer.mosquitto(directory, "3.1.1")));
    }

    @Test
    void mosquitto_mqtt5_closesSecondsAfterOneAndAHalfKeepAlives() throws Exception {
        afterSeconds(play(6, Peer.mosquitto(directory, "5")));
    }

    @Test
    void mosquitto_mqtt311DevicesThatTalk_losesNothingAndTakesOver() throws Exception {
        PeerTrial trial = talked(Peer.mosquitto(directory, "3.1.1"));
        trial.kept();
        assertEquals(trial.count("takeovers"), trial.count("takeovers_right"), trial::output);
    }

    /** MQTT 5 has the older client told with DISCONNECT 0x8E (3.1.4-3); this broker only ends the stream. */
    @Test
    void mosquitto_mqtt5DevicesThatTalk_losesNothingButTellsNobodyOfATakeover() throws Exception {
        PeerTrial trial = talked(Peer.mosquitto(directory, "5"));
        assertEquals("FAIL", trial.verdict(), trial::output);
        assertEquals(List.of(trial.count("takeovers") + " takeovers went wrong"), trial.hard(), trial::output);
        assertTrue(trial.output().contains("the older connection ended with fin, due is 142"), trial::output);
    }

    private PeerTrial talked(Peer peer) throws Exception {
        try (peer) {
            PeerTrial trial = PeerTrial.talk(directory, peer);
            assertTrue(trial.count("data_accepted") > 2_000, trial::output);
            assertTrue(trial.count("data_echoed") > 2_000, trial::output);
            assertTrue(trial.count("takeovers") > 20, trial::output);
            return trial;
        }
    }

    /** Who falls silent right after a pong is asked once more before it is closed: one to two periods of silence. */
    @Test
    void node_pingAndTerminate_closesWithinTwoPeriods() throws Exception {
        PeerTrial trial = play(7, Peer.node(directory));
        trial.late();
        assertTrue(trial.lateMillis("p50") > 1_000 && trial.lateMillis("max") < 7_000, trial::output);
    }

    private static void afterSeconds(PeerTrial trial) {
        trial.late();
        assertTrue(trial.lateMillis("p50") > 1_000 && trial.lateMillis("max") < 7_500, trial::output);
        assertEquals(List.of(), trial.hard(), trial::output);
    }
}

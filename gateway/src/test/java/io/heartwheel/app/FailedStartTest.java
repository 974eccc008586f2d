package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.HashedToken;
import io.heartwheel.config.ConfigLoader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that cannot start, for something that is opened early or late: nothing of it is left. */
@Timeout(60)
class FailedStartTest {
    @TempDir
    Path directory;

    private final Map<String, String> keys = new HashMap<>();

    /** All that has a thread or a file, but no port that is not its own. */
    @BeforeEach
    void configure() throws IOException {
        Path tokens = directory.resolve("tokens");
        Files.writeString(tokens, "* " + HashedToken.of(new byte[24]) + "\n");
        set("auth.mode", "methods");
        set("auth.methods", "tokens");
        set("auth.tokens.file", tokens.toString());
        set("trace.enabled", "true");
        set("trace.file", directory.resolve("trace").toString());
        set("sink.kind", "journal");
        set("journal.directory", directory.resolve("journal").toString());
        set("outlets.main.kind", "file");
        set("outlets.main.file", directory.resolve("events").toString());
        set("listeners.tcp.bind", "127.0.0.1:0");
        set("listeners.websocket.enabled", "false");
        set("admin.bind", "127.0.0.1:0");
    }

    private void set(String key, String value) {
        keys.put("heartwheel." + key, value);
    }

    @Test
    void start_journalCannotBeUsed_leavesNothingRunning() throws Exception {
        set(
                "journal.directory",
                Files.writeString(directory.resolve("file"), "").toString());
        assertFailsFor("file");
    }

    @Test
    void start_certificateCannotBeUsed_leavesNothingRunning() throws Exception {
        String pem = Files.writeString(directory.resolve("pem"), "none").toString();
        set("listeners.tcp.tls.enabled", "true");
        set("listeners.tcp.tls.certificate-file", pem);
        set("listeners.tcp.tls.key-file", pem);
        assertFailsFor("pem");
    }

    @Test
    void start_portOfTheAdminListenerIsTaken_leavesNothingRunning() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            set("admin.bind", "127.0.0.1:" + taken.getLocalPort());
            assertFailsFor("admin.bind");
        }
    }

    /** The outlet waits for it and tells it; devices are served. */
    @Test
    void start_directoryOfAnOutletIsMissing_startsAllTheSame() throws Exception {
        set("outlets.main.file", directory.resolve("none/events").toString());
        Gateway gateway = Gateway.start(ConfigLoader.read(null, keys, Map.of()));
        gateway.shutdown();
        gateway.awaitTermination();
    }

    private static boolean isNotOurs(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group == null
                || group.getName().equals("system")
                || thread.getName().startsWith("globalEventExecutor");
    }

    /** Twice: what the first had still open would be in the way of the second. */
    private void assertFailsFor(String word) throws Exception {
        for (int i = 0; i < 2; i++) {
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            IOException why =
                    assertThrows(IOException.class, () -> Gateway.start(ConfigLoader.read(null, keys, Map.of())));
            assertTrue(why.getMessage().contains(word), why::toString);
            Set<Thread> left = new HashSet<>(Thread.getAllStackTraces().keySet());
            left.removeAll(before);
            left.removeIf(FailedStartTest::isNotOurs);
            for (Thread each : left) {
                each.join(20_000);
                assertFalse(each.isAlive(), each::toString);
            }
        }
    }
}

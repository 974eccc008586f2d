package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent on loopback, with real worker processes behind it. */
final class AgentIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Token TOKEN = TokenHandshakeTest.token("as good as any other");

    private final Queue<String> log = new ConcurrentLinkedQueue<>();
    private final Queue<WorkerGroup> groups = new ConcurrentLinkedQueue<>();
    private AgentServer server;
    private Thread serving;

    @TempDir
    private Path directory;

    @BeforeEach
    void listen() throws IOException {
        server = started();
    }

    private AgentServer started() throws IOException {
        AgentServer made = new AgentServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TOKEN,
                assignment -> {
                    WorkerGroup group = TestWorkerMain.pool().start(assignment);
                    groups.add(group);
                    return group;
                },
                () -> LoadDivisionTest.machine(300, 2),
                log::add);
        serving = new Thread(() -> {
            try {
                made.serve();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        serving.setDaemon(true);
        serving.start();
        return made;
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        serving.join();
    }

    private AgentPool open(Token token) throws IOException {
        return AgentPool.open(List.of("127.0.0.1:" + server.address().getPort()), token, LONG);
    }

    /** The place is free again a moment after its workers have ended. */
    private AgentPool openOnceFree() throws Exception {
        while (true) {
            try {
                return open(TOKEN);
            } catch (IOException e) {
                assertTrue(e.getMessage().endsWith(": busy with another coordinator"), e::toString);
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    /** 120 devices, 50 a worker as this machine is said to have 300 descriptors: three workers. */
    private static WorkerGroup play(AgentPool pool) {
        List<LoadDivision> divisions =
                LoadDivision.amongMachines(LoadDivisionTest.load(120, true), pool.capacities()).stream()
                        .map(part -> LoadDivision.of(part, pool.capacities().get(0)))
                        .toList();
        return pool.start("fine", divisions);
    }

    private List<Long> workers() {
        return groups.stream().flatMap(each -> each.pids().stream()).toList();
    }

    private static void awaitEnd(long pid) throws InterruptedException {
        while (WorkerPoolIT.isAlive(pid)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    @Test
    void agent_rightToken_playsWithItsOwnWorkers() throws Exception {
        try (AgentPool pool = open(TOKEN);
                WorkerGroup group = play(pool)) {
            assertEquals(3, workers().size());
            group.begin();
            assertEquals(120, group.present());
            group.act(2);
            assertEquals(300, group.snapshot().usage().cpuNanos());
            assertEquals(3, group.finish().evidence().size());
            group.act(13);
            List<String> lost = group.snapshot().lost();
            assertTrue(
                    lost.get(0).matches("agent 127\\.0\\.0\\.1:\\d+: worker 0 \\(pid \\d+\\): no step 13"),
                    lost::toString);
            assertTrue(
                    lost.get(3).endsWith(": 120 devices were given up with them; all below is what the others saw"),
                    lost::toString);
        }
        for (long pid : workers()) {
            awaitEnd(pid);
        }
        try (AgentPool pool = openOnceFree()) {
            assertEquals(2, pool.capacities().get(0).cores());
        }
    }

    @Test
    void agent_wrongToken_isRefusedAndServesTheNext() throws Exception {
        String message = assertThrows(IOException.class, () -> open(TokenHandshakeTest.token("as good as any othes")))
                .getMessage();
        assertTrue(message.endsWith(": the token is not the agent's"), message);
        open(TOKEN).close();
        assertTrue(
                log.stream().anyMatch(line -> line.endsWith(" refused: a coordinator with another token")),
                log::toString);
    }

    @Test
    void agent_busy_refusesASecondCoordinator() throws Exception {
        try (AgentPool pool = open(TOKEN)) {
            assertEquals(1, pool.capacities().size());
            String message = assertThrows(IOException.class, () -> open(TOKEN)).getMessage();
            assertTrue(message.endsWith(": busy with another coordinator"), message);
        }
    }

    @Test
    void coordinator_lost_endsTheWorkers() throws Exception {
        AgentPool pool = open(TOKEN);
        WorkerGroup group = play(pool);
        group.begin();
        List<Long> pids = workers();
        server.close();
        String message = group.snapshot().lost().get(0);
        assertTrue(message.startsWith("agent 127.0.0.1:") && message.contains(" was lost at look ("), message);
        for (long pid : pids) {
            awaitEnd(pid);
        }
        group.close();
        pool.close();
    }

    @Test
    void stranger_sayingNothing_isHungUpOnAndFewAreLetInAtATime() throws Exception {
        List<Socket> unproven = new ArrayList<>();
        for (int i = 0; i < 3 * AgentServer.MOST_UNPROVEN; i++) {
            unproven.add(new Socket(
                    InetAddress.getLoopbackAddress(), server.address().getPort()));
        }
        int greeted = 0;
        for (Socket stranger : unproven) {
            // All end: those that were one too many at once, the others when their time is over.
            greeted += stranger.getInputStream().readAllBytes().length > 0 ? 1 : 0;
            stranger.close();
        }
        assertTrue(greeted >= 1 && greeted <= AgentServer.MOST_UNPROVEN, "greeted " + greeted);
        open(TOKEN).close();
    }

    @Test
    void command_agent_saysWhereItListensAndAnswers() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "as good as any other\n");
        JavaCommand jar = JavaCommand.ofJar(Path.of(System.getProperty("heartwheel.loadgen.jar")));
        List<String> line = new ArrayList<>(List.of("env", "--default-signal=HUP,INT,TERM"));
        line.addAll(jar.line(List.of(), List.of("agent", "--listen", "127.0.0.1:0", "--token-file", token.toString())));
        Process agent = new ProcessBuilder(line).redirectErrorStream(true).start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(agent.getInputStream(), StandardCharsets.UTF_8))) {
            String first = out.readLine();
            assertTrue(first.startsWith("agent listens on 127.0.0.1:"), first);
            try (AgentPool pool = AgentPool.open(List.of(first.substring("agent listens on ".length())), TOKEN, LONG)) {
                assertEquals(
                        MachineLimits.ofThisMachine().ports(),
                        pool.capacities().get(0).ports());
            }
            assertTrue(out.readLine().endsWith(" conducts"));
        } finally {
            agent.destroy();
            assertTrue(agent.waitFor(60, TimeUnit.SECONDS));
            assertFalse(agent.isAlive());
        }
    }
}

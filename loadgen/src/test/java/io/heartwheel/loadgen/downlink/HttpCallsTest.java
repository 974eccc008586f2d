package io.heartwheel.loadgen.downlink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpServer;
import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pushes to a server of several addresses. */
@Timeout(60)
final class HttpCallsTest {

    private final List<HttpServer> servers = new ArrayList<>();
    private final List<Integer> asked = new CopyOnWriteArrayList<>();

    /** A server that answers this. */
    private void server(int status) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int number = servers.size();
        server.createContext("/", exchange -> {
            asked.add(number);
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        servers.add(server);
    }

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    private List<Said> push(int many, String more) {
        List<String> addresses = servers.stream()
                .map(server -> "\"127.0.0.1:" + server.getAddress().getPort() + "\"")
                .toList();
        Downlink downlink = ScenarioReader.read(
                        "targets = [{ address = \"127.0.0.1:1\" }], downlink { http { addresses = " + addresses + ", "
                                + more + " } }",
                        "test")
                .downlinks()
                .get(0);
        List<Said> said = new ArrayList<>();
        try (HttpCalls calls = new HttpCalls(downlink, List.of(), Duration.ofSeconds(30), System::nanoTime)) {
            for (int i = 0; i < many; i++) {
                Push push = new Push(0, "d", i, 0, 0, new byte[44], Acks.Ask.NOTHING, "", false, "key");
                said.add(calls.call(push).join().said());
            }
        }
        return said;
    }

    @Test
    void call_absentAtTheFirst_asksTheNextAndBeginsAtEachInTurn() throws IOException {
        server(404);
        server(202);
        assertEquals(List.of(Said.ACCEPTED, Said.ACCEPTED), push(2, ""));
        assertEquals(List.of(0, 1, 1), asked);
    }

    @Test
    void call_anyAnswersForAll_believesTheFirst() throws IOException {
        server(404);
        server(202);
        assertEquals(List.of(Said.ABSENT, Said.ACCEPTED), push(2, "any = true"));
        assertEquals(List.of(0, 1), asked);
    }

    @Test
    void call_statusThatSaysThatNobodyKnows_isAFailure() throws IOException {
        server(503);
        assertEquals(List.of(Said.FAILED), push(1, "unknown = [503]"));
        assertEquals(List.of(Said.REFUSED), push(1, ""));
    }
}

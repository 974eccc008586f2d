package io.heartwheel.cluster.nats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.ServerInfo;
import io.nats.client.support.JsonParser;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class NatsEngineTest {
    @Test
    void server_before210_isNamed() {
        assertEquals("NATS 2.9.10 at h:4222: need 2.10 or later", NatsEngine.complaint(server("2.9.10")));
        assertNull(NatsEngine.complaint(server("2.10.27")));
        assertNull(NatsEngine.complaint(server("2.12.1")));
    }

    private static ServerInfo server(String version) {
        return new ServerInfo("{\"server_id\":\"S\",\"version\":\"" + version + "\",\"host\":\"h\",\"port\":4222}");
    }

    /** An empty page would be the end of all rows. */
    @Test
    void page_ofWhichNoRowComes_fails() {
        NatsRows rows = new NatsRows("b", () -> mute(Connection.class), () -> {});
        CompletionStage<?> page = rows.page(false, 0, 10);
        String why = assertThrows(CompletionException.class, () -> page.toCompletableFuture()
                        .join())
                .getMessage();
        assertTrue(why.contains("no row came"), why);
        rows.close();
    }

    /** As what the client refuses to send. */
    @Test
    void request_thatTheClientRefuses_failsWithoutThrowing() {
        NatsRows rows = new NatsRows(
                "b",
                () -> {
                    throw new IllegalArgumentException("refused");
                },
                () -> {});
        byte[] id = {'x'};
        assertTrue(rows.state().toCompletableFuture().isCompletedExceptionally());
        assertTrue(rows.readLatest(id).toCompletableFuture().isCompletedExceptionally());
        assertTrue(rows.write(id, Row.NONE, 0).toCompletableFuture().isCompletedExceptionally());
        assertTrue(rows.purge(id, 1).toCompletableFuture().isCompletedExceptionally());
    }

    /** On a busy server an answer may take more than a quarter of a second, after which the client gives up what it publishes by itself. */
    @Test
    void write_ofARow_waitsForItsAnswerAsLongAsARead() {
        List<Object> patience = new ArrayList<>();
        Connection silent = (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("requestWithTimeout")) {
                        patience.add(arguments[arguments.length - 1]);
                    }
                    return method.getReturnType().isAssignableFrom(CompletableFuture.class)
                            ? new CompletableFuture<>()
                            : mute(method.getReturnType());
                });
        NatsRows rows = new NatsRows("b", () -> silent, () -> {});
        rows.read(new byte[] {'d'});
        rows.write(new byte[] {'d'}, new Row(new NodeId("n", 1), 1, 1, true, 0), 0);
        assertEquals(List.of(NatsEngine.PATIENCE, NatsEngine.PATIENCE), patience);
        rows.close();
    }

    /** Part of the client of a server that has counted one row and sends none. */
    private static <T> T mute(Class<T> part) {
        return part.cast(
                Proxy.newProxyInstance(part.getClassLoader(), new Class<?>[] {part}, (proxy, method, arguments) -> {
                    Class<?> wanted = method.getReturnType();
                    if (wanted == ConsumerInfo.class) {
                        return new ConsumerInfo(
                                JsonParser.parse("{\"name\":\"c\",\"num_pending\":1,\"config\":{\"name\":\"c\"}}"));
                    }
                    if (wanted == boolean.class) {
                        return true;
                    }
                    return wanted.isInterface() && wanted != Message.class ? mute(wanted) : null;
                }));
    }
}

package io.heartwheel.outlet.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import io.nats.client.support.Status;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A stream and the connections to it, as far as the outlet uses them: it drops what it has by its id, and answers what a test says. */
final class FakeStream implements NatsOutlet.Opener {
    static final int MOST_BYTES = 3_000;

    /** A message on its way; the test settles it, once. */
    final class Sent {
        final String subject;
        final Headers headers;
        final byte[] payload;
        private final CompletableFuture<Message> answer = new CompletableFuture<>();

        Sent(String subject, Headers headers, byte[] payload) {
            this.subject = subject;
            this.headers = headers;
            this.payload = payload;
        }

        String id() {
            return headers.getFirst("Nats-Msg-Id");
        }

        /** It is stored, unless it was before; nobody is told. */
        void store() {
            if (ids.add(id())) {
                stored.add(this);
            }
        }

        void acknowledge() {
            store();
            answer("{\"stream\":\"S\",\"seq\":" + stored.size() + "}");
        }

        void refuse(int code, String description) {
            answer("{\"error\":{\"code\":503,\"err_code\":" + code + ",\"description\":\"" + description + "\"}}");
        }

        void noStream() {
            answer.completeExceptionally(new JetStreamStatusException(new Status(503, "No Responders")));
        }

        /** What the client does when nothing came in time, and with all that is open when it closes. */
        void cancel() {
            answer.cancel(true);
        }

        private void answer(String json) {
            answer.complete(NatsMessage.builder()
                    .subject("inbox")
                    .data(json, StandardCharsets.UTF_8)
                    .build());
        }
    }

    /** First copies, in the order of the stream. */
    final List<Sent> stored = new ArrayList<>();
    /** All that was sent. */
    final List<Sent> sent = new ArrayList<>();

    private final Set<String> ids = new HashSet<>();
    private Consumer<Sent> script = Sent::acknowledge;
    private volatile Connection.Status status = Connection.Status.CLOSED;
    private String lastError = "";
    int opened;
    boolean refusesConnections;

    /** What becomes of each message from now on. */
    void script(Consumer<Sent> next) {
        script = next;
    }

    void disconnect() {
        status = Connection.Status.CLOSED;
    }

    void tell(String error) {
        lastError = error;
    }

    boolean isClosed() {
        return status == Connection.Status.CLOSED;
    }

    List<String> idsStored() {
        return stored.stream().map(Sent::id).toList();
    }

    @Override
    public Connection open() throws IOException {
        if (refusesConnections) {
            throw new IOException("NATS nats://h:4222: ConnectException: Connection refused");
        }
        opened++;
        status = Connection.Status.CONNECTED;
        return (Connection) Proxy.newProxyInstance(
                FakeStream.class.getClassLoader(), new Class<?>[] {Connection.class}, this::invoke);
    }

    private Object invoke(Object proxy, Method method, Object[] given) {
        return switch (method.getName()) {
            case "getStatus" -> status;
            case "getMaxPayload" -> (long) MOST_BYTES;
            case "getLastError" -> lastError;
            case "close" -> {
                disconnect();
                yield null;
            }
            case "requestWithTimeout" -> {
                if (isClosed()) {
                    throw new IllegalStateException("Connection is Closed");
                }
                Sent message = new Sent((String) given[0], (Headers) given[1], (byte[]) given[2]);
                sent.add(message);
                script.accept(message);
                yield message.answer;
            }
            default -> throw new AssertionError(method);
        };
    }
}

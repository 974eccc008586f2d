package io.heartwheel.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Receiver of an outlet of kind webhook. At first it is down: it has a port, and refuses connections. Then it takes everything, and remembers it. */
final class WebhookReceiver implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final InetSocketAddress address;
    /** Bound and not listening, so that nobody else gets the port. */
    private final Socket reserved = new Socket();

    private final List<Delivery> deliveries = new ArrayList<>();
    private final Set<String> seen = new HashSet<>();
    private HttpServer server;

    /**
     * One event of one request.
     *
     * @param id of the CloudEvent
     * @param marked whether the request says that its events may have come before
     * @param repeated whether this one did
     * @param data object of the events' manual
     */
    record Delivery(String id, boolean marked, boolean repeated, JsonNode data) {}

    WebhookReceiver() throws IOException {
        reserved.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
        address = (InetSocketAddress) reserved.getLocalSocketAddress();
    }

    String url() {
        return "http://127.0.0.1:" + address.getPort() + "/events";
    }

    /** Comes up. */
    void open() throws IOException {
        reserved.close();
        server = HttpServer.create(address, 0);
        server.createContext("/events", this::take);
        server.start();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean marked = Integer.parseInt(exchange.getRequestHeaders().getFirst("Heartwheel-Attempt")) > 1;
            JsonNode batch = JSON.readTree(exchange.getRequestBody());
            synchronized (this) {
                for (JsonNode event : batch) {
                    String id = event.get("id").asText();
                    deliveries.add(new Delivery(id, marked, !seen.add(id), event.get("data")));
                }
            }
            exchange.sendResponseHeaders(204, -1);
        }
    }

    /** Everything that came, in this order. */
    synchronized List<Delivery> deliveries() {
        return List.copyOf(deliveries);
    }

    /** Every event of this kind, once, in the order in which they came first. */
    List<JsonNode> events(String kind) {
        return deliveries().stream()
                .filter(delivery -> !delivery.repeated())
                .map(Delivery::data)
                .filter(event -> EventLines.kind(event).equals(kind))
                .toList();
    }

    @Override
    public void close() throws IOException {
        reserved.close();
        if (server != null) {
            server.stop(0);
        }
    }
}

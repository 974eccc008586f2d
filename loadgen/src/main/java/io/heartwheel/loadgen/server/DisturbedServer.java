package io.heartwheel.loadgen.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.heartwheel.loadgen.measure.NanoClock;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * HTTP server that does what it is asked for, or what the scenario's plan has instead. Any thread.
 *
 * <pre>
 *   200     its service replies             500, never   the service is not asked
 *   late    the same, sent after hold       down         no connection is accepted, those there are cut
 * </pre>
 */
public final class DisturbedServer implements AutoCloseable {

    /** Longest body that is read, bytes; one that is longer comes with a byte more. */
    public static final int MOST_BODY_BYTES = 64 << 20;

    private static final int BACKLOG = 64;
    private static final int THREADS = 8;
    private static final int MOST_TRIES = 100;
    private static final long TRY_AGAIN_MILLIS = 50;
    private static final int ERROR = 500;

    private final String path;
    private final List<Disturbance> plan;
    private final NanoClock clock;
    private final Service service;
    private final ExecutorService answering;
    private final ScheduledExecutorService later;

    private @Nullable HttpServer server; // guarded by this
    private @Nullable InetSocketAddress address; // guarded by this
    private boolean closed; // guarded by this
    private volatile long observedFromNanos = Long.MAX_VALUE;

    /** What it is there for. Called by several threads at once. */
    public interface Service {

        /** A request came, and the plan disturbs it or not; before {@link #reply}. */
        default void asked(boolean disturbed) {}

        /** The reply to it. */
        Reply reply(HttpExchange request, byte[] body) throws IOException;
    }

    /**
     * Reply to a request.
     *
     * @param text JSON; empty: no body
     */
    public record Reply(int status, String text) {}

    /**
     * A server that does not listen yet.
     *
     * @param name of its threads
     * @param clock any monotonic clock
     */
    public DisturbedServer(String name, String path, List<Disturbance> plan, NanoClock clock, Service service) {
        this.path = path;
        this.plan = plan;
        this.clock = clock;
        this.service = service;
        this.answering = Executors.newFixedThreadPool(THREADS, new DefaultThreadFactory(name, true));
        this.later = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory(name + "-plan", true));
    }

    /** Listens. */
    public synchronized void listen(InetSocketAddress at) throws IOException {
        if (closed) {
            return;
        }
        HttpServer made = HttpServer.create(at, BACKLOG);
        made.setExecutor(answering);
        made.createContext(path, this::serve);
        made.start();
        server = made;
        address = made.getAddress();
    }

    /** Where it listens, or did before it went down. */
    public synchronized InetSocketAddress address() {
        return Objects.requireNonNull(address, "not begun");
    }

    /** Observation begins: the plan counts from here. */
    public void observe() {
        observedFromNanos = clock.nanos();
        for (Disturbance each : plan) {
            if (each.answer() == Disturbance.Answer.DOWN) {
                schedule(this::goDown, each.atNanos());
                schedule(() -> comeUp(MOST_TRIES), each.endNanos());
            }
        }
    }

    /** How long observation has lasted; below 0 before it. */
    public long observedNanos() {
        long from = observedFromNanos;
        return from == Long.MAX_VALUE ? -1 : clock.nanos() - from;
    }

    private void schedule(Runnable what, long inNanos) {
        Future<?> ignored = later.schedule(what, inNanos, TimeUnit.NANOSECONDS);
    }

    private synchronized void goDown() {
        HttpServer listening = server;
        server = null;
        if (listening != null) {
            listening.stop(0);
        }
    }

    /** On the same port; somebody else's connection may have it for a moment. */
    private void comeUp(int tries) {
        try {
            listen(address());
        } catch (IOException e) {
            if (tries > 1) {
                schedule(() -> comeUp(tries - 1), TimeUnit.MILLISECONDS.toNanos(TRY_AGAIN_MILLIS));
            }
        }
    }

    private void serve(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(MOST_BODY_BYTES + 1);
        Disturbance now = Disturbance.at(plan, observedNanos());
        service.asked(now.answer() != Disturbance.Answer.OK);
        switch (now.answer()) {
            case NEVER -> {
                // Whoever waits for an answer gives up, or sees the end of the connection when this run is over.
            }
            case ERROR, DOWN -> send(exchange, new Reply(ERROR, ""));
            case LATE -> {
                Reply reply = service.reply(exchange, body);
                schedule(() -> send(exchange, reply), now.holdNanos());
            }
            case OK -> send(exchange, service.reply(exchange, body));
        }
    }

    private static void send(HttpExchange exchange, Reply reply) {
        try (exchange) {
            byte[] body = reply.text().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().putIfAbsent("Content-Type", List.of("application/json"));
            boolean none = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(reply.status(), none ? -1 : body.length);
            if (!none) {
                exchange.getResponseBody().write(body);
            }
        } catch (IOException e) {
            // Whoever asked did not wait: it asks again.
        }
    }

    /** Ends it. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        goDown();
        later.shutdownNow();
        answering.shutdownNow();
    }
}

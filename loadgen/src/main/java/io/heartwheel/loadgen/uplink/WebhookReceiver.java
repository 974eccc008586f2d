package io.heartwheel.loadgen.uplink;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.scenario.Addresses;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Uplink;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * HTTP server that takes the batches of a webhook outlet, checks their signatures and answers by the scenario's plan.
 *
 * <pre>
 *   200     the events are taken            500, never   nothing is taken
 *   late    they are taken, 200 after hold  down         no connection is accepted, those there are cut
 * </pre>
 *
 * <p>Any thread. An event is taken before its 200 is sent, so the order of an outlet that waits for its answer is kept; one
 * that did not get the answer delivers the same ids again.
 */
public final class WebhookReceiver implements EventReceiver {

    private static final String PATH = "/events";
    private static final String BATCH = "application/cloudevents-batch+json";
    private static final int BACKLOG = 64;
    private static final int THREADS = 8;
    private static final int MOST_BODY_BYTES = 64 << 20;
    private static final int MOST_TRIES = 100;
    private static final long TRY_AGAIN_MILLIS = 50;
    private static final int TAKEN = 200;
    private static final int BAD = 400;
    private static final int FORBIDDEN = 401;
    private static final int TOO_LARGE = 413;
    private static final int ERROR = 500;
    private static final int BUSY = 503;

    private final Uplink uplink;
    private final EventReader reader;
    private final EventIntake intake;
    private final NanoClock clock;
    private final LongSupplier wallSeconds;
    private final ExecutorService answering =
            Executors.newFixedThreadPool(THREADS, new DefaultThreadFactory("uplink", true));
    private final ScheduledExecutorService later =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("uplink-plan", true));

    private @Nullable HttpServer server; // guarded by this
    private @Nullable InetSocketAddress address; // guarded by this
    private boolean closed; // guarded by this
    private volatile long observedFromNanos = Long.MAX_VALUE;

    /**
     * A receiver that does not listen yet.
     *
     * @param scenario one with an uplink
     * @param clock any monotonic clock
     * @param wallSeconds the wall clock, seconds since 1970
     */
    public WebhookReceiver(Scenario scenario, EventIntake intake, NanoClock clock, LongSupplier wallSeconds) {
        this.uplink = Objects.requireNonNull(scenario.uplink(), "uplink = none: need one");
        this.reader = new EventReader(scenario.deviceDefaults().idPrefix(), scenario.clients());
        this.intake = intake;
        this.clock = clock;
        this.wallSeconds = wallSeconds;
    }

    @Override
    public synchronized void begin() throws IOException {
        listen(Addresses.read("uplink.bind", uplink.bind()));
    }

    private synchronized void listen(InetSocketAddress at) throws IOException {
        if (closed) {
            return;
        }
        HttpServer made = HttpServer.create(at, BACKLOG);
        made.setExecutor(answering);
        made.createContext(PATH, this::serve);
        made.start();
        server = made;
        address = made.getAddress();
    }

    @Override
    public synchronized String url() {
        return "http://" + Addresses.text(Objects.requireNonNull(address, "not begun")) + PATH;
    }

    @Override
    public void observe() {
        observedFromNanos = clock.nanos();
        for (Uplink.Disturbance each : uplink.plan()) {
            if (each.answer() == Uplink.Answer.DOWN) {
                schedule(this::goDown, each.atNanos());
                schedule(() -> comeUp(MOST_TRIES), each.endNanos());
            }
        }
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
            listen(bound());
        } catch (IOException e) {
            if (tries > 1) {
                schedule(() -> comeUp(tries - 1), TimeUnit.MILLISECONDS.toNanos(TRY_AGAIN_MILLIS));
            }
        }
    }

    private synchronized InetSocketAddress bound() {
        return Objects.requireNonNull(address, "not begun");
    }

    // ---- requests

    private void serve(HttpExchange exchange) throws IOException {
        intake.count(Count.UPLINK_REQUESTS, 1);
        byte[] body = exchange.getRequestBody().readNBytes(MOST_BODY_BYTES + 1);
        Uplink.Disturbance now = planned();
        if (now.answer() != Uplink.Answer.OK) {
            intake.count(Count.UPLINK_DISTURBED, 1);
        }
        switch (now.answer()) {
            case NEVER -> {
                // Whoever waits for an answer gives up, or sees the end of the connection when this run is over.
            }
            case ERROR, DOWN -> answer(exchange, ERROR);
            case LATE -> {
                int status = taken(exchange, body);
                schedule(() -> answer(exchange, status), now.holdNanos());
            }
            case OK -> answer(exchange, taken(exchange, body));
        }
    }

    private Uplink.Disturbance planned() {
        long from = observedFromNanos;
        return uplink.at(from == Long.MAX_VALUE ? -1 : clock.nanos() - from);
    }

    private int taken(HttpExchange exchange, byte[] body) {
        if (body.length > MOST_BODY_BYTES) {
            return TOO_LARGE;
        }
        String signature = exchange.getRequestHeaders().getFirst(WebhookSignature.HEADER);
        if (!WebhookSignature.isValid(signature, body, uplink.secret(), wallSeconds.getAsLong())) {
            intake.count(Count.UPLINK_UNSIGNED, 1);
            return FORBIDDEN;
        }
        List<EventReader.Read> batch;
        try {
            String type = exchange.getRequestHeaders().getFirst("Content-Type");
            if (!exchange.getRequestMethod().equals("POST") || type == null || !type.startsWith(BATCH)) {
                throw new IOException("a request: need a POST of " + BATCH);
            }
            batch = reader.batch(body);
        } catch (IOException e) {
            intake.count(Count.UPLINK_MALFORMED, 1);
            return BAD;
        }
        return intake.take(batch) ? TAKEN : BUSY;
    }

    private static void answer(HttpExchange exchange, int status) {
        try {
            exchange.sendResponseHeaders(status, -1);
        } catch (IOException e) {
            // The sender did not wait: it delivers the same again.
        } finally {
            exchange.close();
        }
    }

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

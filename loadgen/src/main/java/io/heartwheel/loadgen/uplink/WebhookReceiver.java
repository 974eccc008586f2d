package io.heartwheel.loadgen.uplink;

import com.sun.net.httpserver.HttpExchange;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.scenario.Addresses;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Uplink;
import io.heartwheel.loadgen.server.DisturbedServer;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * Server that takes the batches of a webhook outlet and checks their signatures, disturbed by the scenario's plan.
 *
 * <p>Any thread. An event is taken before its 200 is sent, so the order of an outlet that waits for its answer is kept; one
 * that did not get the answer delivers the same ids again.
 */
public final class WebhookReceiver implements EventReceiver, DisturbedServer.Service {

    private static final String PATH = "/events";
    private static final String BATCH = "application/cloudevents-batch+json";
    private static final int TAKEN = 200;
    private static final int BAD = 400;
    private static final int FORBIDDEN = 401;
    private static final int TOO_LARGE = 413;
    private static final int BUSY = 503;

    private final Uplink uplink;
    private final EventReader reader;
    private final EventIntake intake;
    private final LongSupplier wallSeconds;
    private final DisturbedServer server;

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
        this.wallSeconds = wallSeconds;
        this.server = new DisturbedServer("uplink", PATH, uplink.plan(), clock, this);
    }

    @Override
    public void begin() throws IOException {
        server.listen(Addresses.read("uplink.bind", uplink.bind()));
    }

    @Override
    public String url() {
        return "http://" + Addresses.text(server.address()) + PATH;
    }

    @Override
    public void observe() {
        server.observe();
    }

    // ---- requests

    @Override
    public void asked(boolean disturbed) {
        intake.count(Count.UPLINK_REQUESTS, 1);
        intake.count(Count.UPLINK_DISTURBED, disturbed ? 1 : 0);
    }

    @Override
    public DisturbedServer.Reply reply(HttpExchange request, byte[] body) {
        return new DisturbedServer.Reply(taken(request, body), "");
    }

    private int taken(HttpExchange exchange, byte[] body) {
        if (body.length > DisturbedServer.MOST_BODY_BYTES) {
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

    @Override
    public void close() {
        server.close();
    }
}

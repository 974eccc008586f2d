package io.heartwheel.outlet.webhook;

import io.heartwheel.net.HttpCaller;
import io.heartwheel.net.RetryAfter;
import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.Outlet;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.outlet.webhook.Partition.Batch;
import io.heartwheel.outlet.webhook.WebhookCall.Answer;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outlet to a receiver of HTTP requests.
 *
 * <p>A chunk is divided by device into partitions, whose requests are under way at once; within a partition one batch follows the other. A partition that
 * fails waits for the next attempt at this chunk, and only what was not delivered is sent again. What the receiver says decides:
 *
 * <pre>
 *   2xx                                                delivered
 *   410                                                the outlet pauses
 *   400, 413, 415, 422 and other 4xx                   refused: after some attempts to the dead letters, if there are any, else tried again
 *   3xx, 401, 403, 404, 405, 407, 408, 425, 429, 5xx   tried again: it is about the receiver, not about these events
 *   nothing within the timeout, no connection          tried again
 * </pre>
 *
 * One thread.
 */
public final class WebhookOutlet implements Outlet {
    private static final Logger LOG = LoggerFactory.getLogger(WebhookOutlet.class);

    private final OutletSettings.Webhook settings;
    private final CloudEvent form;
    private final LongSupplier wallMillis;
    private final HttpCaller caller;
    private final @Nullable DeadLetters deadLetters;

    private List<OutletEvent> chunk = List.of();
    private List<Partition> partitions = List.of();

    private WebhookOutlet(
            OutletSettings.Webhook settings,
            CloudEvent form,
            LongSupplier wallMillis,
            HttpCaller caller,
            @Nullable DeadLetters deadLetters) {
        this.settings = settings;
        this.form = form;
        this.wallMillis = wallMillis;
        this.caller = caller;
        this.deadLetters = deadLetters;
    }

    /**
     * An outlet; it connects when there is something to deliver.
     *
     * @param wallMillis milliseconds since 1970
     * @throws IOException if a file that the settings name cannot be used
     */
    public static WebhookOutlet open(OutletSettings.Webhook settings, CloudEvent form, LongSupplier wallMillis)
            throws IOException {
        RequestSigner.of(settings); // tells at the start what is wrong
        OutletSettings.DeadLetter dead = settings.deadLetter();
        HttpCaller caller = HttpCaller.open("webhook", settings.timeout(), settings.caFile());
        return new WebhookOutlet(settings, form, wallMillis, caller, dead == null ? null : new DeadLetters(dead, form));
    }

    // ------------------------------------------------------------------ delivery

    @Override
    public void deliver(List<OutletEvent> events, int attempt) throws OutletException, InterruptedException {
        if (chunk != events) { // the same events read again, after a rewind, are wanted again
            partitions = Partition.of(events, settings.partitions(), settings.maxBatch(), settings.maxBytes(), form);
            chunk = events;
        }
        RequestSigner signer = signer();
        Round round = new Round(attempt);
        while (round.send(partitions, signer)) {
            round.settle();
        }
        round.throwIfFailed();
        chunk = List.of();
        partitions = List.of();
    }

    private RequestSigner signer() throws OutletException {
        try {
            return RequestSigner.of(settings);
        } catch (IOException e) {
            throw OutletException.retry(String.valueOf(e.getMessage()), OutletException.NOT_SAID, e);
        }
    }

    /** One attempt at a chunk: partitions send a batch each, again and again, until each is at its end or has failed. */
    private final class Round {
        private final int attempt;
        private final Map<Partition, WebhookCall> underWay = new LinkedHashMap<>();
        private final Map<Partition, OutletException> failed = new LinkedHashMap<>();

        Round(int attempt) {
            this.attempt = attempt;
        }

        /** Whether anything was sent. */
        boolean send(List<Partition> all, RequestSigner signer) {
            underWay.clear();
            for (Partition each : all) {
                Batch batch = each.current();
                if (batch != null && !failed.containsKey(each)) {
                    underWay.put(each, call(batch.body(), signer));
                }
            }
            return !underWay.isEmpty();
        }

        private WebhookCall call(byte[] body, RequestSigner signer) {
            HttpRequest.Builder request = caller.request(settings.url())
                    .header("Content-Type", CloudEvent.BATCH_MEDIA_TYPE)
                    .header("Heartwheel-Attempt", Integer.toString(attempt))
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body));
            String signature = signer.sign(wallMillis.getAsLong() / 1_000, body);
            if (signature != null) {
                request.header("Heartwheel-Signature", signature);
            }
            return new WebhookCall(caller, request.build(), settings.timeout().toNanos());
        }

        void settle() throws InterruptedException {
            try {
                for (Map.Entry<Partition, WebhookCall> each : underWay.entrySet()) {
                    settle(each.getKey(), each.getValue().await());
                }
            } finally {
                underWay.values().forEach(WebhookCall::cancel);
            }
        }

        private void settle(Partition partition, Answer answer) {
            ResponseInfo info = answer.info();
            int status = info == null ? 0 : info.statusCode();
            if (info != null && status / 100 == 2) {
                partition.next();
            } else if (info == null) {
                failed.put(partition, OutletException.retry(answer.problem(), OutletException.NOT_SAID, null));
            } else if (status == 410) {
                failed.put(partition, OutletException.pause("HTTP 410: the receiver wants no more"));
            } else if (!isRefusal(status) || !isBuried(partition, status)) {
                String said = info.headers().firstValue("retry-after").orElse("");
                long after = RetryAfter.millis(said, wallMillis.getAsLong());
                failed.put(partition, OutletException.retry("HTTP " + status, after, null));
            }
        }

        /** The pause first, else what is to be waited for longest. */
        void throwIfFailed() throws OutletException {
            OutletException worst = null;
            for (OutletException each : failed.values()) {
                if (worst == null
                        || each.pauses()
                        || (!worst.pauses() && each.retryAfterMillis() > worst.retryAfterMillis())) {
                    worst = each;
                }
            }
            if (worst != null) {
                throw worst;
            }
        }
    }

    /** Whether the answer is about these events: others may be welcome. */
    private static boolean isRefusal(int status) {
        return switch (status) {
            case 401, 403, 404, 405, 407, 408, 425, 429 -> false;
            default -> status / 100 == 4;
        };
    }

    /** Whether the current batch has gone to the dead letters. */
    private boolean isBuried(Partition partition, int status) {
        Batch batch = partition.current();
        int refusals = partition.refused();
        if (deadLetters == null || batch == null || refusals < deadLetters.after()) {
            return false;
        }
        try {
            deadLetters.add(batch.events());
        } catch (IOException e) {
            LOG.warn("dead letters: {}; the events are sent again", e.getMessage());
            return false;
        }
        LOG.warn(
                "{} events from {} on went to the dead letters: HTTP {} from {}",
                batch.events().size(),
                batch.events().get(0).id(),
                status,
                settings.place());
        partition.next();
        return true;
    }

    @Override
    public void close() {
        caller.close();
        if (deadLetters != null) {
            try {
                deadLetters.close();
            } catch (IOException e) {
                LOG.warn("dead letters: {}", e.toString());
            }
        }
    }
}

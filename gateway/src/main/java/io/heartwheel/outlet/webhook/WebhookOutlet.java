package io.heartwheel.outlet.webhook;

import io.heartwheel.net.HttpCaller;
import io.heartwheel.net.RetryAfter;
import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.Outlet;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.outlet.OutletSettings.ContentMode;
import io.heartwheel.outlet.webhook.WebhookCall.Answer;
import io.heartwheel.output.FileOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outlet to a receiver of HTTP requests.
 *
 * <p>A chunk is divided by device into partitions, whose requests are under way at once; within a partition one follows the other. A partition that
 * fails waits for the next attempt at this chunk, and only what was not delivered is sent again. What the receiver says decides:
 *
 * <pre>
 *   2xx                                                     delivered
 *   410                                                     the outlet pauses
 *   400, 413, 422 and other 4xx                             refused: halved at once, down to one event; that one goes to the dead letters after some
 *                                                           attempts, if there are any, else it is tried again
 *   3xx, 401, 403, 404, 405, 407, 408, 415, 425, 429, 5xx   tried again: it is about the receiver, not about these events
 *   nothing within the timeout, no connection               tried again
 * </pre>
 *
 * One thread.
 */
public final class WebhookOutlet implements Outlet {
    private static final Logger LOG = LoggerFactory.getLogger(WebhookOutlet.class);
    private static final int VISIBLE_FROM = 0x21;
    private static final int VISIBLE_TO = 0x7E;

    private final OutletSettings.Webhook settings;
    private final CloudEvent form;
    private final LongSupplier wallMillis;
    private final HttpCaller caller;
    private final @Nullable FileOutput deadLetters;
    private final List<Partition> partitions;
    private List<OutletEvent> chunk = List.of();

    /**
     * An outlet; it connects when there is something to deliver.
     *
     * @param wallMillis milliseconds since 1970, for signatures and dates of the receiver
     * @throws IOException if a file that the settings name cannot be used
     */
    public WebhookOutlet(OutletSettings.Webhook settings, CloudEvent form, LongSupplier wallMillis) throws IOException {
        this.settings = settings;
        this.form = form;
        this.wallMillis = wallMillis;
        OutletSettings.DeadLetter dead = settings.deadLetter();
        deadLetters = dead == null ? null : new FileOutput(dead.file(), FileOutput.Disk.REAL);
        caller = HttpCaller.open("webhook", settings.timeout(), settings.caFile());
        int most = settings.form() == ContentMode.BATCHED ? settings.maxBatch() : 1;
        partitions = Stream.generate(() -> new Partition(most))
                .limit(settings.partitions())
                .toList();
    }

    // ------------------------------------------------------------------ delivery

    @Override
    public void deliver(List<OutletEvent> events, int attempt) throws IOException, InterruptedException {
        if (chunk != events) { // the same events read again, after a rewind, are wanted again
            partitions.forEach(Partition::clear);
            for (OutletEvent event : events) { // those of a device stay together and in order
                partitions
                        .get(Math.floorMod(event.device().hashCode(), partitions.size()))
                        .add(event);
            }
            chunk = events;
        }
        Round round = new Round(attempt, new RequestHeaders(settings));
        while (round.send()) {
            round.settle();
        }
        round.throwIfFailed();
        chunk = List.of();
    }

    /** Events and the request that has them. */
    private record Sent(List<OutletEvent> events, WebhookCall call) {}

    /** One attempt at a chunk: partitions send a request each, again and again, until each is at its end or has failed. */
    private final class Round {
        private final int attempt;
        private final RequestHeaders headers;
        private final Map<Partition, Sent> underWay = new LinkedHashMap<>();
        private final Map<Partition, OutletException> failed = new LinkedHashMap<>();

        Round(int attempt, RequestHeaders headers) {
            this.attempt = attempt;
            this.headers = headers;
        }

        /** Whether anything was sent. */
        boolean send() {
            underWay.clear();
            for (Partition each : partitions) {
                List<OutletEvent> head = each.head();
                if (!head.isEmpty() && !failed.containsKey(each)) {
                    underWay.put(each, send(head));
                }
            }
            return !underWay.isEmpty();
        }

        private Sent send(List<OutletEvent> head) {
            HttpRequest.Builder request =
                    caller.request(settings.url()).header("Heartwheel-Attempt", Integer.toString(attempt));
            OutletEvent first = head.get(0);
            List<OutletEvent> events = List.of(first);
            byte[] body;
            String type;
            switch (settings.form()) {
                case BATCHED -> {
                    ByteArrayOutputStream batch = new ByteArrayOutputStream();
                    events = head.subList(0, array(head, batch));
                    body = batch.toByteArray();
                    type = CloudEvent.BATCH_MEDIA_TYPE;
                }
                case STRUCTURED -> {
                    body = form.encode(first);
                    type = CloudEvent.MEDIA_TYPE;
                }
                default -> {
                    form.attributes(first).forEach((name, value) -> request.header("ce-" + name, visible(value)));
                    body = first.json();
                    type = "application/json";
                }
            }
            request.header("Content-Type", settings.mediaType().isEmpty() ? type : settings.mediaType())
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body));
            headers.addTo(request, wallMillis.getAsLong() / 1_000, body);
            return new Sent(
                    events,
                    new WebhookCall(caller, request.build(), settings.timeout().toNanos()));
        }

        /** Writes an array of as many as have room; returns their number. */
        private int array(List<OutletEvent> head, ByteArrayOutputStream out) {
            int count = 0;
            for (OutletEvent event : head) {
                byte[] one = form.encode(event);
                if (count > 0 && out.size() + one.length + 2 > settings.maxBytes()) {
                    break;
                }
                out.write(count++ == 0 ? '[' : ',');
                out.writeBytes(one);
            }
            out.write(']');
            return count;
        }

        void settle() throws InterruptedException {
            try {
                for (Map.Entry<Partition, Sent> each : underWay.entrySet()) {
                    Sent sent = each.getValue();
                    settle(each.getKey(), sent.events(), sent.call().await());
                }
            } finally {
                underWay.values().forEach(sent -> sent.call().cancel());
            }
        }

        private void settle(Partition partition, List<OutletEvent> events, Answer answer) {
            ResponseInfo info = answer.info();
            int status = info == null ? 0 : info.statusCode();
            if (info == null) {
                failed.put(partition, OutletException.retry(answer.problem(), OutletException.NOT_SAID, null));
            } else if (status == 410) {
                failed.put(partition, OutletException.pause("HTTP 410: the receiver wants no more"));
            } else if (status / 100 == 2) {
                partition.passed(events.size());
            } else if (!isRefusal(status) || !isSettledOtherwise(partition, events, status)) {
                String said = info.headers().firstValue("retry-after").orElse("");
                long after = RetryAfter.millis(said, wallMillis.getAsLong());
                failed.put(partition, OutletException.retry("HTTP " + status, after, null));
            }
        }

        /** Whether fewer are tried at once, or the one has gone to the dead letters. */
        private boolean isSettledOtherwise(Partition partition, List<OutletEvent> events, int status) {
            int refusals = partition.refused(events.size());
            boolean buried = refusals > 0 && isBuried(events.get(0), refusals, status);
            if (buried) {
                partition.passed(1);
            }
            return buried || refusals == 0;
        }

        /** The pause first, else what is to be waited for longest. */
        void throwIfFailed() throws OutletException {
            Comparator<OutletException> order = Comparator.comparing(OutletException::pauses);
            OutletException worst = failed.values().stream()
                    .max(order.thenComparingLong(OutletException::retryAfterMillis))
                    .orElse(null);
            if (worst != null) {
                throw worst;
            }
        }
    }

    /** Whether the answer is about these events: others may be welcome. */
    private static boolean isRefusal(int status) {
        return switch (status) {
            case 401, 403, 404, 405, 407, 408, 415, 425, 429 -> false;
            default -> status / 100 == 4;
        };
    }

    /** As the value of a header may be: CloudEvents HTTP binding, section 3.1.3.2. */
    private static String visible(String text) {
        StringBuilder coded = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            if (each >= VISIBLE_FROM && each <= VISIBLE_TO && each != '"' && each != '%') {
                coded.append((char) each);
            } else {
                coded.append('%').append(HexFormat.of().withUpperCase().toHexDigits(each));
            }
        }
        return coded.toString();
    }

    /** Whether the event has gone to the dead letters. */
    private boolean isBuried(OutletEvent event, int refusals, int status) {
        OutletSettings.DeadLetter dead = settings.deadLetter();
        FileOutput letters = deadLetters;
        if (dead == null || letters == null || refusals < dead.after()) {
            return false;
        }
        byte[] line = form.encode(event);
        try {
            if (letters.size() + line.length + 1 > dead.maxBytes()) {
                throw new IOException(dead.file() + " is full: dead-letter.max-bytes = " + dead.maxBytes());
            }
            letters.write(ByteBuffer.allocate(line.length + 1)
                    .put(line)
                    .put((byte) '\n')
                    .flip());
            letters.force();
        } catch (IOException e) {
            LOG.warn("dead letters: {}; the event is sent again", e.getMessage());
            return false;
        }
        LOG.warn("event {} went to the dead letters: HTTP {} from {}", event.id(), status, settings.place());
        return true;
    }

    @Override
    public void close() throws IOException {
        caller.close();
        if (deadLetters != null) {
            deadLetters.close();
        }
    }
}

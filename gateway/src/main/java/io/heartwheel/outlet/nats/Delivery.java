package io.heartwheel.outlet.nats;

import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import io.nats.client.api.PublishAck;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a chunk: many events on their way at once, of a device one.
 *
 * <p>Owner: the thread that delivers. The client's own puts answers into the queue and touches nothing else.
 */
final class Delivery {
    /** Most events on their way. */
    static final int WINDOW = 1_024;

    private static final int NO_RESPONDERS = 503;
    private static final int LARGER_THAN_THE_STREAM_TAKES = 10_054;

    /** Why the stream does not have the event at a place of the chunk; null: it has. */
    private record Answer(int place, @Nullable Throwable problem) {}

    private final Connection connection;
    private final OutletSettings.Nats settings;
    private final SubjectTemplate subjects;
    private final CloudEvent form;
    private final List<OutletEvent> events;
    private final BitSet acknowledged;
    private final Consumer<OutletEvent> onTooLarge;

    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    /** By the device of an event on its way, the places of those that follow it. */
    private final Map<String, Deque<Integer>> following = new HashMap<>();
    /** Places of gaps that went out for what is too large. */
    private final BitSet gaps = new BitSet();

    private int onTheirWay;

    /**
     * An attempt that has not begun.
     *
     * @param acknowledged places of the events that need not be sent; those that are acknowledged are added
     * @param onTooLarge told of each event whose gap went out in its place
     */
    Delivery(
            Connection connection,
            OutletSettings.Nats settings,
            CloudEvent form,
            List<OutletEvent> events,
            BitSet acknowledged,
            Consumer<OutletEvent> onTooLarge) {
        this.connection = connection;
        this.settings = settings;
        subjects = new SubjectTemplate(settings.subject());
        this.form = form;
        this.events = events;
        this.acknowledged = acknowledged;
        this.onTooLarge = onTooLarge;
    }

    /**
     * Sends what is not acknowledged; returns when all is.
     *
     * @throws OutletException at the first failure
     */
    void run() throws IOException, InterruptedException {
        for (int place = acknowledged.nextClearBit(0);
                place < events.size();
                place = acknowledged.nextClearBit(place + 1)) {
            while (onTheirWay == WINDOW) {
                settleNext();
            }
            String device = events.get(place).device();
            Deque<Integer> behind = following.get(device);
            if (behind == null) {
                following.put(device, new ArrayDeque<>(0));
                send(place);
            } else {
                behind.add(place);
            }
        }
        while (onTheirWay > 0) {
            settleNext();
        }
    }

    private void send(int place) throws OutletException {
        OutletEvent event = events.get(place);
        byte[] payload = form.encode(event);
        Headers headers = headers(event);
        if (headers.serializedLength() + payload.length > connection.getMaxPayload()) {
            sendGap(place);
        } else {
            send(place, event, headers, payload);
        }
    }

    private void sendGap(int place) throws OutletException {
        OutletEvent gap = events.get(place).asGap(form.instance());
        gaps.set(place);
        send(place, gap, headers(gap), form.encode(gap));
    }

    private static Headers headers(OutletEvent event) {
        return new Headers().put("Nats-Msg-Id", event.id()).put("content-type", CloudEvent.MEDIA_TYPE);
    }

    private void send(int place, OutletEvent event, Headers headers, byte[] payload) throws OutletException {
        String subject = subjects.of(event);
        try {
            connection
                    .requestWithTimeout(subject, headers, payload, settings.timeout())
                    .whenComplete((message, failure) -> answers.add(new Answer(place, problem(message, failure))));
        } catch (IllegalStateException | IllegalArgumentException refused) {
            throw failed(subject, refused);
        }
        onTheirWay++;
    }

    private void settleNext() throws OutletException, InterruptedException {
        Answer answer = answers.poll(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
        if (answer == null) {
            throw failed(settings.subject(), new CancellationException());
        }
        onTheirWay--;
        int place = answer.place();
        OutletEvent event = events.get(place);
        Throwable problem = answer.problem();
        if (problem instanceof JetStreamApiException refused
                && refused.getApiErrorCode() == LARGER_THAN_THE_STREAM_TAKES
                && !gaps.get(place)) {
            sendGap(place);
            return;
        }
        if (problem != null) {
            throw failed(subjects.of(event), problem);
        }
        note(place);
        Integer next =
                following.getOrDefault(event.device(), new ArrayDeque<>(0)).poll();
        if (next == null) {
            following.remove(event.device());
        } else {
            send(next);
        }
    }

    private void note(int place) {
        acknowledged.set(place);
        if (gaps.get(place)) {
            onTooLarge.accept(events.get(place));
        }
    }

    private static @Nullable Throwable problem(Message message, @Nullable Throwable failure) {
        if (failure != null) {
            return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        }
        try {
            new PublishAck(message); // which looks whether it is one
            return null;
        } catch (JetStreamApiException | IOException refused) {
            return refused;
        }
    }

    /** What was acknowledged meanwhile counts. */
    private OutletException failed(String subject, Throwable reason) {
        for (Answer late = answers.poll(); late != null; late = answers.poll()) {
            if (late.problem() == null) {
                note(late.place());
            }
        }
        return OutletException.retry(
                "nats " + settings.place() + ": " + acknowledged.cardinality() + " of " + events.size()
                        + " events acknowledged: " + why(subject, reason),
                OutletException.NOT_SAID,
                reason);
    }

    private String why(String subject, Throwable reason) {
        if (reason instanceof JetStreamStatusException status
                && status.getStatus().getCode() == NO_RESPONDERS) {
            return "no stream takes the subject " + subject + ": make one with the subjects " + subjects.wildcard()
                    + ", or switch JetStream on";
        }
        if (reason instanceof JetStreamApiException refused) {
            return "the stream refuses " + subject + ": " + refused.getMessage();
        }
        if (connection.getStatus() != Connection.Status.CONNECTED) {
            return "the connection was lost";
        }
        if (reason instanceof CancellationException) {
            String said = connection.getLastError();
            return "no acknowledgement in " + settings.timeout().toMillis() + " ms"
                    + (said == null || said.isEmpty() ? "" : ": " + said);
        }
        return subject + ": " + reason.getMessage();
    }
}

package io.heartwheel.sink;

import io.heartwheel.event.EventSink.Reply;
import io.heartwheel.event.Fact;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events the writer has in hand, in order, each to be settled once: written or lost. One thread.
 */
final class Batch {
    private static final Logger LOG = LoggerFactory.getLogger(Batch.class);

    private final @Nullable Fact[] events;
    private final @Nullable Reply[] replies;
    private int size;
    private int settled;

    Batch(int capacity) {
        events = new @Nullable Fact[capacity];
        replies = new @Nullable Reply[capacity];
    }

    void add(Fact event, @Nullable Reply reply) {
        events[size] = event;
        replies[size] = reply;
        size++;
    }

    int room() {
        return events.length - size;
    }

    int size() {
        return size;
    }

    @SuppressWarnings("NullAway") // not null below size, until settled
    Fact event(int index) {
        return events[index];
    }

    /** Whether it is a message whose sender waits for an answer. */
    boolean isTold(int index) {
        Reply reply = replies[index];
        return reply != null && reply.isTold();
    }

    /** Settles the oldest events that are not yet, up to this index, and tells their senders, the observer, and what was lost. */
    void settleUpTo(int end, boolean written, SinkObserver observer, LostEvents losses) {
        int last = Math.min(end, size);
        int messages = 0;
        int untold = 0;
        int others = 0;
        while (settled < last) {
            @Nullable Reply reply = replies[settled];
            if (!written && (reply == null || !reply.isTold())) {
                losses.note(event(settled));
            }
            events[settled] = null;
            replies[settled] = null;
            settled++;
            if (reply == null) {
                others++;
            } else {
                if (written || reply.isTold()) {
                    messages++;
                } else {
                    untold++;
                }
                answer(reply, written);
            }
        }
        if (messages > 0 && written) {
            observer.accepted(messages);
        } else if (messages > 0) {
            observer.refused(messages);
        }
        if (untold > 0) {
            observer.lost(untold);
        }
        if (others > 0 && !written) {
            observer.dropped(others);
        }
        if (settled == size) {
            settled = 0;
            size = 0;
        }
    }

    private static void answer(Reply reply, boolean written) {
        try {
            if (written) {
                reply.accepted();
            } else {
                reply.refused();
            }
        } catch (RuntimeException e) {
            // its event loop has ended, most likely; the others still want their answers
            LOG.debug("no answer for a message", e);
        }
    }
}

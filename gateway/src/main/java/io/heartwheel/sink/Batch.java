package io.heartwheel.sink;

import io.heartwheel.event.EventSink.Reply;
import io.heartwheel.event.Fact;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
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

    /**
     * Settles the oldest events that are not yet, up to this index, and tells their senders, the observer, and what was lost. If that fails in between, the
     * rest is settled by the next call.
     */
    void settleUpTo(int end, boolean written, SinkObserver observer, LostEvents losses) {
        int last = Math.min(end, size);
        int messages = 0;
        int untold = 0;
        int others = 0;
        List<Answers> answers = new ArrayList<>();
        try {
            while (settled < last) {
                @Nullable Reply reply = replies[settled];
                boolean told = reply != null && reply.isTold();
                if (!written && !told) {
                    losses.note(event(settled));
                }
                if (reply == null) {
                    others++;
                } else {
                    Answers.add(reply, written, answers);
                    messages += written || told ? 1 : 0;
                    untold += written || told ? 0 : 1;
                }
                events[settled] = null;
                replies[settled] = null;
                settled++;
            }
        } finally {
            count(written, messages, untold, others, observer);
            answers.forEach(Answers::give);
        }
        if (settled == size) {
            settled = 0;
            size = 0;
        }
    }

    private static void count(boolean written, int messages, int untold, int others, SinkObserver observer) {
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
    }

    /** Answers to messages of one event loop, which are one task of it. */
    private static final class Answers implements Runnable {
        /** So that a loop has other things to do in between. */
        private static final int MOST = 256;

        private final Executor loop;
        private final boolean written;
        private final List<Reply> replies = new ArrayList<>();

        private Answers(Executor loop, boolean written) {
            this.loop = loop;
            this.written = written;
        }

        /** Adds one behind those of its loop, or answers at once who has none. */
        static void add(Reply reply, boolean written, List<Answers> all) {
            Executor loop = reply.loop();
            if (loop == null) {
                answer(reply, written);
                return;
            }
            int at = all.size() - 1;
            while (at >= 0 && all.get(at).loop != loop) {
                at--;
            }
            if (at < 0 || all.get(at).replies.size() == MOST) {
                at = all.size();
                all.add(new Answers(loop, written));
            }
            all.get(at).replies.add(reply);
        }

        void give() {
            try {
                loop.execute(this);
            } catch (RuntimeException e) {
                LOG.debug("no answers for {} messages: their event loop has ended", replies.size(), e);
            }
        }

        @Override
        public void run() {
            for (Reply reply : replies) {
                reply.beginAnswers();
                answer(reply, written);
            }
            replies.forEach(Reply::endAnswers);
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

package io.heartwheel.sink;

import io.heartwheel.event.EventSink.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Notes every answer. Any thread. */
final class RecordingReply implements Reply {
    final List<String> answers = Collections.synchronizedList(new ArrayList<>());
    private final boolean told;
    private @Nullable Executor loop;
    int ends;
    /** With which an acceptance fails. */
    volatile @Nullable RuntimeException failure;

    RecordingReply() {
        this(true);
    }

    /** Of a sender on this loop. */
    RecordingReply(Executor loop) {
        this(true);
        this.loop = loop;
    }

    @Override
    public @Nullable Executor loop() {
        return loop;
    }

    @Override
    public void endAnswers() {
        ends++;
    }

    /** Of a sender that hears of what becomes of its message, or does not. */
    RecordingReply(boolean told) {
        this.told = told;
    }

    @Override
    public boolean isTold() {
        return told;
    }

    @Override
    public void accepted() {
        if (failure != null) {
            throw failure;
        }
        answers.add("accepted");
    }

    @Override
    public void refused() {
        answers.add("refused");
    }

    @Override
    public void send(long messageId, boolean text, byte[] payload) {
        answers.add(
                "sent " + messageId + " " + text + " " + new String(payload, java.nio.charset.StandardCharsets.UTF_8));
    }
}

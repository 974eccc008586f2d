package io.heartwheel.sink;

import io.heartwheel.event.EventSink.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Notes every answer. Any thread. */
final class RecordingReply implements Reply {
    final List<String> answers = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void accepted() {
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

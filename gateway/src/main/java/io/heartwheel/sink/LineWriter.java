package io.heartwheel.sink;

import io.heartwheel.event.Fact;
import io.heartwheel.output.LineOutput;
import java.io.IOException;

/** Events as lines of JSON ({@link EventEncoder}) into an output. A message is written when the operating system has its line. */
final class LineWriter implements EventWriter {
    private final EventEncoder encoder = new EventEncoder();
    private final LineOutput output;

    LineWriter(LineOutput output) {
        this.output = output;
    }

    /**
     * Names this process in every line.
     *
     * @param incarnation number of this start
     */
    LineWriter ofInstance(String instance, long incarnation) {
        encoder.nameInstance(instance);
        encoder.nameIncarnation(incarnation);
        return this;
    }

    @Override
    public boolean append(Fact event, boolean told) {
        return encoder.append(event);
    }

    @Override
    public int size() {
        return encoder.size();
    }

    @Override
    public void write() throws IOException {
        output.write(encoder.lines());
    }

    @Override
    public void clear() {
        encoder.clear();
    }

    @Override
    public void close() throws IOException {
        output.close();
    }
}

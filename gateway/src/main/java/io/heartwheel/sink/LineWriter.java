package io.heartwheel.sink;

import io.heartwheel.event.Fact;
import io.heartwheel.output.LineOutput;
import java.io.IOException;

/** Events as lines of JSON ({@link EventEncoder}) into an output. A message is written when the operating system has its line. */
final class LineWriter implements EventWriter {
    private final LineOutput output;
    private final EventEncoder encoder;

    LineWriter(LineOutput output, EventEncoder encoder) {
        this.output = output;
        this.encoder = encoder;
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

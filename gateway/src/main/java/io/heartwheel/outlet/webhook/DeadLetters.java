package io.heartwheel.outlet.webhook;

import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.output.FileOutput;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** File of events that a receiver refused for what they are: JSON Lines, one CloudEvent a line. Bounded; forced to the disk. One thread. */
final class DeadLetters implements Closeable {
    private final OutletSettings.DeadLetter settings;
    private final FileOutput output;
    private final CloudEvent form;

    /** Opens the file, or creates it. */
    DeadLetters(OutletSettings.DeadLetter settings, CloudEvent form) throws IOException {
        this.settings = settings;
        this.form = form;
        output = new FileOutput(settings.file(), System::nanoTime);
    }

    /** Refusals of a batch before it goes here. */
    int after() {
        return settings.after();
    }

    /** @throws IOException if there is no room for all of them, or they cannot be written */
    void add(List<OutletEvent> events) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (OutletEvent event : events) {
            lines.writeBytes(Partition.encode(event, form));
            lines.write('\n');
        }
        if (output.size() + lines.size() > settings.maxBytes()) {
            throw new IOException(settings.file() + " is full: dead-letter.max-bytes = " + settings.maxBytes());
        }
        output.write(ByteBuffer.wrap(lines.toByteArray()), true);
    }

    @Override
    public void close() throws IOException {
        output.close();
    }
}

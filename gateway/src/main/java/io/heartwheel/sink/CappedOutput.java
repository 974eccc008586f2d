package io.heartwheel.sink;

import io.heartwheel.output.LineOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limit on another output: no more than so many bytes, what lay there before included. From the first lines that do not fit on all are thrown away and
 * counted; that is no failure. So it stays full, also if the file is renamed meanwhile. One thread.
 */
final class CappedOutput implements LineOutput {
    private static final Logger LOG = LoggerFactory.getLogger(CappedOutput.class);

    private final LineOutput output;
    private final String name;
    private final TraceObserver observer;
    private long roomBytes;
    private boolean full;

    /**
     * @param name for the log
     * @param roomBytes how much may still be written
     */
    CappedOutput(LineOutput output, String name, long roomBytes, TraceObserver observer) {
        this.output = output;
        this.name = name;
        this.roomBytes = roomBytes;
        this.observer = observer;
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        int count = count(lines);
        int bytes = lines.remaining();
        if (!full && bytes <= roomBytes) {
            output.write(lines);
            roomBytes -= bytes;
            observer.written(count, bytes);
            return;
        }
        if (!full) {
            full = true;
            LOG.warn("{} is as large as it may be; nothing more is written to it", name);
        }
        observer.beyond(count);
        lines.position(lines.limit());
    }

    private static int count(ByteBuffer lines) {
        int count = 0;
        for (int i = lines.position(); i < lines.limit(); i++) {
            if (lines.get(i) == '\n') {
                count++;
            }
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        output.close();
    }
}

package io.heartwheel.sink;

import io.heartwheel.output.LineOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limit on another output: no more than so many bytes, whole lines only, what lay there before included. What is beyond is thrown away and counted;
 * that is no failure. Once full it stays full, also if the file is renamed meanwhile. One thread.
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
        ByteBuffer fitting = lines.duplicate();
        fitting.limit(full ? fitting.position() : endOfWhatFits(lines));
        int bytes = fitting.remaining();
        if (bytes > 0) {
            int count = count(fitting);
            output.write(fitting);
            roomBytes -= bytes;
            observer.written(count, bytes);
        }
        lines.position(lines.position() + bytes);
        if (lines.hasRemaining()) {
            throwAway(lines);
        }
    }

    private void throwAway(ByteBuffer lines) {
        if (!full) {
            full = true;
            LOG.warn("{} is as large as it may be; nothing more is written to it", name);
        }
        observer.beyond(count(lines));
        lines.position(lines.limit());
    }

    /** Behind the last line that fits wholly. */
    private int endOfWhatFits(ByteBuffer lines) {
        if (lines.remaining() <= roomBytes) {
            return lines.limit();
        }
        int end = lines.position() + (int) Math.max(0, roomBytes);
        while (end > lines.position() && lines.get(end - 1) != '\n') {
            end--;
        }
        return end;
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

package io.heartwheel.loadgen.workers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** The end of what a process says, read as fast as it is said, so that it never waits for us. Any thread may ask. */
final class OutputTail {

    /** So much is kept. */
    static final int MOST_BYTES = 8_192;

    private static final int CHUNK_BYTES = 1_024;

    private final byte[] ring = new byte[MOST_BYTES];
    private final Thread reader;

    private long written; // guarded by this

    OutputTail(InputStream in, String name) {
        reader = new Thread(() -> drain(in), name);
        reader.setDaemon(true);
        reader.start();
    }

    private void drain(InputStream in) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try (in) {
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                keep(chunk, read);
            }
        } catch (IOException e) {
            // The process was ended from here and its stream closed: what was kept is all there is.
        }
    }

    private synchronized void keep(byte[] chunk, int count) {
        for (int i = 0; i < count; i++) {
            ring[(int) (written++ % MOST_BYTES)] = chunk[i];
        }
    }

    /** Waits a moment for the end of the stream, so that the words of a process that has just died are complete. */
    String afterTheEnd(long millis) {
        try {
            TimeUnit.MILLISECONDS.timedJoin(reader, millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return text();
    }

    /** What is kept, without blanks around it; begins in the middle of a line when there was more. */
    synchronized String text() {
        int count = (int) Math.min(written, MOST_BYTES);
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = ring[(int) ((written - count + i) % MOST_BYTES)];
        }
        return new String(bytes, StandardCharsets.UTF_8).strip();
    }
}

package io.heartwheel.loadgen.workers;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** End of what a process says, read as fast as it is said, so that it never waits for us. Any thread may ask. */
final class OutputTail {

    /** So much is kept. */
    static final int MOST_BYTES = 8_192;

    private static final int CHUNK_BYTES = 1_024;

    private final Thread reader;

    private byte[] end = new byte[0]; // guarded by this

    OutputTail(InputStream in, String name) {
        reader = new DefaultThreadFactory(name, true).newThread(() -> drain(in));
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
        byte[] all = Arrays.copyOf(end, end.length + count);
        System.arraycopy(chunk, 0, all, end.length, count);
        end = Arrays.copyOfRange(all, Math.max(0, all.length - MOST_BYTES), all.length);
    }

    /**
     * What is kept, without blanks around it; begins in the middle of a line when there was more. Waits a moment for the end
     * of the stream, so that the words of a process that has just died are complete.
     */
    String afterTheEnd(long millis) {
        try {
            TimeUnit.MILLISECONDS.timedJoin(reader, millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            return new String(end, StandardCharsets.UTF_8).strip();
        }
    }
}

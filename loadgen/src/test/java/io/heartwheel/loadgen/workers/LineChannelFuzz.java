package io.heartwheel.loadgen.workers;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Any bytes to a worker or its coordinator: lines within their limit. */
public final class LineChannelFuzz {
    private static final int MOST_BYTES = 64;

    private LineChannelFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        LineChannel lines =
                new LineChannel(new ByteArrayInputStream(input), OutputStream.nullOutputStream(), MOST_BYTES);
        try {
            for (String line = lines.read(); line != null; line = lines.read()) {
                if (line.getBytes(StandardCharsets.UTF_8).length > 3 * MOST_BYTES || line.indexOf('\n') >= 0) {
                    throw new AssertionError(line);
                }
            }
        } catch (LineChannel.TooLong told) {
            // as its contract says
        }
    }
}

package io.heartwheel.loadgen.swarm;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** What a stranger says to an agent: lines within their limit, and a handshake that ends in a refusal. */
public final class LinesFuzz {
    private static final int MOST_BYTES = 64;

    private LinesFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        Lines lines = new Lines(new ByteArrayInputStream(input), OutputStream.nullOutputStream(), MOST_BYTES);
        try {
            for (String line = lines.read(); line != null; line = lines.read()) {
                if (line.getBytes(StandardCharsets.UTF_8).length > 3 * MOST_BYTES || line.indexOf('\n') >= 0) {
                    throw new AssertionError(line);
                }
            }
        } catch (Lines.TooLong told) {
            // as its contract says
        }
        Lines heard =
                new Lines(new ByteArrayInputStream(input), OutputStream.nullOutputStream(), Handshake.MOST_LINE_BYTES);
        try {
            new Handshake(heard, Token.of("0123456789abcdef0123")).challenge();
            throw new AssertionError("a proof was guessed");
        } catch (IOException refused) {
            // nobody knows the token
        }
    }
}

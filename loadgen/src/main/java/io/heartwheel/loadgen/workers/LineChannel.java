package io.heartwheel.loadgen.workers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Lines of UTF-8 in both directions, each no longer than a limit. One reading and one writing thread; they may be two.
 * A line that is still without its end when the stream ends was never said.
 */
final class LineChannel {

    private static final int READ_BYTES = 8_192;

    private final InputStream in;
    private final OutputStream out;

    private final int mostBytes;
    private final byte[] buffer = new byte[READ_BYTES]; // reading thread
    private int filled; // reading thread
    private int at; // reading thread: up to here it was read

    /** A line was longer than allowed; the stream cannot be read any further. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        TooLong(int mostBytes) {
            super("line = over " + mostBytes + " bytes: need at most " + mostBytes);
        }
    }

    LineChannel(InputStream in, OutputStream out, int mostBytes) {
        this.in = in;
        this.out = out;
        this.mostBytes = mostBytes;
    }

    /** The next line without its end; null at the end of the stream. */
    @Nullable
    String read() throws IOException {
        ByteBuf line = Unpooled.buffer();
        for (int next = next(); next != '\n'; next = next()) {
            if (next < 0) {
                return null;
            }
            if (line.readableBytes() == mostBytes) {
                throw new TooLong(mostBytes);
            }
            line.writeByte(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private int next() throws IOException {
        if (at == filled) {
            filled = in.read(buffer);
            at = 0;
        }
        return filled < 0 ? -1 : buffer[at++] & 0xFF;
    }

    /** Says a line; it must have no line end of its own (JSON has none). */
    void write(String line) throws IOException {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        if (bytes.length - 1 > mostBytes) {
            throw new TooLong(mostBytes);
        }
        out.write(bytes);
        out.flush();
    }
}

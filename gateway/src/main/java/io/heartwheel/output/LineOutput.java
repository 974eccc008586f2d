package io.heartwheel.output;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Output of whole lines. One thread writes; another may close when the first is done. */
public interface LineOutput extends Closeable {
    /** Bytes of one system call; keeps the copy that the JDK makes outside of the heap small. */
    int SLICE = 64 << 10;

    /**
     * Hands all lines to the operating system, or fails. After a failure the lines count as not written: what has got out of them is taken back
     * or at least ended by a line break before the next line.
     *
     * @param lines whole lines; consumed
     */
    void write(ByteBuffer lines) throws IOException;

    /** All of the buffer into the channel; if that fails, the buffer's position tells how far it came. */
    static void writeFully(WritableByteChannel channel, ByteBuffer lines) throws IOException {
        int end = lines.limit();
        try {
            while (lines.position() < end) {
                lines.limit(Math.min(end, lines.position() + SLICE));
                channel.write(lines);
            }
        } finally {
            lines.limit(end);
        }
    }
}

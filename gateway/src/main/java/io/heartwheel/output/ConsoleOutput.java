package io.heartwheel.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Standard output, past {@code System.out}, which swallows errors. Is not closed with the sink: it is the process's. */
public final class ConsoleOutput implements LineOutput {
    private static final byte[] LINE_BREAK = {'\n'};

    private final WritableByteChannel channel;
    /** Whether a part of a line has got out. */
    private boolean torn;

    /** The process's own. */
    public ConsoleOutput() {
        this(new FileOutputStream(FileDescriptor.out).getChannel());
    }

    ConsoleOutput(WritableByteChannel channel) {
        this.channel = channel;
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        if (torn) {
            LineOutput.writeFully(channel, ByteBuffer.wrap(LINE_BREAK));
            torn = false;
        }
        int start = lines.position();
        try {
            LineOutput.writeFully(channel, lines);
        } catch (IOException e) {
            int end = lines.position();
            torn = end > start && lines.get(end - 1) != '\n';
            throw e;
        }
    }

    @Override
    public void close() {}
}

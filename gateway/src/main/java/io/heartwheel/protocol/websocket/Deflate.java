package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * permessage-deflate, RFC 7692, without context takeover: no message leans on the one before, so one inflater and one deflater serve all
 * connections of an event loop, and a connection costs one byte. Loop only.
 */
final class Deflate {
    /** Shorter payloads go out as they are. */
    static final int LEAST_DEFLATED_BYTES = 64;

    private static final FastThreadLocal<Deflate> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected Deflate initialValue() {
            return new Deflate();
        }

        @Override
        protected void onRemoval(Deflate value) {
            value.inflater.end();
            value.deflater.end();
        }
    };

    /** What the sender left out at the end of a message, section 7.2.2, and a final empty block: a whole message leaves the inflater finished. */
    private static final byte[] TAIL = {0, 0, (byte) 0xFF, (byte) 0xFF, 1, 0, 0, (byte) 0xFF, (byte) 0xFF};

    private static final int SYNC_BYTES = 4;
    private static final int GUESS = 4;
    private static final int LEAST_OUTPUT_BYTES = 64;

    private final Inflater inflater = new Inflater(true);
    private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
    private final byte[] oneTooMany = new byte[1];

    private Deflate() {}

    static Deflate ofThisLoop() {
        return OF_LOOP.get();
    }

    /** How many compressed bytes are taken for a message of at most so many: what does not compress grows a little. */
    static int maxDeflatedBytes(int maxMessageBytes) {
        return maxMessageBytes + (maxMessageBytes >> 3) + 1024;
    }

    // ------------------------------------------------------------------ in

    /**
     * The message in {@code length} bytes.
     *
     * @throws ProtocolViolation if they are not whole, or hold more than {@code maxBytes}
     */
    byte[] inflate(byte[] in, int length, int maxBytes) throws ProtocolViolation {
        if (length == 0) {
            return in.length == 0 ? in : new byte[0];
        }
        try {
            Output out =
                    new Output((int) Math.min(maxBytes, Math.max(LEAST_OUTPUT_BYTES, (long) length * GUESS)), maxBytes);
            if (!drain(in, length, out) && !drain(TAIL, TAIL.length, out)) {
                throw Violations.malformed("a compressed message that is cut off");
            }
            return out.bytes.length == out.size ? out.bytes : Arrays.copyOf(out.bytes, out.size);
        } catch (DataFormatException broken) {
            throw Violations.malformed("a message that does not inflate");
        } finally {
            inflater.reset();
        }
    }

    /**
     * Inflates all of {@code in}. A final block may be followed by others.
     *
     * @return whether it ended with a final block
     */
    private boolean drain(byte[] in, int length, Output out) throws DataFormatException, ProtocolViolation {
        inflater.setInput(in, 0, length);
        while (true) {
            int room = out.room();
            int wrote = room > 0 ? inflater.inflate(out.bytes, out.size, room) : inflater.inflate(oneTooMany);
            if (room == 0 && wrote > 0) {
                throw Violations.tooLarge(out.maxBytes);
            }
            out.size += wrote;
            if (inflater.finished()) {
                int left = inflater.getRemaining();
                inflater.reset();
                if (left == 0) {
                    return true;
                }
                inflater.setInput(in, length - left, left);
            } else if (wrote == 0 || wrote < room) {
                if (!inflater.needsInput()) {
                    throw Violations.malformed("a message that does not inflate");
                }
                return false;
            }
        }
    }

    /** Grows with what comes out, never past the limit. */
    private static final class Output {
        final int maxBytes;
        byte[] bytes;
        int size;

        Output(int firstBytes, int maxBytes) {
            this.maxBytes = maxBytes;
            bytes = new byte[firstBytes];
        }

        /** Free bytes, after growing if there were none; 0 at the limit. */
        int room() {
            if (size == bytes.length && size < maxBytes) {
                bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, 2L * size));
            }
            return bytes.length - size;
        }
    }

    // ------------------------------------------------------------------ out

    /**
     * Appends the compressed payload to {@code out}, without the empty block that ends it.
     *
     * @param most bytes it may take
     * @return whether it fitted; if not, {@code out} is as it was
     */
    boolean deflate(ByteBuffer payload, ByteBuf out, int most) {
        try {
            deflater.setInput(payload);
            out.ensureWritable(most + SYNC_BYTES);
            int wrote =
                    deflater.deflate(out.internalNioBuffer(out.writerIndex(), most + SYNC_BYTES), Deflater.SYNC_FLUSH);
            if (wrote >= most + SYNC_BYTES) {
                return false;
            }
            out.writerIndex(out.writerIndex() + wrote - SYNC_BYTES);
            return true;
        } finally {
            deflater.reset();
        }
    }
}

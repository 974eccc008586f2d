package io.heartwheel.fuzz;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.Random;

/** A channel without a socket whose buffers are all counted. */
public final class Delivery {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public Delivery() {
        channel.config().setAllocator(allocator);
    }

    /** The channel, for the handlers under test. */
    public EmbeddedChannel channel() {
        return channel;
    }

    /** Hands it all over in one piece. */
    public void whole(byte[] bytes) {
        piece(bytes, 0, bytes.length);
    }

    /** Hands it over in pieces that follow from the seed; 0: byte by byte. */
    public void split(byte[] bytes, int seed) {
        Random random = new Random(seed);
        for (int at = 0; at < bytes.length; ) {
            int length = seed == 0 ? 1 : 1 + random.nextInt(random.nextInt(8) == 0 ? 1_000 : 8);
            int end = Math.min(bytes.length, at + length);
            piece(bytes, at, end);
            at = end;
        }
    }

    private void piece(byte[] bytes, int from, int to) {
        if (channel.isOpen() && to > from) {
            ByteBuf piece = allocator.buffer(to - from).writeBytes(bytes, from, to - from);
            channel.writeInbound(piece);
        }
        collect();
    }

    private void collect() {
        channel.checkException();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            while (part.isReadable()) {
                out.write(part.readByte());
            }
            part.release();
        }
    }

    /**
     * The peer ends; all that was written to it.
     *
     * @throws AssertionError if a buffer is left behind
     */
    public byte[] end() {
        collect();
        channel.finishAndReleaseAll();
        channel.checkException();
        long left = allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory();
        if (left != 0) {
            throw new AssertionError(left + " bytes of buffers were not released");
        }
        return out.toByteArray();
    }
}

package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reads of one size, and a handle that can be shared because nothing of one read loop is left for the next. */
@SuppressWarnings("deprecation") // the interface's own return type
class LoopReceiveAllocatorTest {

    @Test
    void newHandle_onOneThread_isShared() throws Exception {
        LoopReceiveAllocator allocator = new LoopReceiveAllocator(2_048, true);
        assertSame(allocator.newHandle(), allocator.newHandle());
        var ofAnother = CompletableFuture.supplyAsync(allocator::newHandle).get();
        assertNotSame(ofAnother, allocator.newHandle());
        assertNotSame(new LoopReceiveAllocator(2_048, true).newHandle(), allocator.newHandle());
        LoopReceiveAllocator oneEach = new LoopReceiveAllocator(2_048, false);
        assertNotSame(oneEach.newHandle(), oneEach.newHandle());
    }

    @Test
    void read_whateverCameBefore_isOfTheSameSize() {
        var handle = new LoopReceiveAllocator(2_048, true).newHandle();
        EmbeddedChannel channel = new EmbeddedChannel();
        for (int round = 0; round < 5; round++) {
            handle.reset(channel.config());
            handle.attemptedBytesRead(handle.guess());
            ByteBuf buffer = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
            assertEquals(2_048, buffer.capacity());
            buffer.release();
            handle.lastBytesRead(round * 400);
            handle.incMessagesRead(1);
            handle.readComplete();
        }
    }

    /** A full read asks for another, a short one does not; the next connection on the same handle begins afresh. */
    @Test
    void continueReading_afterAFullRead_goesOn() {
        LoopReceiveAllocator allocator = new LoopReceiveAllocator(2_048, true);
        // as a channel's configuration does when the allocator is set
        allocator.maxMessagesPerRead(16);
        var handle = (RecvByteBufAllocator.ExtendedHandle) allocator.newHandle();
        EmbeddedChannel channel = new EmbeddedChannel();
        handle.reset(channel.config());
        read(handle, 2_048);
        assertTrue(handle.continueReading());
        read(handle, 10);
        assertFalse(handle.continueReading());
        handle.reset(channel.config());
        read(handle, 2_048);
        assertTrue(handle.continueReading());
    }

    private static void read(RecvByteBufAllocator.Handle handle, int bytes) {
        handle.attemptedBytesRead(2_048);
        handle.lastBytesRead(bytes);
        handle.incMessagesRead(1);
    }
}

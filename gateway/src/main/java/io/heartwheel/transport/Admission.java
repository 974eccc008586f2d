package io.heartwheel.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** How many connections there are and how many there may be. Any thread. */
public final class Admission {
    private final int limit;
    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder acceptPauses = new LongAdder();
    private final MemoryGuard memory;

    /** One listener for all channels: a close future keeps a single listener without a list. */
    private final ChannelFutureListener leave = future -> open.decrementAndGet();

    /** With memory to spare, always. @param limit greatest number of connections, 1 or more */
    public Admission(int limit) {
        this(limit, new MemoryGuard(MemorySettings.DEFAULTS));
    }

    /** @param limit greatest number of connections, 1 or more @param memory knows whether there is any left */
    public Admission(int limit, MemoryGuard memory) {
        this.limit = limit;
        this.memory = memory;
    }

    /** Whether newcomers are refused for want of memory. */
    public boolean lacksMemory() {
        return memory.isShort();
    }

    /** Counts a connection that is turned away without being counted in. */
    void turnAway() {
        accepted.increment();
        refused.increment();
    }

    /** Counts a connection in until its channel closes. @return false if there is no room; then it was counted as refused */
    boolean enter(Channel channel) {
        accepted.increment();
        if (open.incrementAndGet() > limit) {
            open.decrementAndGet();
            refused.increment();
            return false;
        }
        channel.closeFuture().addListener(leave);
        return true;
    }

    void acceptPaused() {
        acceptPauses.increment();
    }

    /** Connections now, handshakes among them. */
    public int open() {
        return open.get();
    }

    /** Greatest number of connections. */
    public int limit() {
        return limit;
    }

    /** Connections accepted from the kernel since start. */
    public long accepted() {
        return accepted.sum();
    }

    /** Of these, refused for want of room or memory. */
    public long refused() {
        return refused.sum();
    }

    /** Times a listener rested because descriptors or memory had run out. */
    public long acceptPauses() {
        return acceptPauses.sum();
    }
}

package io.heartwheel.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** How many connections there are and how many there may be. Any thread. */
public final class Admission {
    private volatile int limit;
    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder acceptPauses = new LongAdder();

    /** One listener for all channels: a close future keeps a single listener without a list. */
    private final ChannelFutureListener leave = future -> open.decrementAndGet();

    /** @param limit greatest number of connections, 1 or more */
    public Admission(int limit) {
        this.limit = limit;
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

    /** From now on there may be so many, 1 or more. Those who are here already stay. */
    public void limit(int newLimit) {
        limit = newLimit;
    }

    /** Greatest number of connections. */
    public int limit() {
        return limit;
    }

    /** Connections accepted from the kernel since start. */
    public long accepted() {
        return accepted.sum();
    }

    /** Of these, refused for want of room. */
    public long refused() {
        return refused.sum();
    }

    /** Times a listener rested because descriptors or memory had run out. */
    public long acceptPauses() {
        return acceptPauses.sum();
    }
}

package io.heartwheel.transport;

import io.heartwheel.protocol.OutcomeCounts;
import io.heartwheel.protocol.proxy.ProxyOutcome;
import io.heartwheel.protocol.websocket.ForwardedOutcome;
import io.heartwheel.protocol.websocket.PlainRequests;
import io.heartwheel.session.LoopStats;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.concurrent.EventExecutor;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Counts and limits of connections: in all, from one source, and not yet established.
 *
 * <p>Any thread, but for {@link #room}, which is for the loop it is asked for. Loops are added before the first connection comes.
 */
public final class Admission {
    private volatile int limit;
    private final int maxPending;
    private final SourceCounts sources;
    private final IdentityHashMap<EventExecutor, PendingHandshakes> rooms = new IdentityHashMap<>();
    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder acceptPauses = new LongAdder();
    private final OutcomeCounts<ProxyOutcome> proxyOutcomes = new OutcomeCounts<>(ProxyOutcome.class);
    private final OutcomeCounts<ForwardedOutcome> forwardedOutcomes = new OutcomeCounts<>(ForwardedOutcome.class);
    private final PlainRequests plainRequests;
    private final MemoryGuard memory;
    private final AcceptLimit acceptLimit;

    /** One listener for all channels: a close future keeps a single listener without a list. */
    private final ChannelFutureListener leave = future -> open.decrementAndGet();

    /**
     * Nobody is in yet.
     *
     * @param limit greatest number of connections, 1 or more
     * @param memory knows whether there is any left
     * @param nanoClock monotonic nanoseconds
     */
    public Admission(int limit, AdmissionSettings settings, MemoryGuard memory, LongSupplier nanoClock) {
        this.limit = limit;
        this.memory = memory;
        maxPending = settings.maxPending();
        sources = new SourceCounts(settings.sources(), nanoClock);
        plainRequests = new PlainRequests(nanoClock);
        acceptLimit = new AcceptLimit(settings.accepts(), nanoClock);
    }

    /**
     * Gives a loop its part of the handshakes.
     *
     * @param loops how many there are
     */
    void addLoop(EventExecutor loop, LoopStats stats, int loops) {
        rooms.put(loop, new PendingHandshakes(stats, (maxPending + loops - 1) / loops));
    }

    /** Whether the next newcomer is refused for want of memory. */
    public boolean lacksMemory() {
        return memory.refusesNext();
    }

    /** Counts a connection that is turned away without being counted in. */
    void turnAway() {
        accepted.increment();
        refused.increment();
    }

    /**
     * Counts a connection in until its channel closes.
     *
     * @return false if there is no room; then it was counted as refused
     */
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

    /** Where a channel of this loop, which is one of ours, waits. */
    PendingHandshakes room(EventExecutor loop) {
        return Objects.requireNonNull(rooms.get(loop), "no device loop");
    }

    void acceptPaused() {
        acceptPauses.increment();
    }

    /** Connections now, handshakes among them. */
    public int open() {
        return open.get();
    }

    /**
     * Goes by other limits from now on. Those who are here already stay.
     *
     * @param newLimit greatest number of connections, 1 or more
     * @param fresh of it the rate of accepts is taken, and the limits of a source, if there were any before
     */
    public void reconfigure(int newLimit, AdmissionSettings fresh) {
        limit = newLimit;
        sources.reconfigure(fresh.sources());
        acceptLimit.reconfigure(fresh.accepts());
    }

    /** Rate of accepts, for the acceptor. */
    AcceptLimit acceptLimit() {
        return acceptLimit;
    }

    /** Greatest number of connections. */
    public int limit() {
        return limit;
    }

    /** Connections accepted from the kernel since start, without those that were {@link #shed}. */
    public long accepted() {
        return accepted.sum();
    }

    /** Connections closed at accept, because more came than a second may have, or for where they came from while there is such a limit. */
    public long shed() {
        return acceptLimit.shed();
    }

    /** Of these, refused for want of room or memory. */
    public long refused() {
        return refused.sum();
    }

    /** Times a listener rested because descriptors or memory had run out. */
    public long acceptPauses() {
        return acceptPauses.sum();
    }

    // ------------------------------------------------------------------ handshakes

    /** Handshakes under way. */
    public long pending() {
        return ofAllRooms(PendingHandshakes::pending);
    }

    /** Greatest number of these, all loops together. */
    public int maxPending() {
        return maxPending;
    }

    /** Handshakes given up, because they were the oldest and another needed the place. */
    public long pushedOut() {
        return ofAllRooms(PendingHandshakes::pushedOut);
    }

    /** Connections refused, because as many handshakes as there may be had just begun. */
    public long refusedPending() {
        return ofAllRooms(PendingHandshakes::refused);
    }

    private long ofAllRooms(ToLongFunction<PendingHandshakes> count) {
        return rooms.values().stream().mapToLong(count).sum();
    }

    // ------------------------------------------------------------------ where connections come from

    /** Connections by source. */
    public SourceCounts sources() {
        return sources;
    }

    /** What came of connections that had to bring a PROXY header. */
    public OutcomeCounts<ProxyOutcome> proxyOutcomes() {
        return proxyOutcomes;
    }

    /** Requests that ask for no WebSocket. */
    public PlainRequests plainRequests() {
        return plainRequests;
    }

    /** What requests said of their origin. */
    public OutcomeCounts<ForwardedOutcome> forwardedOutcomes() {
        return forwardedOutcomes;
    }
}

package io.heartwheel.session;

import io.heartwheel.liveness.LoopLag;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Counters of one event loop that move with every frame.
 *
 * <p>Owner: the loop, the only writer, with plain reads and opaque stores. Readers: any thread, opaque. A reader may see a count that is a
 * few frames old; it never sees a torn one, and no counter falls (jcstress: {@code CounterNeverFallsOrTearsStress}); the two figures that
 * do are what unfinished frames hold now and who waits for an answer. Ends of handshakes are released and acquired, so that with an end its beginning is seen (jcstress: {@code
 * HandshakesPendingIsNeverTooSmallStress}).
 */
public final class LoopStats {
    /** Number of frame types counted; type 0 gathers what has no type of its own (WebSocket messages and control frames use the type they stand for). */
    public static final int TYPES = 16;

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    /** What one connection inflates before the others of its loop have their turn. */
    private static final int SHARE_INFLATED_BYTES = 1 << 20;

    private static final int BYTES_IN = 2 * TYPES;
    private static final int BYTES_OUT = BYTES_IN + 1;
    private static final int HANDSHAKES_BEGUN = BYTES_IN + 2;
    private static final int HANDSHAKES_ENDED = BYTES_IN + 3;
    private static final int UNFINISHED = BYTES_IN + 4;
    private static final int UNANSWERED = BYTES_IN + 5;
    // a cache line of air on either side, so that two loops' counters never share one
    private static final int PAD = 16;

    private final long[] cells = new long[PAD + BYTES_IN + 6 + PAD];
    private final LoopLag lag = new LoopLag();

    private long unfinishedLimitBytes;
    /** The loop's alone. */
    private int lingering;

    // ---- the loop's alone
    private final MemoryHolders holders = new MemoryHolders();
    private @Nullable NewcomerQueue newcomers;
    private long framesTaken;
    private long shareBegan;
    private int shareFrames = Integer.MAX_VALUE;
    private long inflatedBytes;

    /** Without a limit for unfinished frames. */
    public LoopStats() {
        this(Long.MAX_VALUE);
    }

    /** @param unfinishedLimitBytes what the unfinished frames of the loop's connections may hold together */
    public LoopStats(long unfinishedLimitBytes) {
        this.unfinishedLimitBytes = unfinishedLimitBytes;
    }

    /** One complete frame came in. Loop only. */
    public void frameIn(int type) {
        add(type & (TYPES - 1), 1);
        framesTaken++;
    }

    /** A frame came in that is not counted for itself, because it is a part of a message. Loop only. */
    public void fragmentIn() {
        framesTaken++;
    }

    /** A connection takes frames now, so many at most before others have their turn. Loop only. */
    public void beginShare(int frames) {
        shareBegan = framesTaken;
        shareFrames = frames;
        inflatedBytes = 0;
    }

    /** So many bytes were made of fewer. Loop only. */
    public void inflated(int bytes) {
        inflatedBytes += bytes;
    }

    /** Bytes that were made of fewer since the share was begun. Loop only. */
    public long inflatedOfShare() {
        return inflatedBytes;
    }

    /** Whether it has taken its share. Loop only. */
    public boolean isShareTaken() {
        return framesTaken - shareBegan >= shareFrames || inflatedBytes >= SHARE_INFLATED_BYTES;
    }

    /** Frames taken of the share that was begun last. Loop only. */
    public int takenOfShare() {
        return (int) (framesTaken - shareBegan);
    }

    /** One frame was written. Loop only. */
    public void frameOut(int type) {
        add(TYPES + (type & (TYPES - 1)), 1);
    }

    /** Bytes were read from sockets. Loop only. */
    public void bytesIn(int bytes) {
        add(BYTES_IN, bytes);
    }

    /** Bytes were written towards sockets. Loop only. */
    public void bytesOut(int bytes) {
        add(BYTES_OUT, bytes);
    }

    /** A connection waits for its HELLO or upgrade, as one or another session. Loop only. */
    void handshakeBegun() {
        add(HANDSHAKES_BEGUN, 1);
    }

    /** It does so no more. Loop only. */
    void handshakeEnded() {
        int at = PAD + HANDSHAKES_ENDED;
        CELL.setRelease(cells, at, (long) CELL.get(cells, at) + 1);
    }

    /** So many more devices wait for an answer of a method of authentication, or fewer. Loop only. */
    void unanswered(int more) {
        add(UNANSWERED, more);
    }

    /** How late the loop is. Any thread. */
    public LoopLag lag() {
        return lag;
    }

    /** So many more silent peers are waited for after their CLOSE, or fewer. Loop only. */
    public void lingers(int more) {
        lingering += more;
    }

    /** Silent peers that are waited for. Loop only. */
    public int lingering() {
        return lingering;
    }

    /** Unfinished frames hold so much more memory, or less, bytes. Loop only. */
    public void unfinished(long moreBytes) {
        add(UNFINISHED, moreBytes);
    }

    /** They may hold so much together from now on, bytes. Loop only. */
    public void limitUnfinished(long bytes) {
        unfinishedLimitBytes = bytes;
    }

    /** Whether unfinished frames hold more than they may. Loop only. */
    public boolean holdsTooMuch() {
        return (long) CELL.get(cells, PAD + UNFINISHED) > unfinishedLimitBytes;
    }

    /** Who holds it. Loop only. */
    public MemoryHolders holders() {
        return holders;
    }

    /** What is done for connections that are not established is done in slices, by this one. Before the first connection comes. */
    public void newcomers(NewcomerQueue queue) {
        newcomers = queue;
    }

    /** By whom that is done; null: at once. Loop only. */
    public @Nullable NewcomerQueue newcomers() {
        return newcomers;
    }

    /** Memory that unfinished frames and messages hold now, bytes. */
    public long unfinishedBytes() {
        return get(UNFINISHED);
    }

    /** Frames of this type that came in. */
    public long framesIn(int type) {
        return get(type);
    }

    /** Frames of this type that went out. */
    public long framesOut(int type) {
        return get(TYPES + type);
    }

    /** Bytes read. */
    public long bytesIn() {
        return get(BYTES_IN);
    }

    /** Bytes written. */
    public long bytesOut() {
        return get(BYTES_OUT);
    }

    /** Connections that are not established yet, 0 or more; ends are read first, so it is never too small. */
    public long handshakesPending() {
        long ended = (long) CELL.getAcquire(cells, PAD + HANDSHAKES_ENDED);
        return get(HANDSHAKES_BEGUN) - ended;
    }

    /** Devices that wait for an answer of a method of authentication. */
    public long unanswered() {
        return get(UNANSWERED);
    }

    private void add(int index, long delta) {
        int at = PAD + index;
        CELL.setOpaque(cells, at, (long) CELL.get(cells, at) + delta);
    }

    private long get(int index) {
        return (long) CELL.getOpaque(cells, PAD + index);
    }
}

package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Older connection of a device that has opened another one: it waits to be closed as taken over. When its packets are dropped
 * it never hears of that. What else is said to it is said too late to matter.
 */
public final class SupersededConnection extends DeviceConnection implements Takeover {

    private final Device successor;
    private final boolean unreachable;
    private boolean takenOver;
    private @Nullable ConnectionEnd ending;
    private int code = CloseCodes.NONE;
    private boolean judged;
    private long succeededNanos = -1;

    SupersededConnection(Device successor, boolean unreachable) {
        super(successor);
        this.successor = successor;
        this.unreachable = unreachable;
    }

    /** Its successor was welcomed. */
    void succeeded(long nowNanos) {
        succeededNanos = nowNanos;
    }

    /**
     * Whether it was over before its successor was welcomed, and not for the successor's sake: its own silence had lasted
     * as long as it may, or the scenario broke it.
     */
    boolean endedOnItsOwn() {
        long silence = endedNanos() - lastSentNanos();
        return hasEnded()
                && !takenOver
                && (loopContext().inOutage(endedNanos()) || silence >= successor.allowedSilenceNanos());
    }

    /** Ends it without waiting for an answer, which it might not hear. */
    void abandon() {
        if (isGone()) {
            return;
        }
        if (unreachable) {
            abort(channel());
        } else {
            hangUp();
        }
    }

    @Override
    public boolean isTakenOver() {
        return takenOver;
    }

    @Override
    public boolean isJudged() {
        return judged;
    }

    @Override
    public void judge() {
        judged = true;
    }

    @Override
    public long succeededNanos() {
        return succeededNanos;
    }

    @Override
    public boolean isUnreachable() {
        return unreachable;
    }

    @Override
    public @Nullable ConnectionEnd ending() {
        return ending;
    }

    @Override
    public int code() {
        return code;
    }

    @Override
    void over(ConnectionEnd how, int closeCode, String detail, boolean wasOpen) {
        ending = how;
        code = closeCode;
        long sinceNanos = isSucceeded() ? endedNanos() - succeededNanos : 0;
        takenOver = dialect().contract().meansTakenOver(how, closeCode, sinceNanos, loopContext().missedAfterNanos);
        successor.predecessorOver(this, how, closeCode);
    }

    @Override
    LoopContext<?> loopContext() {
        return successor.loopContext();
    }

    @Override
    long wantedMillis() {
        return successor.wantedMillis();
    }

    @Override
    boolean pushed(long id, boolean ackWanted, ByteBuf in, int at, int length) {
        return successor.loopContext().pushes.received(successor, false, id, false, in, at, length);
    }

    @Override
    public int index() {
        return successor.index();
    }

    @Override
    boolean quiet() {
        return true;
    }

    @Override
    boolean leaving() {
        return false;
    }

    @Override
    void violated(String detail) {
        successor.violated(detail);
    }
}

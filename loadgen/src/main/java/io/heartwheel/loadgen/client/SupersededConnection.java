package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What is left on a channel whose device has moved on to another one: it waits to be closed as taken over. In the dark it
 * will never hear of that.
 */
public final class SupersededConnection extends DeviceConnection {

    private final Device heir;
    private final boolean dark;
    private boolean ended;
    private boolean takenOver;
    private @Nullable ConnectionEnd ending;
    private int code = CloseCodes.NONE;
    private boolean judged;
    private long succeededNanos = -1;

    SupersededConnection(Device heir, boolean dark) {
        super(heir);
        this.heir = heir;
        this.dark = dark;
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
        return ended && !takenOver && (loopContext().inOutage(endedNanos()) || silence >= heir.allowedSilenceNanos());
    }

    /** Ends it without waiting for an answer, which it might not hear. */
    void abandon() {
        if (isGone()) {
            return;
        }
        if (dark) {
            Sockets.reset(channel());
        } else {
            hangUp();
        }
    }

    /** Whether it was closed as taken over, and so as it should be. */
    public boolean isTakenOver() {
        return takenOver;
    }

    /** Whether the takeover was judged. */
    public boolean isJudged() {
        return judged;
    }

    /** The takeover is judged, this once. */
    public void judge() {
        judged = true;
    }

    /** Whether its successor was welcomed. */
    public boolean isSucceeded() {
        return succeededNanos >= 0;
    }

    /** When; below 0 when it was not. */
    public long succeededNanos() {
        return succeededNanos;
    }

    /** Whether its end cannot be seen. */
    public boolean isDark() {
        return dark;
    }

    /** Whether it was seen to end. */
    public boolean hasEnded() {
        return ended;
    }

    /** How it ended; null while it has not. */
    public @Nullable ConnectionEnd ending() {
        return ending;
    }

    /** The code it was closed with, or {@link CloseCodes#NONE}. */
    public int code() {
        return code;
    }

    @Override
    void over(ConnectionEnd how, int closeCode, String detail, boolean wasOpen) {
        ended = true;
        ending = how;
        code = closeCode;
        long sinceNanos = isSucceeded() ? endedNanos() - succeededNanos : 0;
        takenOver = dialect().contract().meansTakenOver(how, closeCode, sinceNanos, loopContext().missedAfterNanos);
        heir.predecessorOver(this, how, closeCode);
    }

    @Override
    long wantedMillis() {
        return heir.wantedMillis();
    }

    @Override
    boolean pushed(ByteBuf in, int at, int length) {
        return heir.pushed(in, at, length);
    }

    @Override
    public int index() {
        return heir.index();
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
        heir.violated(detail);
    }

    // What else is said to it is said too late to matter.

    @Override
    void connected() {}

    @Override
    void opened(long intervalMillis, int graceHundredths) {}

    @Override
    void answered(int sequence) {}

    @Override
    void answeredNext() {}

    @Override
    void answeredOddly(int payloadBytes) {}

    @Override
    void probed() {}

    @Override
    long newestMessage() {
        return 0;
    }

    @Override
    void acknowledged(long id, boolean accepted) {}

    @Override
    void acknowledgedNext(boolean accepted) {}

    @Override
    void received(long id) {}

    @Override
    void receivedNext() {}

    @Override
    boolean cameBackEarlier(long id) {
        return false;
    }

    @Override
    void received(long id, boolean text, ByteBuf in, int at, int length) {}

    @Override
    void receivedUnnamed(boolean text, ByteBuf in, int at, int length) {}

    @Override
    void goaway(Frame.Goaway frame) {}

    @Override
    void apart() {}
}

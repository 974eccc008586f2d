package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.pace.Chance;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.pace.SlotRing;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.channel.ChannelHandler;
import org.jspecify.annotations.Nullable;

/**
 * One simulated device: an id, what it does, and its connection, which may be lost and made again. Owner: its event loop.
 *
 * <p>It is the handler of its channel. When it moves on to another connection with the old one still there, a {@link
 * SupersededConnection} takes its place on the old channel.
 *
 * <pre>
 *             connect                 act, act, act ...              lost, by comeback
 *   driver ------------&gt; connected ----------------------&gt; connection over ---------------------&gt; connect ...
 *                          |                                 |
 *                        opened                          finished: what it was to do is done
 * </pre>
 */
@ChannelHandler.Sharable // on one channel at a time, but on several in a life
public final class Device extends HeartbeatConnection<Device> {

    private static final long MILLI = 1_000_000L;

    private final LoopContext<Device> loopContext;
    private final Behaviour behaviour;
    private final int index;

    private ExpectedOutcome expectedOutcome = ExpectedOutcome.LIVE;
    private boolean leaving;
    private boolean arrived;
    private boolean finished;
    private boolean awaiting;
    private boolean tookOver;
    private boolean unreachable;
    private boolean askedToLeave;
    private boolean fallsSilentLater;
    private int hop;
    private @Nullable SupersededConnection superseded;
    private Comeback.Window window = Comeback.Window.NONE;
    private long intendedNanos;
    private long calledNanos;
    private int attempt;
    private int draws;
    /** Heartbeats sent before it was in the unreachable: an answer to one of them says nothing about now. */
    private int beatsBeforeUnreachable;
    /** When it lost its connection, or was asked to leave; -1 while it is there. */
    private long lostNanos = -1;

    /** Time from which a close is expected. */
    long closeExpectedNanos;
    /** For the behaviour alone: what it has to remember of this device. */
    long memo;

    /**
     * A device that is not connected yet.
     *
     * @param index its number in the run; with the seed it decides all that is left to chance
     */
    public Device(LoopContext<Device> loopContext, Dialect dialect, Behaviour behaviour, int index) {
        super(dialect);
        this.loopContext = loopContext;
        this.behaviour = behaviour;
        this.index = index;
    }

    // ---- what the pacing loop asks for

    /** Its channel is being made; it was meant to be made at this time. */
    public void connect(Dialect speaks, long intended) {
        connecting(speaks);
        intendedNanos = intended;
        calledNanos = loopContext.clock.nanos();
        expectedOutcome = showsWrong(calledNanos) ? ExpectedOutcome.UNADMITTED : ExpectedOutcome.LIVE;
        tookOver = false;
        unreachable = false;
        beatsBeforeUnreachable = 0;
        askedToLeave = false;
        if (lostNanos >= 0) {
            loopContext.observer.counted(this, Count.RETRIES);
        }
    }

    /**
     * Does what is due at this time.
     *
     * @return when it is due again, or {@link SlotRing#DONE}
     */
    public long act(long dueNanos) {
        if (awaiting) {
            awaiting = false;
            loopContext.schedule.connect(this, dueNanos);
            return SlotRing.DONE;
        }
        if (!isOpen() || leaving || (finished && expectedOutcome == ExpectedOutcome.SILENT)) {
            return SlotRing.DONE;
        }
        if (isCutOff()) {
            return dueNanos + cadence().periodNanos();
        }
        renewIfDue();
        if (expectedOutcome == ExpectedOutcome.VANISHED && unreachable) {
            // A machine that stood still gave the gateway more time: it is asked after later.
            long check = silenceDeadlineNanos() + loopContext.missedAfterNanos + ownStallNanos();
            if (check > loopContext.clock.nanos()) {
                return loopContext.roundUp(check);
            }
            // Hears again and asks whether it is still known, which nobody may answer.
            passPackets();
            beat(dueNanos);
            return SlotRing.DONE;
        }
        return behaviour.act(this, dueNanos);
    }

    /** Says goodbye for good. */
    public void leave() {
        finished = true;
        awaiting = false;
        depart();
        SupersededConnection old = superseded;
        if (old != null) {
            old.abandon();
        }
    }

    // ---- what behaviours do with it

    /** From here on the gateway has reason to close it. */
    void expectClose(ExpectedOutcome wanted) {
        ExpectedOutcome to = dialect().contract().limits(wanted) ? wanted : ExpectedOutcome.UNLIMITED;
        if (!expectedOutcome.closeDue()) {
            loopContext.observer.closeExpected(this, to);
        }
        expectedOutcome = to;
        closeExpectedNanos = loopContext.clock.nanos();
        if (to != ExpectedOutcome.SILENT) {
            stopsReading();
        }
    }

    /** Says nothing more, its socket open. One that is not connected, yet or again, does so when it is welcomed, if that is in time for its deadline. */
    public void fallSilent() {
        fallsSilentLater = !arrived || isReturning();
        if (isWell()) {
            finished = true;
            expectClose(ExpectedOutcome.SILENT);
        }
    }

    /** Vanishes: neither hears nor says anything, and no FIN tells of it. Asked after when it must have been found out. */
    public void vanish() {
        if (isWell()) {
            finished = true;
            becomeUnreachable();
            expectClose(ExpectedOutcome.VANISHED);
            if (expectedOutcome == ExpectedOutcome.VANISHED) {
                loopContext.schedule.due(this, silenceDeadlineNanos() + loopContext.missedAfterNanos);
            }
        }
    }

    /** The network is cut: nothing gets through either way until {@link #heal}. */
    public void cut() {
        if (isWell()) {
            becomeUnreachable();
            expectedOutcome = ExpectedOutcome.UNDECIDED;
        }
    }

    /** The network is whole again: the device speaks at once. */
    public void heal() {
        if (isCutOff() && isOpen()) {
            long silence = loopContext.clock.nanos() - lastSentNanos();
            passPackets();
            if (silence - ownStallNanos() > allowedSilenceNanos() + loopContext.missedAfterNanos) {
                expectClose(ExpectedOutcome.VANISHED);
            } else if (silence < allowedSilenceNanos() - loopContext.missedAfterNanos) {
                expectedOutcome = ExpectedOutcome.LIVE;
                loopContext.pushes.startsReading(this);
            }
            loopContext.schedule.due(this, beat(loopContext.clock.nanos()));
        }
    }

    private boolean isWell() {
        return isOpen() && expectedOutcome == ExpectedOutcome.LIVE && !leaving;
    }

    /** Whether the network is cut: whoever acts then waits. */
    private boolean isCutOff() {
        return expectedOutcome == ExpectedOutcome.UNDECIDED && unreachable;
    }

    /** It will be away about as long as it may: nobody can say who is right then. */
    void uncertain() {
        stopsReading();
        expectedOutcome = ExpectedOutcome.UNDECIDED;
        beatsBeforeUnreachable = beats();
    }

    /** It speaks again: what was uncertain is over, and a close that was due is missed. */
    void speakAgain() {
        if (expectedOutcome == ExpectedOutcome.SILENT) {
            spokeAfterItsDeadline();
        } else if (expectedOutcome == ExpectedOutcome.UNDECIDED) {
            expectedOutcome = ExpectedOutcome.LIVE;
        }
    }

    /** What it was to do is done: it does not come back when its connection ends. */
    void finish() {
        finished = true;
    }

    /** It was silent for too long and speaks now; it was not closed, or not seen to be because the generator stood still. */
    private void spokeAfterItsDeadline() {
        long now = loopContext.clock.nanos();
        long heard = now - lastSentNanos() - loopContext.stalls().own(lastSentNanos(), now);
        if (heard > allowedSilenceNanos()) {
            missedItsClose();
        } else {
            // nobody can say who is right
            loopContext.observer.counted(this, Count.UNJUDGED);
            expectedOutcome = ExpectedOutcome.LIVE;
        }
    }

    /** How long its process stood still since its last sign of life, and with it perhaps the gateway. */
    private long ownStallNanos() {
        return loopContext.stalls().ofProcess(lastSentNanos(), loopContext.clock.nanos());
    }

    /** It must have been closed and was not. */
    void missedItsClose() {
        loopContext.observer.missed(this);
        expectedOutcome = ExpectedOutcome.LIVE;
    }

    /** What is pushed to it from here on it need not hear. */
    private void stopsReading() {
        loopContext.pushes.stopsReading(this);
    }

    private void becomeUnreachable() {
        stopsReading();
        PacketDrop.fallOrPause(channel());
        unreachable = true;
        beatsBeforeUnreachable = beats();
        excuseAnswers();
    }

    private void passPackets() {
        unreachable = false;
        PacketDrop.liftAndRead(channel());
    }

    /** Ends the connection without a FIN but with a RST; for good. */
    void reset() {
        stopsReading();
        finished = true;
        leaving = true;
        expectedOutcome = ExpectedOutcome.LEAVING;
        abort(channel());
    }

    /** Says goodbye, to come back or not. */
    void depart() {
        stopsReading();
        leaving = true;
        if (isOpen() && !expectedOutcome.quiet()) {
            expectedOutcome = ExpectedOutcome.LEAVING;
            dialect().leave(this);
        } else if (unreachable && !isGone()) {
            // The answer to a FIN would not be heard, and the socket stay in the kernel.
            abort(channel());
        } else if (!isGone()) {
            hangUp();
        }
    }

    /**
     * Opens a second connection under its id.
     *
     * @param unreachable whether the first one vanishes, as behind a NAT that forgot it
     * @param elsewhere whether the second one comes from another address, to the next target
     */
    void moveOn(boolean unreachable, boolean elsewhere) {
        stopsReading();
        SupersededConnection old = new SupersededConnection(this, unreachable);
        context().pipeline().replace(this, null, old);
        if (unreachable) {
            PacketDrop.fallOrPause(old.channel());
        }
        hop += elsewhere ? 1 : 0;
        superseded = old;
        loopContext.schedule.connect(this, loopContext.clock.nanos());
    }

    /** A random number, 0 to below 1; another one each time, the same in each run with the seed. */
    @Override
    double draw() {
        return Chance.unit(loopContext.seed, index, draws++);
    }

    // ---- what the connection tells

    @Override
    void connected() {
        behaviour.connected(this);
    }

    @Override
    void opened(long interval, int grace) {
        markOpen();
        granted(interval, grace);
        loopContext.pushes.startsReading(this);
        long now = loopContext.clock.nanos();
        attempt = 0;
        loopContext.observer.opened(this, now - calledNanos);
        if (expectedOutcome == ExpectedOutcome.UNADMITTED) {
            loopContext.credentialObserver.admitted(this);
            finished = true;
            depart();
            return;
        }
        admittedAt(now);
        if (lostNanos >= 0) {
            long ownLag = calledNanos - intendedNanos;
            loopContext.observer.returned(this, window, calledNanos - lostNanos, now - lostNanos - ownLag);
            loopContext.observer.recovered(this, now - lostNanos);
            lostNanos = -1;
        }
        window = Comeback.Window.NONE;
        SupersededConnection old = superseded;
        if (old != null && !old.isSucceeded()) {
            if (old.endedOnItsOwn()) {
                superseded = null;
            } else {
                tookOver = true;
                old.succeeded(now);
                loopContext.observer.tookOver(this, old);
            }
        }
        sendAgain(true);
        long due = behaviour.opened(this, now);
        if (due != SlotRing.DONE) {
            loopContext.schedule.due(this, due);
        }
        if (fallsSilentLater && now + allowedSilenceNanos() + loopContext.missedAfterNanos < loopContext.endsNanos) {
            fallSilent();
        }
    }

    @Override
    void heard(int sequence) {
        if (sequence <= beatsBeforeUnreachable || unreachable) {
            return;
        }
        if (expectedOutcome == ExpectedOutcome.VANISHED) {
            // It was away for longer than allowed, and is still taken for alive.
            missedItsClose();
            if (finished) {
                depart();
            }
        } else if (expectedOutcome == ExpectedOutcome.UNDECIDED) {
            expectedOutcome = ExpectedOutcome.LIVE;
        }
    }

    @Override
    void answeredOddly(int payloadBytes) {
        if (expectedOutcome != ExpectedOutcome.STUCK) {
            throw new WireException(CloseCodes.MALFORMED, "PONG with " + payloadBytes + " bytes nobody sent");
        }
    }

    @Override
    void probed() {
        loopContext.observer.probed(this);
    }

    @Override
    void goaway(Frame.Goaway frame) {
        Comeback.Window told = new Comeback.Window(frame.retryMinMillis() * MILLI, frame.retryMaxMillis() * MILLI);
        if (!isOpen() && behaviour.isCrowd()) {
            window = told; // the reason comes next
            return;
        }
        loopContext.observer.goaway(this);
        askedToLeave = true;
        reconnect(told);
    }

    /** Leaves, to come back in this window; answers whether it is one that does. */
    public boolean reconnect(Comeback.Window given) {
        if (expectedOutcome != ExpectedOutcome.LIVE || finished || leaving || !behaviour.comesBack(loopContext)) {
            return false;
        }
        window = given;
        loopContext.observer.counted(this, Count.LOST);
        lostNanos = loopContext.clock.nanos();
        depart();
        return true;
    }

    @Override
    void violated(String detail) {
        loopContext.observer.violated(this, detail);
    }

    @Override
    void over(ConnectionEnd seen, int code, String detail, boolean wasOpen) {
        stopsReading();
        ConnectionEnd ending = leaving ? ConnectionEnd.LEFT : seen;
        messagesOver(endedNanos(), unreachable || expectedOutcome.quiet() || loopContext.inOutage(endedNanos()));
        if (wasOpen || expectedOutcome.quiet()) {
            loopContext.observer.ended(this, ending, code, detail);
            finished |= dialect().staysAway(code) && behaviour.sharedId() < 0;
            if (!finished
                    && expectedOutcome != ExpectedOutcome.LEAVING
                    && lostNanos < 0
                    && behaviour.comesBack(loopContext)) {
                lostNanos = endedNanos();
            }
        } else if (expectedOutcome == ExpectedOutcome.UNADMITTED) {
            finished = true;
            loopContext.credentialObserver.turnedAway(this, ending, code, detail);
        } else {
            refused(ending, code, detail);
        }
    }

    private void refused(ConnectionEnd ending, int code, String detail) {
        if (behaviour.isCrowd() && code == behaviour.turnedAwayBy()) {
            attempt = 0;
            lostNanos = endedNanos();
            window = window.given() ? window : Comeback.Window.USUAL;
            loopContext.observer.turnedAway(this);
            return;
        }
        boolean excused =
                loopContext.inOutage(endedNanos()) || loopContext.undecided(code, detail, calledNanos, endedNanos());
        if (lostNanos >= 0 || (excused && behaviour.comesBack(loopContext))) {
            attempt++;
            lostNanos = lostNanos < 0 ? intendedNanos : lostNanos;
            finished |= dialect().staysAway(code);
            loopContext.observer.retryFailed(this, ending, detail);
        } else {
            finished = true;
            loopContext.observer.refused(this, ending, code, detail);
        }
        loopContext.credentialObserver.refused(this, code, detail);
    }

    @Override
    void apart() {
        leaving = false;
        if (finished) {
            return;
        }
        long now = loopContext.clock.nanos();
        long pause = lostNanos >= 0
                ? loopContext.comeback.delayNanos(attempt, draw(), window, now - lostNanos)
                : behaviour.pauseNanos(this);
        if (pause >= 0) {
            awaiting = true;
            loopContext.schedule.due(this, now + pause);
        }
    }

    void predecessorOver(SupersededConnection old, ConnectionEnd ending, int code) {
        loopContext.observer.predecessorEnded(this, old, ending, code);
    }

    // ---- read by the recorder

    @Override
    public int index() {
        return index;
    }

    /** What it does. */
    public Behaviour behaviour() {
        return behaviour;
    }

    /** How often it went to another address. */
    public int hop() {
        return hop;
    }

    @Override
    public ExpectedOutcome expectedOutcome() {
        return expectedOutcome;
    }

    /** Whether this is the first time that one of its connections came to something; asked once each time. */
    public boolean arrives() {
        boolean first = !arrived;
        arrived = true;
        return first;
    }

    /** Whether one of its connections has come to something before. */
    public boolean hasArrived() {
        return arrived;
    }

    /** Whether it lost a connection and has not been welcomed since. */
    public boolean isReturning() {
        return lostNanos >= 0;
    }

    /** Whether it hears nothing, so that its end cannot be seen. */
    public boolean isUnreachable() {
        return unreachable;
    }

    /** Whether the gateway asked this connection to leave. */
    public boolean wasAskedToLeave() {
        return askedToLeave;
    }

    /** By when it has to be back, if it was given a retry window and has not been welcomed since; else far in the future. */
    public long expectedByNanos() {
        return lostNanos >= 0 && window.given() ? lostNanos + window.mostNanos() : LoopContext.NOT_YET;
    }

    /** Whether it will not come back. */
    public boolean isFinished() {
        return finished;
    }

    @Override
    public long calledNanos() {
        return calledNanos;
    }

    /** How long this side took for its first word; until its end, when it came to none. */
    public long firstWordNanos() {
        return (lastSentNanos() < 0 ? endedNanos() : lastSentNanos()) - calledNanos;
    }

    /** By when it must be closed, for what it did, nanoseconds since the run began. */
    public long deadlineNanos() {
        return expectedOutcome.closeDue() ? behaviour.deadlineNanos(this) : silenceDeadlineNanos();
    }

    /** Before which it must not be closed. */
    public long earliestNanos() {
        return expectedOutcome.closeDue() ? behaviour.earliestNanos(this) : deadlineNanos();
    }

    /** Whether its connection took over from another one of the same id. */
    public boolean tookOver() {
        return tookOver;
    }

    /** The connection it took over from, if any. */
    public @Nullable SupersededConnection superseded() {
        return superseded;
    }

    @Override
    LoopContext<Device> loopContext() {
        return loopContext;
    }

    @Override
    long wantedMillis() {
        return behaviour.wantedMillis(loopContext.deviceDefaults);
    }

    @Override
    long beatDueNanos(int sequence) {
        return behaviour.beatDueNanos(this, sequence);
    }

    @Override
    Device self() {
        return this;
    }

    @Override
    boolean quiet() {
        return expectedOutcome.quiet();
    }

    @Override
    boolean leaving() {
        return leaving;
    }
}

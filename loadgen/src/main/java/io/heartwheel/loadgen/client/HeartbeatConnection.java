package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.Cadence;
import io.heartwheel.loadgen.pace.Chance;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Connection that sends heartbeats and messages, and compares what was sent with what was answered. A superclass of {@link
 * Device} and no object of its own, because there are a million of them.
 *
 * @param <D> the device, as its observer is told of it
 */
public abstract class HeartbeatConnection<D> extends DeviceConnection {

    private static final long MILLI = 1_000_000L;
    /** A refused message is sent again so much later, with the next thing the device does. */
    static final long RETRY_NANOS = 250 * MILLI;

    /** A draw that no other has. */
    private static final int AUTH_DRAW = -2;

    private static final int ALL_BEATS = Integer.MAX_VALUE;

    private @Nullable Cadence cadence;
    private @Nullable MessageTracker messages;
    private @Nullable Admission admission;
    private long grantedMillis;
    private int graceHundredths;
    private int beats;
    private int lastAnswered;
    private long newestDueNanos;
    private long newestSentNanos;
    /** The most that any heartbeat sent since all were answered was late itself, milliseconds, rounded up. */
    private int ownLagMillis;
    /** Answers to heartbeats up to this one are not late: the network was cut meanwhile. */
    private int excusedBeats;

    private boolean unanswered;
    /** Heartbeats of this connection that were taken to be left out: their answers may come yet. */
    private int passedOver;

    /** A speaker that is not connected. */
    HeartbeatConnection(Dialect dialect) {
        super(dialect);
    }

    /** Whom the observer is told of. */
    abstract D self();

    @Override
    abstract LoopContext<D> loopContext();

    private DeviceObserver<D> observer() {
        return loopContext().observer;
    }

    /** When the heartbeat with this number was due; the device is open, and it was sent. */
    abstract long beatDueNanos(int sequence);

    /** Whether nothing is expected of the gateway but to keep it. */
    abstract boolean isLive();

    /** When the connect was called: the gateway cannot have accepted it earlier. */
    public abstract long calledNanos();

    /** A random number, 0 to below 1; another one each time. */
    abstract double draw();

    /** The heartbeat with this number was answered; before it is measured. */
    abstract void heard(int sequence);

    @Override
    void connecting(Dialect speaks) {
        super.connecting(speaks);
        newestDueNanos = 0;
        beats = 0;
        lastAnswered = 0;
        ownLagMillis = 0;
        excusedBeats = 0;
        passedOver = 0;
        messagesOver(loopContext().clock.nanos(), true);
    }

    /** What the gateway granted. */
    void granted(long intervalMillis, int grace) {
        grantedMillis = intervalMillis;
        graceHundredths = grace;
        cadence = loopContext().cadence(intervalMillis);
    }

    // ---- what it shows to be admitted

    /** A connect begins: decides what it shows, and tells whether that is wrong. */
    boolean showsWrong(long nowNanos) {
        Credentials credentials = loopContext().credentials();
        if (credentials == null) {
            return false;
        }
        Admission own = admission;
        if (own == null) {
            own = new Admission(credentials.habit(index()), Chance.unit(loopContext().seed, index(), AUTH_DRAW));
            admission = own;
        }
        own.connecting(credentials.made(index(), nowNanos), dialect().has(Dialect.Trait.RENEWS));
        return own.habit() == Credentials.Habit.WRONG;
    }

    /** It was welcomed with what it shows. */
    void admittedAt(long nowNanos) {
        if (admission != null) {
            admission.accepted(nowNanos);
        }
    }

    /** Renews before it is asked to, if that is what it does and it is time. */
    void renewIfDue() {
        if (admission != null
                && isLive()
                && !leaving()
                && admission.renewalDue(loopContext().clock.nanos())) {
            renew(admission);
        }
    }

    private void renew(Admission own) {
        Credentials credentials = loopContext().credentials();
        if (credentials != null && own.understands()) {
            long now = loopContext().clock.nanos();
            Credential newer = credentials.made(index(), now);
            own.offering(newer, now);
            dialect().renew(this, newer.token());
            loopContext().credentialObserver().renewalSent(self());
        }
    }

    @Override
    void authAnswered(Frame.AuthAnswer answer) {
        Admission own = admission;
        if (own == null || !own.understands()) {
            throw new WireException(CloseCodes.MALFORMED, "AUTH to a device that does not understand it");
        }
        CredentialObserver<D> told = loopContext().credentialObserver();
        if (answer.status() == Frame.AuthAnswer.EXPIRING) {
            told.warned(self(), answer.remainingMillis());
            if (own.warned() && isLive() && !leaving()) {
                renew(own);
            }
            return;
        }
        long sent = own.offeredNanos();
        if (sent < 0) {
            throw new WireException(CloseCodes.MALFORMED, "AUTH that answers nothing");
        }
        long now = loopContext().clock.nanos();
        if (answer.status() == Frame.AuthAnswer.ACCEPTED) {
            own.accepted(now);
        } else {
            own.declined(answer.status() == Frame.AuthAnswer.UNAVAILABLE, now);
        }
        told.renewalAnswered(self(), answer.status(), now - sent, answer.remainingMillis());
    }

    /** What it has shown, and what became of that; null in a run without credentials. */
    public @Nullable Admission admission() {
        return admission;
    }

    @Override
    String token() {
        return admission == null ? super.token() : admission.token();
    }

    @Override
    int features() {
        return admission != null && admission.understands() ? FrameType.FEATURE_AUTH : 0;
    }

    // ---- heartbeats

    /** Sends the heartbeat due at this time; answers when the next one is due. */
    long beat(long dueNanos) {
        Cadence own = cadence();
        long now = loopContext().clock.nanos();
        int lag = (int) Math.min(Integer.MAX_VALUE, (now - dueNanos + MILLI - 1) / MILLI);
        ownLagMillis = Math.max(lastAnswered == beats ? 0 : ownLagMillis, lag);
        beats++;
        newestDueNanos = dueNanos;
        newestSentNanos = now;
        dialect().beat(this, beats);
        observer().beatSent(self(), newestSentNanos - dueNanos);
        double jitter = loopContext().deviceDefaults.jitter();
        return jitter > 0 ? own.earlier(dueNanos, jitter * draw()) : dueNanos + own.periodNanos();
    }

    /** The first beat after this time, at its own phase. */
    long firstBeatNanos(long nowNanos) {
        return cadence().firstAfter(index(), nowNanos);
    }

    Cadence cadence() {
        Cadence own = cadence;
        if (own == null) {
            throw new IllegalStateException("device " + index() + " was never welcomed");
        }
        return own;
    }

    /** When the newest heartbeat was due; 0 before the first. */
    long newestDueNanos() {
        return newestDueNanos;
    }

    /** When the heartbeat with this number was due, if all after it came evenly. */
    long evenlyDueNanos(int sequence) {
        return newestDueNanos - (beats - sequence) * cadence().periodNanos();
    }

    /** Heartbeats sent on this connection: the number of the newest. */
    int beats() {
        return beats;
    }

    @Override
    void answered(int sequence) {
        if (sequence <= lastAnswered || sequence > beats) {
            throw new WireException(
                    CloseCodes.MALFORMED, "PONG " + sequence + ": need over " + lastAnswered + ", at most " + beats);
        }
        long now = loopContext().clock.nanos();
        long due = beatDueNanos(sequence);
        int skipped = sequence - lastAnswered - 1;
        if (skipped > 0) {
            skipped(skipped);
        }
        boolean excused = sequence <= excusedBeats || loopContext().inOutage(now) || !isLive();
        long waited = waitedNanos(sequence, now);
        lastAnswered = sequence;
        if (excusedBeats == ALL_BEATS) {
            // What was sent since the network is whole again had to wait for its turn behind what was lost.
            excusedBeats = beats;
        }
        heard(sequence);
        if (waited > loopContext().answerWithinNanos && !excused) {
            observer().unanswered(self(), 1, false, "heartbeat " + sequence + " after " + waited / MILLI + " ms");
        }
        observer().beatAnswered(self(), now - due, sequence == beats ? now - newestSentNanos : -1);
    }

    /**
     * Later heartbeats were answered and these were not. Proof where each has to be; a WebSocket server may answer only the
     * newest of native pings that came together, so those that were sent together say nothing.
     */
    private void skipped(int many) {
        passedOver += many;
        boolean together = 2L * ownLagMillis * MILLI > cadence().periodNanos();
        if (dialect().has(Dialect.Trait.ANSWERS_EACH) || !together) {
            String which = "heartbeat " + (lastAnswered + 1) + (many == 1 ? "" : " to " + (lastAnswered + many));
            observer().unanswered(self(), many, dialect().has(Dialect.Trait.ANSWERS_EACH), which + " passed over");
        }
    }

    /** What does not say which it answers may answer only one that can still be answered in time. */
    @Override
    void answeredNext() {
        int next = lastAnswered + 1;
        long now = loopContext().clock.nanos();
        while (next < beats && waitedNanos(next, now) > loopContext().answerWithinNanos && excusedBeats < next) {
            next++;
        }
        if (next <= beats) {
            answered(next);
        } else if (passedOver > 0) {
            passedOver--;
        } else {
            dialect().answeredTooOften(this);
        }
    }

    /** How long a heartbeat has waited for its answer, at the least: without what this generator itself was late by. */
    private long waitedNanos(int sequence, long nowNanos) {
        long due = beatDueNanos(sequence);
        long earlier = (long) ((beats - sequence)
                * loopContext().deviceDefaults.jitter()
                * cadence().periodNanos());
        return nowNanos - due - earlier - ownLagMillis * MILLI - loopContext().stoodStillNanos(due, nowNanos);
    }

    /** The network is cut: answers may take as long as it lasts, and a while longer. */
    void excuseAnswers() {
        excusedBeats = ALL_BEATS;
        messages().excuse();
    }

    /** Unanswered heartbeats of this connection that were due at or before this instant. */
    public int overdueAnswers(long instantNanos) {
        if (!dialect().has(Dialect.Trait.ANSWERS_BEATS)) {
            return 0;
        }
        int overdue = beats - lastAnswered;
        for (int sequence = beats;
                overdue > 0 && beatDueNanos(sequence) + ownLagMillis * MILLI > instantNanos;
                sequence--) {
            overdue--;
        }
        return overdue;
    }

    /** The same when the connection ended; 0 when the network was cut. */
    public int overdueAtItsEnd() {
        return excusedBeats == ALL_BEATS ? 0 : overdueAnswers(overdueNanos(endedNanos()));
    }

    private long overdueNanos(long nowNanos) {
        long instant = nowNanos - loopContext().answerWithinNanos;
        return instant - loopContext().stoodStillNanos(instant, nowNanos);
    }

    /** Whether this is the first time that one of its heartbeats is not answered; asked once each time. */
    public boolean firstUnanswered() {
        boolean first = !unanswered;
        unanswered = true;
        return first;
    }

    // ---- messages

    /** Its record of messages; an empty one until it sends some. */
    private MessageTracker messages() {
        MessageTracker own = messages;
        return own == null ? loopContext().noMessages : own;
    }

    /** Sends a message due at this time. */
    void message(long dueNanos, int bytes) {
        MessageTracker own = messages;
        if (own == null) {
            MessageContract contract = loopContext().messageContract();
            own = new MessageTracker(
                    contract.echo(), contract.resend() && dialect().acknowledges(this));
            messages = own;
        }
        long now = loopContext().clock.nanos();
        observer().acted(self(), now - dueNanos);
        if (own.isFull(dialect().mostUnderWay(this))) {
            observer().message(self(), MessageTracker.Fact.HELD_BACK);
            return;
        }
        int fitting = Math.min(bytes, dialect().mostBytes(this));
        boolean acknowledged = dialect().acknowledges(this);
        long id = own.send(dueNanos, now, acknowledged, fitting);
        loopContext().uplink().sent(self(), id, fitting);
        dialect().data(this, id, fitting);
        if (excusedBeats == ALL_BEATS) {
            own.excuse();
        }
        observer().message(self(), acknowledged ? MessageTracker.Fact.SENT : MessageTracker.Fact.SENT_UNASKED);
    }

    /**
     * Sends messages that were not accepted again, in their order: all of them, or those that were refused a while ago.
     * Nothing where the scenario does not want it.
     */
    void sendAgain(boolean all) {
        MessageTracker own = messages();
        long now = loopContext().clock.nanos();
        for (long id = own.nextHeld(1); id > 0; id = own.nextHeld(id + 1)) {
            if (all || now - own.heldSinceNanos(id) >= RETRY_NANOS) {
                int bytes = own.length(id);
                own.again(id, now);
                loopContext().uplink().sent(self(), id, bytes);
                dialect().data(this, id, bytes);
                observer().message(self(), MessageTracker.Fact.RESENT);
            }
        }
    }

    @Override
    void toldEpoch(long epoch) {
        loopContext().uplink().welcomed(self(), epoch);
    }

    /** The number of its message with this id on the wire; no number that it ever used for an id that is none of its own. */
    public long messageNumber(long wireId) {
        return ownId(wireId);
    }

    /** CRC-32C of the first bytes of a message. */
    public long messageChecksum(long number, int bytes) {
        return Content.checksum(loopContext().seed, index(), number, bytes);
    }

    @Override
    long newestMessage() {
        return messages().newest();
    }

    @Override
    void acknowledged(long id, boolean accepted) {
        long now = loopContext().clock.nanos();
        MessageTracker own = messages();
        MessageTracker.Fact fact = own.acknowledge(id, accepted, now, leaving());
        if (fact != MessageTracker.Fact.UNASKED && fact != MessageTracker.Fact.DOUBLED) {
            observer().messageAnswered(self(), now - own.dueNanos(), own.wasNewest() ? now - own.sentNanos() : -1);
        }
        if (fact == MessageTracker.Fact.ACCEPTED || fact == MessageTracker.Fact.OVERTAKEN) {
            loopContext().uplink().accepted(self(), id);
        }
        observer().message(self(), fact);
    }

    @Override
    void acknowledgedNext(boolean accepted) {
        acknowledged(messages().oldestWaiting(), accepted);
    }

    @Override
    void receivedNext() {
        received(messages().next());
    }

    /** A message with one of our ids is our own, come back; any other id is the gateway's, pushed to us. */
    @Override
    void received(long id) {
        if (messages().wasSent(id)) {
            cameBack(messages(), id);
        }
    }

    @Override
    boolean cameBackEarlier(long id) {
        return messages().cameBackEarlier(id);
    }

    private void cameBack(MessageTracker own, long id) {
        observer().message(self(), own.echo(id));
        if (own.cameAfterItsAcknowledgement()) {
            loopContext().echoFollowed();
        }
    }

    @Override
    void received(long id, boolean text, ByteBuf in, int at, int length) {
        MessageTracker own = messages();
        if (!own.wasSent(id)) {
            return;
        }
        String wrong = text ? "as text" : difference(own, id, in, at, length);
        boolean again = own.length(id) >= 0 && !own.isAwaited(id);
        cameBack(own, id);
        if (!wrong.isEmpty() && !again) {
            observer().messageChanged(self(), "message " + id + " came back " + wrong);
        }
    }

    /** In what it is not the message that was sent; empty when it is. */
    private String difference(MessageTracker own, long id, ByteBuf in, int at, int length) {
        int sent = own.length(id) < 0 ? length : own.length(id);
        int same = Math.min(sent, length);
        int from = Content.difference(in, at, same, loopContext().seed, index(), id);
        if (from < 0 && sent == length) {
            return "";
        }
        return "with " + length + " of " + sent + " bytes, other ones from offset " + (from < 0 ? same : from) + " on";
    }

    /** The next one that is due to come back, or another one that is the same, or something else. */
    @Override
    void receivedUnnamed(boolean text, ByteBuf in, int at, int length) {
        MessageTracker own = messages;
        if (own == null || !loopContext().messageContract().echo()) {
            return;
        }
        long next = own.next();
        long found = text ? 0 : find(own, next, in, at, length);
        if (found > 0) {
            cameBack(own, found);
        } else if (own.isAwaited(next)) {
            own.unknown("message " + next + " came back " + (text ? "as text" : difference(own, next, in, at, length)));
        } else {
            own.unknown("a message that was not sent");
        }
    }

    /** The id of the message with this content: one that is awaited before one that came back already; 0 for none. */
    private long find(MessageTracker own, long next, ByteBuf in, int at, int length) {
        if (own.isAwaited(next) && isSame(own, next, in, at, length)) {
            return next;
        }
        long again = 0;
        for (long id = own.firstKnown(); id <= own.newest(); id++) {
            if (isSame(own, id, in, at, length)) {
                if (own.isAwaited(id)) {
                    return id;
                }
                again = id;
            }
        }
        return again;
    }

    private boolean isSame(MessageTracker own, long id, ByteBuf in, int at, int length) {
        return own.length(id) == length && Content.difference(in, at, length, loopContext().seed, index(), id) < 0;
    }

    /** Its connection is over. */
    void messagesOver(long endNanos, boolean excused) {
        MessageTracker own = messages;
        if (own != null) {
            own.disconnected(endNanos, loopContext().messageContract(), excused, loopContext()::stoodStillNanos);
        }
    }

    /** What became of its messages; null if it sent none. */
    public MessageTracker.@Nullable Account account(long nowNanos) {
        MessageTracker own = messages;
        long since = isOpen() ? calledNanos() : nowNanos;
        return own == null
                ? null
                : own.account(
                        nowNanos,
                        since,
                        loopContext().messageContract(),
                        loopContext().echoesFollow(),
                        loopContext()::stoodStillNanos);
    }

    @Override
    boolean pushed(ByteBuf in, int at, int length) {
        return loopContext().pushes().received(self(), in, at, length);
    }

    // ---- what was granted

    /** Granted interval x grace: how long it may be silent; {@link Timeouts#NEVER} where silence has no limit. */
    public long allowedSilenceNanos() {
        return dialect().contract().limitsSilence() ? grantedMillis * MILLI * graceHundredths / 100 : Timeouts.NEVER;
    }

    /** Deadlines of its server that it was not told. */
    Timeouts timeouts() {
        return dialect().contract().timeouts();
    }

    /** By when it has to speak again. */
    long silenceDeadlineNanos() {
        return lastSentNanos() + allowedSilenceNanos();
    }

    /** Granted interval, milliseconds. */
    public long grantedMillis() {
        return grantedMillis;
    }
}

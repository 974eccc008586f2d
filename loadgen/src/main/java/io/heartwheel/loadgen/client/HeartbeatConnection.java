package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.pace.Cadence;
import io.heartwheel.loadgen.pace.Chance;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connection that sends heartbeats and messages, and compares what was sent with what was answered. A superclass of {@link
 * Device} and no object of its own, because there are a million of them.
 *
 * @param <D> the device, as its observer is told of it
 */
public abstract class HeartbeatConnection<D> extends DeviceConnection {

    /** Heartbeats that were passed over, so many back, may still be answered. */
    private static final int REMEMBERED = Long.SIZE;

    private static final long MILLI = 1_000_000L;
    /** A draw that no other has. */
    private static final int AUTH_DRAW = -2;

    private static final int ALL_BEATS = Integer.MAX_VALUE;

    private @Nullable Cadence cadence;
    private @Nullable DeviceMessages<D> messages;
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
    /** Heartbeats that were passed over and not answered since: bit n is that of the one n before the last answered. */
    private long missing;
    /** Those of them that need not be answered. */
    private long spared;

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

    /** What is to become of its connection. */
    public abstract ExpectedOutcome expectedOutcome();

    /** Whether nothing is expected of the gateway but to keep it. */
    private boolean isLive() {
        return expectedOutcome() == ExpectedOutcome.LIVE;
    }

    /** Whether the gateway owes it answers to what it has sent. */
    public boolean isOwed() {
        return isLive() || expectedOutcome() == ExpectedOutcome.SILENT;
    }

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
        missing = 0;
        spared = 0;
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
        Credentials credentials = loopContext().credentials;
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

    /** It was welcomed, with what it shows. */
    void admittedAt(long nowNanos) {
        loopContext().uplink.opened(self());
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
        Credentials credentials = loopContext().credentials;
        if (credentials != null && own.understands()) {
            long now = loopContext().clock.nanos();
            Credential newer = credentials.made(index(), now);
            own.offering(newer, now);
            dialect().renew(this, newer.token());
            observer().counted(self(), Count.AUTH_RENEWALS);
        }
    }

    @Override
    void authAnswered(Frame.AuthAnswer answer) {
        Admission own = admission;
        if (own == null || !own.understands()) {
            throw new WireException(CloseCodes.MALFORMED, "AUTH to a device that does not understand it");
        }
        CredentialObserver<D> told = loopContext().credentialObserver;
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
        boolean behind = sequence <= lastAnswered;
        if (sequence > beats || (behind && !isMissing(sequence))) {
            throw new WireException(
                    CloseCodes.MALFORMED, "PONG " + sequence + ": need over " + lastAnswered + ", at most " + beats);
        }
        long now = loopContext().clock.nanos();
        long due = beatDueNanos(sequence);
        boolean excused = sequence <= excusedBeats || loopContext().inOutage(now) || !isOwed();
        long waited = waitedNanos(sequence, now);
        if (behind) {
            missing &= ~(1L << (lastAnswered - sequence));
        } else {
            passOver(sequence);
        }
        if (excusedBeats == ALL_BEATS) {
            // What was sent since the network is whole again had to wait for its turn behind what was lost.
            excusedBeats = beats;
        }
        heard(sequence);
        if (waited > loopContext().answerWithinNanos && !excused) {
            observer()
                    .answeredLate(
                            self(),
                            "heartbeat " + sequence + at(due) + " was answered"
                                    + after(waited, loopContext().answerWithinNanos));
        }
        observer().beatAnswered(self(), now - due, sequence == beats ? now - newestSentNanos : -1);
    }

    /** The moment at which something was sent, behind its name. */
    static String at(long nanos) {
        return String.format(Locale.ROOT, " of %.3f s", nanos / 1e9);
    }

    /** How late its answer was. */
    static String after(long waitedNanos, long allowedNanos) {
        long waited = waitedNanos / MILLI;
        return " after " + waited + " ms, " + (waited - allowedNanos / MILLI) + " ms late";
    }

    private boolean isMissing(int sequence) {
        int back = lastAnswered - sequence;
        return back < REMEMBERED && (missing >>> back & 1) != 0;
    }

    /**
     * A heartbeat was answered and those before it were not: their answers may come yet. Where the newest of several may stand for all, as
     * of native pings of a WebSocket, those that were sent together are not missed.
     */
    private void passOver(int sequence) {
        int by = sequence - lastAnswered;
        boolean together = 2L * ownLagMillis * MILLI > cadence().periodNanos();
        boolean spares = together && !dialect().has(Dialect.Trait.ANSWERS_EACH);
        boolean all = by >= REMEMBERED;
        neverAnswered(all ? missing : missing & ~(-1L >>> by));
        if (by > REMEMBERED && !spares) {
            unanswered(by - REMEMBERED, by - REMEMBERED + " heartbeats");
        }
        lastAnswered = sequence;
        long skipped = all ? -2L : (1L << by) - 2;
        missing = (all ? 0 : missing << by) | skipped;
        spared = (all ? 0 : spared << by) | (spares ? skipped : 0);
    }

    /** These were passed over, and nothing is expected of them any more; the bits are those of {@link #missing}. */
    private void neverAnswered(long passedOver) {
        long which = passedOver & ~spared;
        if (which != 0) {
            int first = lastAnswered - (REMEMBERED - 1 - Long.numberOfLeadingZeros(which));
            int last = lastAnswered - Long.numberOfTrailingZeros(which);
            int many = Long.bitCount(which);
            String text = many == 1
                    ? "heartbeat " + first
                    : (many == last - first + 1 ? "heartbeats " : many + " heartbeats from ") + first + " to " + last;
            unanswered(many, text);
        }
    }

    private void unanswered(int many, String which) {
        boolean proven = dialect().has(Dialect.Trait.ANSWERS_EACH);
        observer().unanswered(self(), many, proven, which + " never answered, though later ones were");
    }

    /** What was passed over on this connection by then is not answered any more. */
    public void judgeMissing(long nowNanos) {
        long overdue = missing;
        for (long left = missing; left != 0; left &= left - 1) {
            int back = Long.numberOfTrailingZeros(left);
            if (waitedNanos(lastAnswered - back, nowNanos) <= loopContext().answerWithinNanos) {
                overdue &= ~(1L << back);
            }
        }
        neverAnswered(overdue);
        missing &= ~overdue;
    }

    /**
     * What does not say which it answers may answer only one that can still be answered in time; where there is none, the newest that was
     * passed over.
     */
    @Override
    void answeredNext() {
        int next = lastAnswered + 1;
        long now = loopContext().clock.nanos();
        while (next < beats && waitedNanos(next, now) > loopContext().answerWithinNanos && excusedBeats < next) {
            next++;
        }
        if (next <= beats) {
            answered(next);
        } else if (missing != 0) {
            answered(lastAnswered - Long.numberOfTrailingZeros(missing));
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
        if (messages != null) {
            messages.excuse();
        }
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

    /** Heartbeats of this connection without an answer and without a verdict. */
    public int openBeats() {
        return dialect().has(Dialect.Trait.ANSWERS_BEATS) ? beats - lastAnswered + Long.bitCount(missing) : 0;
    }

    /** Those of {@link #overdueAnswers} when the connection ended; 0 when the network was cut. */
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

    /** Its messages; made when the first is sent, or one comes. */
    @Override
    DeviceMessages<D> messages() {
        DeviceMessages<D> own = messages;
        if (own == null) {
            own = new DeviceMessages<>(this);
            messages = own;
        }
        return own;
    }

    /** Sends a message due at this time. */
    void message(long dueNanos, int bytes) {
        messages().send(dueNanos, bytes, excusedBeats == ALL_BEATS);
    }

    /** As {@link DeviceMessages#sendAgain}. */
    void sendAgain(boolean all) {
        if (messages != null) {
            messages.sendAgain(all);
        }
    }

    @Override
    void toldEpoch(long epoch) {
        loopContext().uplink.welcomed(self(), epoch);
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
    long oldestBeat() {
        if (!dialect().has(Dialect.Trait.ANSWERS_EACH)) {
            return Long.MAX_VALUE;
        }
        return missing == 0 ? lastAnswered + 1L : lastAnswered - (REMEMBERED - 1 - Long.numberOfLeadingZeros(missing));
    }

    /** Its connection is over. */
    void messagesOver(long endNanos, boolean excused) {
        if (messages != null) {
            messages.disconnected(endNanos, excused);
        }
    }

    /** Tells what became of its messages, at the end; answers how many the end of their connection left open. */
    public long judgeMessages(long nowNanos) {
        return messages == null ? 0 : messages.judge(nowNanos, isOpen() ? calledNanos() : nowNanos);
    }

    @Override
    boolean pushed(long id, boolean ackWanted, ByteBuf in, int at, int length) {
        return loopContext().pushes.received(self(), true, id, ackWanted, in, at, length);
    }

    /** Says of a message from the gateway that it is done with it (status 0), or not; answers whether it could. */
    public boolean acknowledge(long id, int status) {
        boolean able = isOpen() && !quiet() && !leaving();
        if (able) {
            dialect().acknowledge(this, id, status);
        }
        return able;
    }

    /** Does something later, unless its connection is another one then. */
    public void later(long nanos, Runnable what) {
        Channel then = channel();
        then.eventLoop()
                .schedule(
                        () -> {
                            if (isOpen() && channel() == then) {
                                what.run();
                            }
                        },
                        nanos,
                        TimeUnit.NANOSECONDS);
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

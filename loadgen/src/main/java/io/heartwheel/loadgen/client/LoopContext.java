package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.LoopStalls;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.pace.Cadence;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.channel.Channel;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * State shared by the devices of one event loop, so that each of them stays small. Owned by that loop's thread; the clock
 * counts from the beginning of the run.
 *
 * @param <D> the device: {@link Device}
 */
public final class LoopContext<D> {

    /** Far enough ahead that nothing happens, near enough that a difference does not overflow. */
    static final long NOT_YET = Long.MAX_VALUE / 2;

    /** A time that nobody tells. */
    public static final long UNTOLD = Long.MIN_VALUE;

    final NanoClock clock;
    final DeviceDefaults deviceDefaults;
    final Comeback comeback;
    final DeviceObserver<D> observer;
    final PacingLoop<D> schedule;
    /** What did not happen by its deadline is taken for missed this much later. */
    final long missedAfterNanos;
    /** What was not answered in this time is unanswered. */
    final long answerWithinNanos;
    /** Decides all that is left to chance. */
    final long seed;

    final FrameCursor frames = new FrameCursor();
    final WsCursor messages = new WsCursor();
    final WsWriter writer;

    // ---- written here alone, read by the devices

    /** Who is told of pushes. */
    PushSink<D> pushes = new PushSink<>() {};
    /** Who is told of what they send. */
    UplinkSink<D> uplink = new UplinkSink<>() {};
    /** Makes what they show; null: all show the token of their defaults. */
    @Nullable
    Credentials credentials;

    /** Who is told of that. */
    CredentialObserver<D> credentialObserver = new CredentialObserver<>() {};
    /** Whether they send no new messages. */
    boolean hushed;

    /** How long ago data last came in on a channel, at the least, nanoseconds; {@link #UNTOLD} where nobody tells. */
    ToLongFunction<Channel> lastData = channel -> UNTOLD;

    private boolean resting;
    private MessageContract messageContract = new MessageContract(false, true, NOT_YET, NOT_YET, false, 1, false);
    private boolean echoesFollow;
    /** Devices of the run, those of other loops and processes included. */
    int devices = Integer.MAX_VALUE;

    /** When observation began; far in the future while it has not. */
    long observingFromNanos = NOT_YET;

    /** When observation ends; far in the future while that is not known. */
    long endsNanos = NOT_YET;

    private long outageUntilNanos = Long.MIN_VALUE;
    private long hinderedUntilNanos = Long.MIN_VALUE;
    private boolean goawayOrdered;
    private LoopStalls stalls = LoopStalls.none();
    private long cadenceMillis = -1;
    private @Nullable Cadence cadence;

    /**
     * Context of one event loop.
     *
     * @param seed decides all that is left to chance; the same for all loops of a run
     * @param number different for each loop, so that WebSocket masks differ
     */
    public LoopContext(
            NanoClock clock,
            DeviceDefaults deviceDefaults,
            long missedAfterNanos,
            long answerWithinNanos,
            Comeback comeback,
            DeviceObserver<D> observer,
            PacingLoop<D> schedule,
            long seed,
            int number) {
        this.clock = clock;
        this.deviceDefaults = deviceDefaults;
        this.missedAfterNanos = missedAfterNanos;
        this.answerWithinNanos = answerWithinNanos;
        this.comeback = comeback;
        this.observer = observer;
        this.schedule = schedule;
        this.seed = seed;
        this.writer = new WsWriter(seed + number);
    }

    /** What is pushed to the devices is told to it; before the first device connects. */
    public void pushesTo(PushSink<D> sink) {
        pushes = sink;
    }

    /** What devices send, and what of it is acknowledged, is told to it; before the first device connects. */
    public void uplinkTo(UplinkSink<D> sink) {
        uplink = sink;
    }

    /** Devices show what it makes, and the observer is told of that; before the first device connects. */
    public void credentials(Credentials maker, CredentialObserver<D> told) {
        credentials = maker;
        credentialObserver = told;
    }

    /** Whether the scenario kept the gateway from deciding, which said so. */
    public boolean undecided(int code, String detail, long calledNanos, long endedNanos) {
        boolean said = code == CloseCodes.AUTH_UNAVAILABLE || (code == CloseCodes.NONE && WsHandshake.isLater(detail));
        return said && credentials != null && credentials.isDisturbed(calledNanos, endedNanos);
    }

    /** From here on devices send no new messages; what was not acknowledged they still send again. */
    public void hush() {
        hushed = true;
    }

    /** From here on devices do nothing more of their own; they still answer. */
    public void rest() {
        resting = true;
    }

    /** Whether they do not. */
    public boolean resting() {
        return resting;
    }

    /** Observation ends at this time. */
    public void observeUntil(long nanos) {
        endsNanos = nanos;
    }

    /** Observation begins at this time: devices may fall silent, counted from here. */
    public void observeFrom(long nanos) {
        observingFromNanos = nanos;
        if (credentials != null) {
            credentials.observeFrom(nanos);
        }
    }

    /** Until this time connections may break through no fault of the gateway's code: the scenario sees to it. */
    public void outageUntil(long nanos) {
        outageUntilNanos = Math.max(outageUntilNanos, nanos);
    }

    /** Until this time a gateway stands still, or lacks what it speaks to: the scenario sees to it. No reason to close anybody. */
    public void hinderedUntil(long nanos) {
        hinderedUntilNanos = Math.max(hinderedUntilNanos, nanos);
    }

    /** From this time on a gateway that was hindered has to do what was due before. */
    public long hinderedUntilNanos() {
        return hinderedUntilNanos;
    }

    /** From here on the gateway may send devices away: the scenario has told it to. */
    public void orderGoaway() {
        goawayOrdered = true;
    }

    /** Whether it may. */
    public boolean goawayOrdered() {
        return goawayOrdered;
    }

    /** From here on it is known what this loop could not see. */
    public void watchedBy(LoopStalls watch) {
        stalls = watch;
    }

    /** From here on this tells how long ago data came in; before that nothing does. */
    public void dataToldBy(ToLongFunction<Channel> age) {
        lastData = age;
    }

    /** What this loop could not see; nothing where nobody watches it. */
    public LoopStalls stalls() {
        return stalls;
    }

    /** Whether a connection that breaks at this time may have been broken by the scenario. */
    public boolean inOutage(long nanos) {
        return nanos <= outageUntilNanos;
    }

    /** What the gateway is held to about messages, and the devices of the run, between which none is lost; before the first device connects. */
    public void messageContract(MessageContract contract, int inAll) {
        messageContract = contract;
        devices = inAll;
    }

    /** What it is held to. */
    public MessageContract messageContract() {
        return messageContract;
    }

    /** A message came back behind its acknowledgement. */
    void echoFollowed() {
        echoesFollow = true;
    }

    /** Whether messages of any device of this loop did. */
    public boolean echoesFollow() {
        return echoesFollow;
    }

    /** Of this span the time in which the generator itself may have heard nothing: no answer is late for that. */
    public long stoodStillNanos(long fromNanos, long toNanos) {
        return stalls.own(fromNanos, toNanos);
    }

    /** The next time on or after this one at which a slot begins. */
    public long roundUp(long nanos) {
        long step = deviceDefaults.stepNanos();
        return nanos + Math.floorMod(-nanos, step);
    }

    /** The cadence for a granted interval; nearly always the one asked for last, so one object serves all devices. */
    Cadence cadence(long grantedMillis) {
        Cadence known = cadence;
        if (known == null || cadenceMillis != grantedMillis) {
            known = deviceDefaults.cadence(grantedMillis);
            cadence = known;
            cadenceMillis = grantedMillis;
        }
        return known;
    }
}

package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.DeviceObserver;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.client.LoopContext;
import io.heartwheel.loadgen.client.MessageFault;
import io.heartwheel.loadgen.client.MessageTracker;
import io.heartwheel.loadgen.client.PacingLoop;
import io.heartwheel.loadgen.client.Takeover;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Oracle;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.LoopStalls;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.scenario.Auth;
import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times of what the devices of one event loop saw. Owned by that loop; read and added up on the loop's thread, so nothing here
 * needs a lock. Timings go to {@code recent} and are folded into {@code total} at each snapshot.
 */
final class Recorder implements DeviceObserver<Device> {

    private static final long MILLI = 1_000_000L;
    /** Shorter ones are how a machine is that has something to do. */
    private static final long WORTH_TELLING_NANOS = 20 * MILLI;

    final Contract contract;
    final NanoClock clock;
    final LoopStalls stalls;
    private final Ledger total = new Ledger();
    final Ledger recent = new Ledger();
    private final FaultLog faults = new FaultLog();
    private @Nullable LoopContext<Device> loopContext;
    private @Nullable AuthRecorder auth;
    private IntFunction<String> names = String::valueOf;
    private long settled;
    private long lastWelcomeNanos;
    private long coldUntilNanos = Long.MIN_VALUE;
    private long crowdFromNanos = Long.MAX_VALUE;
    private final LongSummaryStatistics grantedMillis = new LongSummaryStatistics();

    Recorder(Contract contract, NanoClock clock, LoopStalls stalls) {
        this.contract = contract;
        this.clock = clock;
        this.stalls = stalls;
    }

    /**
     * Context of the devices of its loop, whom it judges.
     *
     * @param defaults of its devices
     * @param wireIds names of all devices by their numbers, those of other loops too
     */
    LoopContext<Device> context(
            Scenario scenario,
            DeviceDefaults defaults,
            PacingLoop<Device> schedule,
            int number,
            IntFunction<String> wireIds) {
        LoopContext<Device> made = new LoopContext<>(
                clock,
                defaults,
                contract.missedAfterNanos(),
                contract.answerWithinNanos(),
                scenario.comeback(),
                this,
                schedule,
                scenario.seed(),
                number);
        made.watchedBy(stalls);
        made.messageContract(contract.messages(), scenario.clients());
        loopContext = made;
        names = wireIds;
        return made;
    }

    /** In a run with credentials; the one who is told of them. */
    AuthRecorder judgeCredentials(Auth settings) {
        AuthRecorder made = new AuthRecorder(this, settings);
        auth = made;
        return made;
    }

    /**
     * From now on timing counts; what is counted by the piece, and connecting, always did.
     *
     * @param coldUntil end of the warm-up, on the run's clock
     * @param crowd when a crowd begins to come
     */
    void observe(long coldUntil, long crowd) {
        coldUntilNanos = coldUntil;
        crowdFromNanos = crowd;
        fold();
        total.of(Timing.ROUND_TRIP_RAMP).add(total.of(Timing.ROUND_TRIP));
        Set<Timing> observed = EnumSet.range(Timing.ROUND_TRIP, Timing.ECHO_ROUND_TRIP_UNCORRECTED);
        observed.addAll(List.of(Timing.PACING, Timing.STALL));
        observed.remove(Timing.ROUND_TRIP_RAMP);
        observed.forEach(timing -> total.of(timing).reset());
    }

    // ---- reading

    /** Adds the counts so far and the timings since the last snapshot to a sum; on the loop's thread. */
    void snapshot(Ledger sum) {
        sum.addCounts(total);
        sum.addTimings(recent);
        fold();
    }

    /** Adds all of it to a sum; on the loop's thread. */
    void addTo(Ledger sum) {
        fold();
        sum.add(total);
    }

    private void fold() {
        total.addTimings(recent);
        recent.resetTimings();
    }

    List<GatewayFault> evidence() {
        return faults.faults();
    }

    /** Intervals granted. */
    LongSummaryStatistics grantedMillis() {
        return grantedMillis;
    }

    /** Connections begun that have come to something. */
    long settled() {
        return settled;
    }

    /** When a device was last welcomed; 0 before the first. */
    long lastWelcomeNanos() {
        return lastWelcomeNanos;
    }

    Ledger ledger() {
        return total;
    }

    // ---- what the generator itself could not see

    /** The loop had stood still so long. */
    void stoodStill(long nanos) {
        if (nanos >= WORTH_TELLING_NANOS) {
            recent.time(Timing.STALL, nanos);
        }
    }

    /** How much of this time, which ends now, the loop could not see what had come. */
    long own(long fromNanos, long nowNanos) {
        return stalls.own(fromNanos, nowNanos);
    }

    /** A time that ends now, without what of it the loop could not see. */
    private long withoutOwn(long nanos) {
        long now = clock.nanos();
        return nanos - stalls.own(now - nanos, now);
    }

    // ---- the way up

    /** A connect is called, so much later than it was this device's turn. */
    void called(long lagNanos) {
        recent.time(Timing.START_LAG, lagNanos);
    }

    /** A connection that was begun has come to something. */
    void settle(Device device) {
        settled++;
        if (device.arrives()) {
            total.count(Count.ARRIVED);
        }
    }

    @Override
    public void timed(Timing timing, long nanos) {
        recent.time(timing, withoutOwn(nanos));
    }

    @Override
    public void opened(Device device, long sinceCalledNanos) {
        settle(device);
        total.count(Count.OPENED);
        lastWelcomeNanos = clock.nanos();
        long took = withoutOwn(sinceCalledNanos);
        recent.time(Timing.CONNECT, took);
        if (took > contract.welcomeWithinNanos() && !device.isReturning() && !excusedBefore(lastWelcomeNanos - took)) {
            long allowed = contract.welcomeWithinNanos() / MILLI;
            String late = took / MILLI + " ms after its connect; " + allowed + " ms are allowed";
            fault(Count.WELCOMED_LATE, GatewayFault.Kind.WELCOMED_LATE, device, late);
        }
        grantedMillis.accept(device.grantedMillis());
    }

    @Override
    public void refused(Device device, ConnectionEnd ending, int code, String detail) {
        settle(device);
        Takeover old = device.superseded();
        if (ending == ConnectionEnd.LEFT || failedHere(ending, detail)) {
            return;
        }
        if (device.dialect().contract().takenOver().accepts(ending, code) && old != null && !old.isJudged()) {
            total.count(Count.TAKEOVERS);
            wrongTakeover(device, old, code, "the newer connection was refused");
            return;
        }
        long handshake = device.dialect().contract().timeouts().handshakeNanos();
        if (Oracle.wasWaitedFor(code, device.firstWordNanos(), handshake)) {
            fault(Count.OWN_FAULTS, GatewayFault.Kind.OWN_FAULT, device, code, "its first word came too late");
            return;
        }
        total.count(Count.REFUSED);
        String why =
                code == CloseCodes.NONE ? (ending + " " + detail).strip() : FaultLog.codeText(device, ending, code);
        total.row(Result.REFUSALS, why, 1);
    }

    /** Whether its own machine had no socket for a connection; counted then. */
    boolean failedHere(ConnectionEnd ending, String detail) {
        return total.countIf(ending == ConnectionEnd.OWN_FAILURE, Count.OWN_FAILURES, Result.OWN_FAILURES, detail);
    }

    @Override
    public void turnedAway(Device device) {
        settle(device);
        total.count(Count.TURNED_AWAY);
    }

    @Override
    public void counted(Device device, Count what) {
        total.count(what);
    }

    @Override
    public void retryFailed(Device device, ConnectionEnd ending, String detail) {
        settle(device);
        total.count(Count.RETRIES_FAILED);
        failedHere(ending, detail);
    }

    @Override
    public void recovered(Device device, long afterNanos) {
        total.count(Count.RECOVERED);
        recent.time(Timing.RECOVERY, withoutOwn(afterNanos));
    }

    @Override
    public void returned(Device device, Comeback.Window window, long calledNanos, long welcomedNanos) {
        if (!window.given()) {
            return;
        }
        long own = own(device.calledNanos(), clock.nanos());
        switch (Oracle.judge(window, calledNanos, welcomedNanos - own, contract)) {
            case IN_WINDOW -> total.count(Count.BACK_IN_WINDOW);
            case EARLY -> total.count(Count.BACK_EARLY);
            case LATE -> {
                long late = (welcomedNanos - own - window.mostNanos()) / MILLI;
                fault(Count.BACK_LATE, GatewayFault.Kind.NOT_BACK, device, "let in " + late + " ms after its end");
            }
        }
    }

    @Override
    public void goaway(Device device) {
        total.count(Count.GOAWAYS);
        boolean ordered = contract.goawayAllowed() || (loopContext != null && loopContext.goawayOrdered());
        if (!ordered && device.expectedOutcome() == ExpectedOutcome.LIVE && !device.wasAskedToLeave()) {
            fault(Count.SENT_AWAY, GatewayFault.Kind.SENT_AWAY, device, "");
        }
    }

    // ---- heartbeats and messages

    @Override
    public void acted(Device device, long lagNanos) {
        recent.time(Timing.PACING, lagNanos);
    }

    @Override
    public void beatSent(Device device, long lagNanos) {
        total.count(Count.BEATS_SENT);
        recent.time(Timing.PACING, lagNanos);
    }

    @Override
    public void beatAnswered(Device device, long sinceIntendedNanos, long sinceSentNanos) {
        total.count(Count.BEATS_ANSWERED);
        long nowNanos = clock.nanos();
        Timing intended = nowNanos < coldUntilNanos
                ? Timing.ROUND_TRIP_COLD
                : nowNanos < crowdFromNanos ? Timing.ROUND_TRIP : Timing.ROUND_TRIP_CROWD;
        recent.time(intended, withoutOwn(sinceIntendedNanos));
        if (sinceSentNanos >= 0) {
            recent.time(Timing.ROUND_TRIP_UNCORRECTED, sinceSentNanos);
        }
    }

    @Override
    public void answeredLate(Device device, String detail) {
        fault(Count.BEATS_LATE, GatewayFault.Kind.ANSWERED_LATE, device, detail);
    }

    /** Whether what began then may have been held up by the scenario. */
    boolean excusedBefore(long nanos) {
        return loopContext != null && loopContext.inOutage(nanos);
    }

    /** Until then, since a gateway has not been kept by the scenario from doing what was due. */
    private long sinceHindered(long nanos) {
        long until = loopContext == null ? Long.MIN_VALUE : loopContext.hinderedUntilNanos();
        return until == Long.MIN_VALUE ? Long.MAX_VALUE : nanos - until;
    }

    /** Whether the scenario kept the gateway from deciding about a device, which said so. */
    boolean undecided(Device device, int code, String detail) {
        return loopContext != null && loopContext.undecided(code, detail, device.calledNanos(), device.endedNanos());
    }

    /** What its credential has to do with its being there at the end. */
    void atEnd(Device device, long nowNanos) {
        if (auth != null) {
            auth.atEnd(device, nowNanos);
        }
    }

    @Override
    public void unanswered(Device device, int many, boolean proven, String detail) {
        total.count(Count.BEATS_UNANSWERED, many);
        total.count(Count.BEATS_PASSED_OVER, proven ? many : 0);
        total.count(Count.DEVICES_UNANSWERED, device.firstUnanswered() ? 1 : 0);
        note(GatewayFault.Kind.UNANSWERED, device, CloseCodes.NONE, detail);
    }

    @Override
    public void probed(Device device) {
        total.count(device.expectedOutcome() == ExpectedOutcome.LIVE ? Count.PROBES_TO_LIVE : Count.PROBES_TO_SILENT);
    }

    @Override
    public void message(Device device, MessageTracker.Fact fact) {
        if (fact.count != null) {
            total.count(fact.count);
        }
        boolean excused = fact == MessageTracker.Fact.REFUSED && excusedBefore(clock.nanos());
        total.count(Count.DATA_REFUSED_EXCUSED, excused ? 1 : 0);
        total.count(Count.DATA_UNASKED, fact == MessageTracker.Fact.SENT_UNASKED ? 1 : 0);
    }

    @Override
    public void messageFault(Device device, MessageFault what, long number, String detail) {
        total.count(what.count());
        GatewayFault.Kind kind = what.isAbsent() ? GatewayFault.Kind.MESSAGE_ABSENT : GatewayFault.Kind.MESSAGES;
        note(kind, device, CloseCodes.NONE, number, detail);
        if (what.isAbsent()) {
            total.row(Result.ABSENT_MESSAGES + what.count().label(), device.wireId() + " " + number, 1);
        }
    }

    @Override
    public void misdelivered(Device device, int owner, int number) {
        String sender = names.apply(owner);
        total.row(Result.MISDELIVERED_MESSAGES, sender + " " + number, 1);
        String detail = "message " + number + " of " + sender + " came here";
        fault(Count.DATA_MISDELIVERED, GatewayFault.Kind.MISDELIVERED, device, detail);
    }

    @Override
    public void violated(Device device, String detail) {
        fault(Count.VIOLATIONS, GatewayFault.Kind.WIRE_BROKEN, device, detail);
    }

    /** Counts so many, with one piece of evidence. */
    void fault(Count what, int many, GatewayFault.Kind kind, Device device, String text, Object... values) {
        total.count(what, many);
        note(kind, device, CloseCodes.NONE, String.format(Locale.ROOT, text, values));
    }

    void fault(Count what, GatewayFault.Kind kind, Device device, String detail) {
        fault(what, kind, device, CloseCodes.NONE, detail);
    }

    void fault(Count what, GatewayFault.Kind kind, Device device, int code, String detail) {
        total.count(what);
        note(kind, device, code, detail);
    }

    // ---- what becomes of connections

    @Override
    public void closeExpected(Device device, ExpectedOutcome expectedOutcome) {
        total.count(Count.CONDEMNED, expectedOutcome.closeDue() ? 1 : 0);
        if (!device.isOpen()) {
            settle(device);
        }
    }

    @Override
    public void missed(Device device) {
        fault(Count.MISSED_KILLS, GatewayFault.Kind.NEVER_CLOSED, device, "it was taken for alive after its deadline");
    }

    @Override
    public void tookOver(Device device, Takeover old) {
        total.count(Count.TAKEOVERS);
        if (old.isUnreachable()) {
            // Nobody will see the end of it.
            total.count(Count.ENDED);
        } else if (old.hasEnded()) {
            takeover(device, old);
        }
    }

    @Override
    public void predecessorEnded(Device device, Takeover old, ConnectionEnd ending, int code) {
        if (old.isUnreachable()) {
            return;
        }
        total.count(Count.ENDED);
        if (old.isSucceeded()) {
            takeover(device, old);
        }
    }

    /** Both have happened: the newer connection was welcomed, the older one is over. */
    private void takeover(Device device, Takeover old) {
        if (old.isJudged()) {
            return;
        }
        if (old.isTakenOver() || device.dialect().contract().takenOver().isNone()) {
            long after = Math.max(0, old.endedNanos() - old.succeededNanos());
            long took = after - stalls.own(old.endedNanos() - after, old.endedNanos());
            recent.time(Timing.TAKEOVER, took);
            if (Math.min(took, sinceHindered(old.endedNanos())) > contract.missedAfterNanos()
                    && !excusedBefore(old.succeededNanos())) {
                total.count(Count.TAKEOVERS_LATE);
                String late = "the older connection was closed only after " + took / MILLI + " ms";
                wrongTakeover(device, old, old.code(), late);
            } else {
                old.judge();
                total.count(Count.TAKEOVERS_RIGHT);
            }
        } else if (excusedBefore(old.endedNanos())) {
            old.judge(); // what the scenario stopped just then tells nobody why
        } else {
            ConnectionEnd ending = old.ending();
            String seen = ending == null ? "no end" : FaultLog.codeText(device, ending, old.code());
            String due = device.dialect().contract().takenOver().text();
            wrongTakeover(device, old, old.code(), "the older connection ended with " + seen + ", due is " + due);
        }
    }

    /** Each takeover is judged once. */
    void wrongTakeover(Device device, Takeover old, int code, String detail) {
        old.judge();
        fault(Count.TAKEOVERS_WRONG, GatewayFault.Kind.TAKEOVER, device, code, detail);
    }

    @Override
    public void ended(Device device, ConnectionEnd ending, int code, String detail) {
        boolean welcomed = device.expectedOutcome() != ExpectedOutcome.UNLIMITED || device.grantedMillis() > 0;
        total.count(Count.ENDED, welcomed && device.expectedOutcome() != ExpectedOutcome.UNGREETED ? 1 : 0);
        underWay(device);
        if (device.behaviour().sharedId() >= 0
                && device.dialect().contract().takenOver().accepts(ending, code)) {
            total.count(Count.TAKEOVERS);
            total.count(Count.TAKEOVERS_RIGHT);
            return;
        }
        if ((auth != null && auth.ended(device, ending, code)) || ending == ConnectionEnd.LEFT) {
            return;
        }
        if (ending == ConnectionEnd.VIOLATION) {
            // The device hung up: what the gateway would have done about its silence nobody knows.
            total.count(Count.BROKEN_OFF, device.expectedOutcome().closeDue() ? 1 : 0);
            return;
        }
        total.row(Result.CLOSES + device.expectedOutcome().label(), FaultLog.codeText(device, ending, code), 1);
        Takeover old = device.superseded();
        if (device.expectedOutcome() == ExpectedOutcome.UNLIMITED) {
            return;
        }
        if (device.expectedOutcome() == ExpectedOutcome.UNDECIDED) {
            total.count(Count.LOST);
        } else if (excused(device, code)) {
            // Of those who broke their promise each must be accounted for once, so they are not among the lost.
            boolean live = !device.expectedOutcome().closeDue();
            total.count(live ? Count.LOST : Count.EXCUSED);
            total.count(Count.LOST_UNTOLD, live && !device.wasAskedToLeave() ? 1 : 0);
        } else if (device.expectedOutcome() == ExpectedOutcome.LIVE
                && device.dialect().contract().takenOver().accepts(ending, code)
                && old != null
                && device.tookOver()
                && !old.isJudged()) {
            wrongTakeover(device, old, code, "the newer connection was closed");
        } else {
            judged(device, FaultLog.close(device, ending, code, stalls, contract), detail);
        }
    }

    /** What should have been answered before the connection ended does not come any more; what the scenario broke is excused. */
    private void underWay(Device device) {
        device.judgeMissing(device.endedNanos());
        boolean owed = device.isOwed() || device.expectedOutcome() == ExpectedOutcome.LEAVING;
        int overdue = owed && !excusedBefore(device.endedNanos()) ? device.overdueAtItsEnd() : 0;
        if (overdue > 0) {
            unanswered(device, overdue, false, overdue + " heartbeats when the connection ended");
        }
        total.count(Count.BEATS_OPEN, device.openBeats() - overdue);
    }

    /** Whether the scenario, or a GOAWAY, accounts for the loss of a connection; a verdict of silence it never does. */
    private boolean excused(Device device, int code) {
        boolean idle = device.dialect().contract().meansIdle(code);
        return !idle && (excusedBefore(device.endedNanos()) || device.wasAskedToLeave());
    }

    private void judged(Device device, Oracle.Close close, String detail) {
        String seen = close.ending() + " " + detail;
        int code = close.code();
        switch (Oracle.judge(close, contract)) {
            case DETECTED -> {
                total.count(Count.DETECTED);
                lateness(close);
                if (close.isTimed() && close.latenessNanos() > contract.latenessMaxNanos()) {
                    note(GatewayFault.Kind.CLOSED_LATE, device, code, close.latenessText());
                }
            }
            case MISSED -> {
                total.count(Count.CLOSED_AFTER_MISSED);
                lateness(close);
                String text = close.latenessText() + ", " + seen;
                fault(Count.MISSED_KILLS, GatewayFault.Kind.CLOSED_LATE, device, code, text);
            }
            case WRONG_CODE -> {
                lateness(close);
                fault(Count.WRONG_CODES, GatewayFault.Kind.WRONG_CODE, device, code, seen);
            }
            case EARLY -> fault(Count.FALSE_KILLS, GatewayFault.Kind.CLOSED_EARLY, device, code, seen);
            case FALSE_KILL -> fault(Count.FALSE_KILLS, GatewayFault.Kind.LIVE_CLOSED, device, code, seen);
            case OWN_FAULT -> fault(Count.OWN_FAULTS, GatewayFault.Kind.OWN_FAULT, device, code, detail);
        }
        if (device.expectedOutcome() == ExpectedOutcome.VANISHED && !device.isFinished()) {
            total.count(Count.LOST);
        }
    }

    private void lateness(Oracle.Close close) {
        if (close.isTimed()) {
            recent.time(Timing.LATENESS_AS_SEEN, close.seenLatenessNanos());
            long limit = contract.latenessLimitNanos();
            boolean excused = close.seenLatenessNanos() > limit && close.latenessNanos() <= limit;
            total.count(Count.LATENESS_EXCUSED, excused ? 1 : 0);
        }
        switch (close.expectedOutcome()) {
            case SILENT -> recent.time(Timing.LATENESS, close.latenessNanos());
            case UNGREETED -> recent.time(Timing.LATENESS_HANDSHAKE, close.latenessNanos());
            case DRIPPING -> recent.time(Timing.LATENESS_PROGRESS, close.latenessNanos());
            default -> {
                // When the deadline of a device that sits in the dark or does not read passed, only the gateway knows.
            }
        }
    }

    void note(GatewayFault.Kind kind, Device device, int code, String detail) {
        note(kind, device, code, 0, detail);
    }

    private void note(GatewayFault.Kind kind, Device device, int code, long message, String detail) {
        faults.add(kind, device, clock.nanos(), code, message, detail);
    }
}

package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.client.Takeover;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.Locale;

/**
 * Check of all devices at the end of the observed time, before anybody is dismissed: who should be gone and is not, who should
 * have been answered and was not. Of one event loop, on its thread.
 */
final class FinalCheck {

    /** Nobody welcomed for so many times as long as an answer may take: the gateway is not slow but has stopped. */
    private static final int STOPPED = 10;

    private static final long LEAST_STOPPED_NANOS = 3_000_000_000L;

    private final long nowNanos;
    private final long awakeSinceNanos;
    private final Contract contract;
    private final Recorder recorder;
    private final Ledger ledger;

    /** @param awakeSinceNanos since when the loop has done its work without a standstill of its own */
    FinalCheck(long nowNanos, long awakeSinceNanos, Contract contract, Recorder recorder) {
        this.nowNanos = nowNanos;
        this.awakeSinceNanos = awakeSinceNanos;
        this.contract = contract;
        this.recorder = recorder;
        this.ledger = recorder.ledger();
    }

    void inspect(Device device) {
        if (device.isClosing()) {
            if (since(device.endedNanos()) > contract.missedAfterNanos()) {
                ledger.count(Count.LEFT_OPEN);
                recorder.note(GatewayFault.Kind.LEFT_OPEN, device, CloseCodes.NONE, "");
            }
        } else if (device.expectedOutcome().closeDue() && !device.isGone()) {
            condemned(device);
        } else if (device.isWaiting() && device.expectedOutcome() != ExpectedOutcome.UNLIMITED) {
            // one that has just come back has not been left standing
            if (since(device.calledNanos()) > contract.welcomeWithinNanos()) {
                ledger.count(Count.WAITING);
                stopped(device);
            }
        } else if (device.isOpen() && device.expectedOutcome() == ExpectedOutcome.LIVE) {
            live(device);
        }
        if (since(device.expectedByNanos()) > contract.answerWithinNanos()) {
            recorder.fault(Count.BACK_NEVER, GatewayFault.Kind.NOT_BACK, device, "it never came in");
        }
        beats(device);
        ledger.count(Count.DATA_UNKNOWN, device.judgeMessages(nowNanos));
        succession(device);
        recorder.atEnd(device, nowNanos);
    }

    /** Whether it waits at a gateway that has welcomed nobody for long. */
    private void stopped(Device device) {
        long since = Math.max(awakeSinceNanos, Math.max(device.calledNanos(), recorder.lastWelcomeNanos()));
        long limit = Math.max(LEAST_STOPPED_NANOS, STOPPED * contract.answerWithinNanos());
        if (!device.hasArrived() && nowNanos - since > limit) {
            ledger.count(Count.NEVER_WELCOMED);
            ledger.count(Count.ACCEPTED_ONLY, device.isGreeting() ? 1 : 0);
            recorder.note(
                    GatewayFault.Kind.NOT_WELCOMED,
                    device,
                    CloseCodes.NONE,
                    device.isGreeting() ? "accepted, and then nothing" : "not even accepted");
        }
    }

    /** How long ago that was, without what the generator itself could not see since. */
    private long since(long nanos) {
        return nanos >= nowNanos ? nowNanos - nanos : nowNanos - nanos - recorder.own(nanos, nowNanos);
    }

    private long sinceDeadline(Device device) {
        long late = since(device.deadlineNanos());
        return late <= 0 ? late : late - FaultLog.ownBefore(device, recorder.stalls);
    }

    /** What was due before this must have been answered. */
    private long patienceNanos() {
        long due = nowNanos - contract.answerWithinNanos();
        return due - recorder.own(due, nowNanos);
    }

    private void condemned(Device device) {
        // One that vanished tells nothing before it was asked after; that is its last frame, and then moves its
        // deadline.
        if (!device.isUnreachable() && sinceDeadline(device) > contract.missedAfterNanos()) {
            ledger.count(Count.MISSED_KILLS);
            recorder.note(GatewayFault.Kind.NEVER_CLOSED, device, CloseCodes.NONE, "");
        } else {
            ledger.count(Count.UNJUDGED);
            double deadline = device.deadlineNanos() / 1e9;
            double unseen = (nowNanos - device.deadlineNanos() - sinceDeadline(device)) / 1e9;
            String why = String.format(
                    Locale.ROOT, "deadline at %.3f s, of the time since excused %.3f s", deadline, unseen);
            recorder.note(GatewayFault.Kind.UNWATCHED, device, CloseCodes.NONE, why);
        }
    }

    /** Of one that is still connected; of others their end has told. */
    private void beats(Device device) {
        if (device.isOpen()) {
            device.judgeMissing(nowNanos);
            int unanswered = device.isOwed() ? device.overdueAnswers(patienceNanos()) : 0;
            if (unanswered > 0) {
                recorder.unanswered(device, unanswered, false, unanswered + " heartbeats at the end");
            }
            ledger.count(Count.BEATS_OPEN, device.openBeats() - unanswered);
        }
    }

    private void live(Device device) {
        ledger.count(Count.LIVE_AT_END);
        if (device.behaviour().endsInClose()) {
            ledger.count(Count.UNJUDGED);
        }
    }

    private void succession(Device device) {
        Takeover old = device.superseded();
        if (old == null || old.isJudged() || !old.isSucceeded()) {
            return;
        }
        if (old.isUnreachable() || device.dialect().contract().takenOver().isNone()) {
            // That nobody closed the newer one is all that can be seen of it, or all that was promised.
            old.judge();
            ledger.count(Count.TAKEOVERS_RIGHT);
        } else if (since(old.succeededNanos()) > contract.missedAfterNanos()) {
            recorder.wrongTakeover(device, old, CloseCodes.NONE, "the older connection was never closed");
        }
    }
}

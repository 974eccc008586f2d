package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Scenario;

/** Comparison of the server's answers to pushes that are waited for with what their devices know. Owned by the devices' event loop. */
final class PushAnswers {

    private static final double MILLI = 1e6;
    private static final long NANOS_OF_A_MILLI = 1_000_000L;

    private final long seed;
    private final long warmUpNanos;
    private final Recorder recorder;
    /** The caller's clock; 0: nobody has pushed yet. */
    private long coldUntilNanos;

    PushAnswers(Scenario scenario, Recorder recorder) {
        this.seed = scenario.seed();
        this.warmUpNanos = scenario.coldUntilNanos();
        this.recorder = recorder;
    }

    /** Whether a push of that time, by its caller's clock, meets cold code. */
    boolean isCold(long intendedNanos) {
        if (coldUntilNanos == 0) {
            coldUntilNanos = intendedNanos + warmUpNanos;
        }
        return intendedNanos - coldUntilNanos < 0;
    }

    private void fault(Count what, Device device, String text, Object... values) {
        recorder.fault(what, 1, GatewayFault.Kind.PUSHES, device, text, values);
    }

    /**
     * A push was called.
     *
     * @param excuse of the call, if it failed
     */
    void count(Downlink downlink, PushOutcome outcome, GatewayOutages.Excuse excuse) {
        Ledger ledger = recorder.ledger();
        ledger.count(Count.PUSHES_CALLED);
        recorder.timed(Timing.PACING, outcome.lagNanos());
        recorder.timed(Timing.PUSH_WAIT, outcome.calledNanos() - outcome.intendedNanos());
        if (outcome.ask() == Acks.Ask.NOTHING) {
            timedCall(outcome);
        }
        PushOutcome.Said said = outcome.said();
        ledger.count(Count.PUSHES_ACCEPTED, said == PushOutcome.Said.ACCEPTED ? 1 : 0);
        ledger.count(Count.PUSHES_ACKNOWLEDGED, said == PushOutcome.Said.ACKNOWLEDGED ? 1 : 0);
        ledger.count(Count.PUSHES_EXPIRED, said == PushOutcome.Said.EXPIRED ? 1 : 0);
        ledger.count(Count.PUSHES_QUEUED, said == PushOutcome.Said.QUEUED ? 1 : 0);
        boolean excused = said == PushOutcome.Said.FAILED && excuse == GatewayOutages.Excuse.YES;
        ledger.count(Count.PUSHES_FAILED_EXCUSED, excused ? 1 : 0);
        boolean failed = said == PushOutcome.Said.FAILED && excuse == GatewayOutages.Excuse.NO;
        answer(failed, Count.PUSHES_FAILED, outcome.answer());
        boolean absent = said == PushOutcome.Said.ABSENT && downlink.toAll();
        boolean contradicted = said == PushOutcome.Said.CONTRADICTED && downlink.toAll();
        answer(contradicted, Count.PUSHES_CONTRADICTED, outcome.answer());
        answer(said == PushOutcome.Said.REFUSED || absent, Count.PUSHES_REFUSED, outcome.answer());
    }

    private void answer(boolean when, Count how, String answer) {
        recorder.ledger().countIf(when, how, Result.PUSH_ANSWERS, answer);
    }

    /** From the call to its answer, by what was asked for. */
    void timedCall(PushOutcome outcome) {
        Timing timing =
                switch (outcome.ask()) {
                    case NOTHING, SENT -> Timing.PUSH_CALL;
                    case RECEIVED -> Timing.PUSH_CALL_RECEIVED;
                    case DEVICE -> Timing.PUSH_CALL_DEVICE;
                    case STORED -> Timing.PUSH_CALL_STORED;
                };
        recorder.timed(
                isCold(outcome.intendedNanos()) ? Timing.PUSH_CALL_COLD : timing,
                outcome.answeredNanos() - outcome.calledNanos());
    }

    /** By the server's word, or by how it came before. */
    boolean named(Device device, PushLog.Item item, long id, int sequence) {
        boolean same = id == 0 || item.id == 0 || item.id == id;
        if (!same) {
            String text = "push %d has two ids, %s and %s";
            fault(Count.PUSHES_RENAMED, device, text, sequence, unsigned(item.id), unsigned(id));
        }
        item.id = item.id == 0 ? id : item.id;
        return same;
    }

    private static String unsigned(long id) {
        return Long.toUnsignedString(id);
    }

    void proven(Device device, PushLog log, Acks settings, PushOutcome outcome, long called, long answered) {
        PushLog.Item item = log.item(outcome.sequence());
        switch (outcome.said()) {
            case ACCEPTED -> {
                timedCall(outcome);
                if (item.arrivals > 1) {
                    fault(Count.PUSHES_DOUBLED, device, "push %d again (%s)", outcome.sequence(), outcome.answer());
                }
            }
            case QUEUED -> timedCall(outcome);
            case ACKNOWLEDGED -> acknowledged(device, item, settings, outcome, answered);
            case EXPIRED -> {
                item.toldNanos = answered;
                expired(device, log, item, called + settings.timeoutNanos(), outcome, called, answered);
            }
            case CONTRADICTED -> {
                String text = "push %d had two answers under one key: %s";
                fault(Count.PUSHES_CONTRADICTED, device, text, outcome.sequence(), outcome.answer());
            }
            case ABSENT, REFUSED, FAILED -> {
                return;
            }
        }
        named(device, item, outcome.messageId(), outcome.sequence());
    }

    private void acknowledged(
            Device device, PushLog.Item item, Acks settings, PushOutcome outcome, long answeredNanos) {
        boolean byDevice = outcome.ask() == Acks.Ask.DEVICE;
        String unproven = item.arrivals == 0
                ? "had not come"
                : byDevice && item.acknowledgedNanos > answeredNanos ? "its device had not said so" : "";
        if (!unproven.isEmpty()) {
            String text = "push %d was told as delivered (%s) and " + unproven;
            fault(Count.PUSHES_UNPROVEN, device, text, outcome.sequence(), outcome.answer());
            return;
        }
        item.toldNanos = answeredNanos;
        Acks.Reply reply = settings.reply(seed, device.index(), outcome.sequence());
        boolean prompt = reply == Acks.Reply.PROMPT || reply == Acks.Reply.TWICE;
        if (item.arrivals == 1 && (prompt || !byDevice)) {
            timedCall(outcome);
        }
    }

    private void expired(
            Device device,
            PushLog log,
            PushLog.Item item,
            long deadlineNanos,
            PushOutcome outcome,
            long calledNanos,
            long answeredNanos) {
        long allowed = Math.min(recorder.contract.answerWithinNanos(), (deadlineNanos - calledNanos) / 2);
        boolean byDevice = outcome.ask() == Acks.Ask.DEVICE;
        long done = item.arrivals == 0 ? calledNanos : byDevice ? item.acknowledgedNanos : item.firstNanos;
        if (answeredNanos < deadlineNanos - NANOS_OF_A_MILLI) {
            double early = (deadlineNanos - answeredNanos) / MILLI;
            expiredWrong(device, outcome, "%.0f ms before its time", early);
        } else if (log.listened(calledNanos, deadlineNanos)
                && !device.expectedOutcome().quiet()
                && done != PushLog.OPEN
                && done + allowed + recorder.own(done, recorder.clock.nanos()) < deadlineNanos) {
            String what = item.arrivals == 0
                    ? "it never came to its device, which was there for %.0f ms"
                    : (byDevice ? "acknowledged" : "read") + " %.0f ms before";
            expiredWrong(device, outcome, "though " + what, (deadlineNanos - done) / MILLI);
        }
    }

    private void expiredWrong(Device device, PushOutcome outcome, String why, double millis) {
        fault(Count.PUSHES_EXPIRED_WRONG, device, "push %d expired " + why, outcome.sequence(), millis);
    }
}

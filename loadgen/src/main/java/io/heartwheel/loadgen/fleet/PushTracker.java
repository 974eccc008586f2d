package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.client.PushSink;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.wire.PushMessage;
import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of the messages that reached the devices of one event loop with those pushed to them and the server's responses. Owned
 * by that loop. Times are nanoseconds since the run began.
 *
 * <p>A message says itself when it was meant to be pushed, to whom, and which one it is, so what is doubled, changed or for
 * somebody else shows at once. That one is lost shows only with the server's word for it, which comes in reports. Nothing
 * is lost or late because this loop did not come to reading it: a message is missed only when a report was taken in after
 * its time and another one before now, so that the loop has looked into its sockets in between.
 */
final class PushTracker implements PushSink<Device> {

    private static final double MILLI = 1e6;

    private final Downlink downlink;
    private final Recorder recorder;
    private final Ledger ledger;
    private final BitSet recipients;
    private final byte[] marker;
    private final LoopDevices devices;
    /** Of each device since when it listens; or, less 1 and below 0, since when it does not. */
    private final long[] since;

    private final IntObjectHashMap<PushLog> logs = new IntObjectHashMap<>();

    private long shiftNanos;
    private long latestTurnNanos = Long.MIN_VALUE;
    /** What was in a socket by now has been read since. */
    private long safeNanos = Long.MIN_VALUE;

    /** Of devices none of which is connected yet. */
    PushTracker(Downlink downlink, Recorder recorder, BitSet recipients, LoopDevices devices) {
        this.downlink = downlink;
        this.recorder = recorder;
        this.ledger = recorder.ledger();
        this.recipients = recipients;
        this.marker = PushMessage.marker(downlink.nonce());
        this.devices = devices;
        this.since = new long[devices.all.length];
        Arrays.fill(since, -1);
    }

    private PushLog log(int index) {
        PushLog log = logs.get(index);
        if (log == null) {
            long at = since[devices.local(index)];
            log = new PushLog(at >= 0, at >= 0 ? at : -1 - at);
            logs.put(index, log);
        }
        return log;
    }

    // ---- connections

    @Override
    public void startsReading(Device device) {
        long now = recorder.clock.nanos();
        since[devices.local(device)] = now;
        PushLog log = logs.get(device.index());
        if (log != null) {
            log.listens(now);
        }
    }

    @Override
    public void stopsReading(Device device) {
        int local = devices.local(device);
        if (since[local] < 0) {
            return;
        }
        long now = recorder.clock.nanos();
        since[local] = -1 - now;
        PushLog log = logs.get(device.index());
        if (log != null) {
            for (PushLog.Due each : log.deaf(now, safeNanos, recorder.contract.missedAfterNanos())) {
                if (!each.accepted()) {
                    ledger.count(Count.PUSHES_ABSENT);
                } else if (each.byNanos() > safeNanos) {
                    ledger.count(Count.PUSHES_EXCUSED);
                } else {
                    String text = "push %d (%s) had not come when the device left";
                    fault(Count.PUSHES_LATE, device, text, each.sequence(), each.answer());
                }
            }
        }
    }

    // ---- what comes

    @Override
    public boolean received(Device device, ByteBuf in, int at, int length) {
        PushMessage message = PushMessage.read(marker, in, at, length);
        if (message == null) {
            return false;
        }
        int sequence = message.sequence();
        boolean mine = message.recipient() == (downlink.toAll() ? PushMessage.ALL : device.index())
                && recipients.get(device.index())
                && sequence >= 1
                && sequence <= downlink.count();
        if (!message.intact()) {
            changed(device, message, mine);
        } else if (mine) {
            came(device, message);
        } else {
            int recipient = message.recipient();
            String whom = recipient == PushMessage.ALL ? "others" : "device number " + recipient;
            fault(Count.PUSHES_MISDELIVERED, device, "push %d to %s came here", sequence, whom);
        }
        return true;
    }

    private void changed(Device device, PushMessage message, boolean mine) {
        PushLog log = log(device.index());
        if (message.known() && mine && !log.hasCome(message.sequence())) {
            log.came(message.sequence());
            settle(log, message.sequence());
        } else {
            log.damaged();
        }
        fault(Count.PUSHES_CHANGED, device, "a push came with other bytes than it was sent with");
    }

    private void came(Device device, PushMessage message) {
        int sequence = message.sequence();
        PushLog log = log(device.index());
        PushLog.Arrival arrival = log.came(sequence);
        if (arrival == PushLog.Arrival.DOUBLED) {
            fault(Count.PUSHES_DOUBLED, device, "push %d twice", sequence);
            return;
        }
        long now = recorder.clock.nanos();
        ledger.count(Count.PUSHES_DELIVERED);
        recorder.timed(Timing.PUSH, Math.max(0, now - message.intendedNanos() - shiftNanos));
        if (arrival == PushLog.Arrival.DISORDERED) {
            disordered(device, sequence);
        }
        PushLog.Due due = settle(log, sequence);
        if (due != null && due.byNanos() < safeNanos) {
            double after = (now - due.calledNanos()) / MILLI;
            String text = "push %d came %.0f ms after it was called (%s)";
            fault(Count.PUSHES_LATE, device, text, sequence, after, due.answer());
        }
    }

    private static PushLog.@Nullable Due settle(PushLog log, int sequence) {
        PushLog.Due due = log.owed(sequence);
        if (due != null) {
            log.settle(due);
        }
        return due;
    }

    private void disordered(Device device, int sequence) {
        fault(Count.PUSHES_DISORDERED, device, "push %d after a later one", sequence);
    }

    private void fault(Count what, Device device, String text, Object... values) {
        recorder.fault(what, 1, GatewayFault.Kind.PUSHES, device, text, values);
    }

    // ---- what the server says

    /**
     * Takes a report in.
     *
     * @param shift from the clock of the one who pushes to the run's
     */
    void report(List<PushOutcome> outcomes, long shift) {
        safeNanos = latestTurnNanos;
        latestTurnNanos = recorder.clock.nanos();
        shiftNanos = shift;
        for (PushOutcome outcome : outcomes) {
            if (outcome.recipient() == PushMessage.ALL) {
                if (devices.isFirst()) {
                    count(outcome);
                }
                for (int i = 0; i < devices.all.length; i++) {
                    if (recipients.get(devices.index(i))) {
                        judge(devices.index(i), outcome);
                    }
                }
            } else if (devices.owns(outcome.recipient())) {
                count(outcome);
                judge(outcome.recipient(), outcome);
            }
        }
    }

    private void count(PushOutcome outcome) {
        ledger.count(Count.PUSHES_CALLED);
        recorder.timed(Timing.PACING, outcome.lagNanos());
        recorder.timed(Timing.PUSH_WAIT, outcome.calledNanos() - outcome.intendedNanos());
        recorder.timed(Timing.PUSH_CALL, outcome.answeredNanos() - outcome.calledNanos());
        PushOutcome.Said said = outcome.said();
        ledger.count(Count.PUSHES_ACCEPTED, said == PushOutcome.Said.ACCEPTED ? 1 : 0);
        answer(said == PushOutcome.Said.FAILED, Count.PUSHES_FAILED, outcome.answer());
        boolean absent = said == PushOutcome.Said.ABSENT && downlink.toAll();
        answer(said == PushOutcome.Said.REFUSED || absent, Count.PUSHES_REFUSED, outcome.answer());
    }

    private void answer(boolean when, Count how, String answer) {
        ledger.countIf(when, how, Result.PUSH_ANSWERS, answer);
    }

    private void judge(int index, PushOutcome outcome) {
        PushLog log = log(index);
        int sequence = outcome.sequence();
        boolean overtaken = log.reported(sequence);
        Device device = devices.all[devices.local(index)];
        long called = outcome.calledNanos() + shiftNanos;
        long answered = outcome.answeredNanos() + shiftNanos;
        if (outcome.said() == PushOutcome.Said.ACCEPTED) {
            if (log.hasCome(sequence)) {
                if (overtaken && device != null) {
                    disordered(device, sequence);
                }
            } else {
                accepted(device, log, outcome, called, answered);
            }
        } else if (outcome.said() == PushOutcome.Said.ABSENT && !downlink.toAll()) {
            absent(log, outcome, called, answered);
        }
    }

    private void accepted(@Nullable Device device, PushLog log, PushOutcome outcome, long called, long answered) {
        long by = answered + recorder.contract.answerWithinNanos();
        if (log.listened(called, by)) {
            log.owe(new PushLog.Due(outcome.sequence(), true, outcome.answer(), called, by));
        } else if (!downlink.toAll()
                && downlink.tellsAbsent()
                && log.wasDeaf(called - recorder.contract.answerWithinNanos(), answered)
                && device != null
                && wasGone(device)) {
            String text = "push %d was accepted (%s) though the device was not connected";
            fault(Count.PUSHES_TO_NOBODY, device, text, outcome.sequence(), outcome.answer());
        } else {
            ledger.count(Count.PUSHES_EXCUSED);
        }
    }

    /** Whether the server could know that it was not connected: it did not vanish, nor leave a connection behind. */
    private static boolean wasGone(Device device) {
        return device.expectedOutcome() != ExpectedOutcome.VANISHED
                && device.expectedOutcome() != ExpectedOutcome.UNDECIDED
                && device.superseded() == null;
    }

    private void absent(PushLog log, PushOutcome outcome, long called, long answered) {
        long by = answered + recorder.contract.answerWithinNanos();
        if (log.hasCome(outcome.sequence())) {
            answer(true, Count.PUSHES_REFUSED, outcome.answer() + " though it came");
        } else if (log.listened(called - recorder.contract.answerWithinNanos(), by)) {
            log.owe(new PushLog.Due(outcome.sequence(), false, outcome.answer(), called, by));
        } else {
            ledger.count(Count.PUSHES_ABSENT);
        }
    }

    // ---- the end

    /** What is still due is lost, if there was time enough for it. */
    void finish() {
        for (IntObjectMap.PrimitiveEntry<PushLog> entry : logs.entries()) {
            Device device = devices.all[devices.local(entry.key())];
            for (PushLog.Due due : entry.value().due()) {
                if (due.byNanos() > safeNanos || device == null) {
                    ledger.count(Count.PUSHES_UNJUDGED);
                } else if (due.accepted()) {
                    String text = "push %d was accepted (%s) and never came";
                    fault(Count.PUSHES_LOST, device, text, due.sequence(), due.answer());
                } else {
                    ledger.row(Result.PUSH_ANSWERS, due.answer() + " for a connected device", 1);
                    String text = "push %d was refused (%s) though the device was connected";
                    fault(Count.PUSHES_REFUSED, device, text, due.sequence(), due.answer());
                }
            }
        }
    }
}

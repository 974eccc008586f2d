package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.client.PushSink;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.scenario.Acks;
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
 * Comparison of the messages that reached the devices of one event loop, and of how they acknowledged them, with those pushed to them and
 * the server's responses. Owned by that loop. Times are nanoseconds since the run began.
 *
 * <p>A message says itself when it was meant to be pushed, to whom, and which one it is, so what is doubled, changed or for
 * somebody else shows at once. That one is lost shows only with the server's word for it, which comes in reports. Nothing
 * is lost or late because this loop did not come to reading it: a message is missed only when a report was taken in after
 * its time and another one before now, so that the loop has looked into its sockets in between.
 *
 * <p>What a report tells happened before, so whatever it claims of a message must have been seen here already.
 */
final class PushTracker implements PushSink<Device> {

    private static final double MILLI = 1e6;
    private static final long NANOS_OF_A_MILLI = 1_000_000L;

    private final Downlink downlink;
    private final @Nullable Acks acks;
    private final long seed;
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
    /** Calls from before are excused: the server is down by the scenario, or was just now. */
    private long outageUntilNanos = Long.MIN_VALUE;
    /** What was in a socket by now has been read since. */
    private long safeNanos = Long.MIN_VALUE;

    /** Of devices none of which is connected yet. */
    PushTracker(Downlink downlink, long seed, Recorder recorder, BitSet recipients, LoopDevices devices) {
        this.downlink = downlink;
        this.acks = downlink.acks();
        this.seed = seed;
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
    public boolean received(Device device, boolean here, long id, boolean ackWanted, ByteBuf in, int at, int length) {
        PushMessage message = PushMessage.read(marker, in, at, length);
        if (message == null) {
            return false;
        }
        int sequence = message.sequence();
        boolean mine = message.recipient() == (downlink.toAll() ? PushMessage.ALL : device.index())
                && recipients.get(device.index())
                && sequence >= 1
                && sequence <= downlink.count();
        if (mine && acks != null) {
            PushLog log = log(device.index());
            PushLog.Item item = log.item(sequence);
            if (item.arrivals > 0) {
                again(device, log, item, id, sequence);
            } else {
                first(device, log, item, id, message);
            }
            item.connection = here ? log.connections() : -1;
            item.arrivals++;
            item.refused = false;
            if (ackWanted) {
                reply(device, acks, item, id, sequence);
            }
            return true;
        }
        if (!message.intact()) {
            changed(device, message, mine);
        } else if (mine) {
            came(device, log(device.index()), message);
        } else {
            int recipient = message.recipient();
            String whom = recipient == PushMessage.ALL ? "others" : "device number " + recipient;
            fault(Count.PUSHES_MISDELIVERED, device, "push %d to %s came here", sequence, whom);
        }
        if (ackWanted) {
            device.acknowledge(id, 0);
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

    private void came(Device device, PushLog log, PushMessage message) {
        int sequence = message.sequence();
        PushLog.Arrival arrival = log.came(sequence);
        if (arrival == PushLog.Arrival.DOUBLED) {
            fault(Count.PUSHES_DOUBLED, device, "push %d twice", sequence);
            return;
        }
        long now = recorder.clock.nanos();
        ledger.count(Count.PUSHES_DELIVERED);
        long intended = message.intendedNanos() + shiftNanos;
        if (acks == null || log.listened(intended, now)) {
            recorder.timed(downlink.toAll() ? Timing.PUSH_TO_ALL : Timing.PUSH, Math.max(0, now - intended));
        }
        if (arrival == PushLog.Arrival.DISORDERED) {
            disordered(device, sequence);
        }
        PushLog.Kept kept = log.taken(sequence);
        if (kept != null && overdue(log, kept, now)) {
            double after = log.waited(kept, now) / MILLI;
            String text = "push %d came %.0f ms after its device was connected (%s)";
            fault(Count.PUSHES_LATE, device, text, sequence, after, kept.answer);
        }
        PushLog.Due due = settle(log, sequence);
        if (due != null && due.byNanos() < safeNanos) {
            double after = (now - due.calledNanos()) / MILLI;
            String text = "push %d came %.0f ms after it was called (%s)";
            fault(Count.PUSHES_LATE, device, text, sequence, after, due.answer());
        }
    }

    private boolean overdue(PushLog log, PushLog.Kept kept, long now) {
        long waited = log.waited(kept, now);
        return waited - recorder.own(now - waited, now) > downlink.withinNanos();
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

    // ---- what comes and is acknowledged

    private void first(Device device, PushLog log, PushLog.Item item, long id, PushMessage message) {
        item.firstNanos = recorder.clock.nanos();
        named(device, item, id, message.sequence());
        if (wasToldLongAgo(item)) {
            double after = (item.firstNanos - item.toldNanos) / MILLI;
            fault(Count.PUSHES_LATE, device, "push %d came %.0f ms after it had expired", message.sequence(), after);
        }
        if (message.intact()) {
            came(device, log, message);
        } else {
            changed(device, message, true);
        }
    }

    private boolean wasToldLongAgo(PushLog.Item item) {
        long now = recorder.clock.nanos();
        return item.toldNanos != PushLog.OPEN
                && now - item.toldNanos - recorder.own(item.toldNanos, now) > recorder.contract.answerWithinNanos();
    }

    /** By the server's word, or by how it came before. */
    private boolean named(Device device, PushLog.Item item, long id, int sequence) {
        boolean same = id == 0 || item.id == 0 || item.id == id;
        if (!same) {
            String text = "push %d has two ids, %s and %s";
            fault(Count.PUSHES_RENAMED, device, text, sequence, unsigned(item.id), unsigned(id));
        }
        item.id = item.id == 0 ? id : item.id;
        return same;
    }

    /** The same again is allowed on another connection and after a refusal, as long as nobody was told what came of it. */
    private void again(Device device, PushLog log, PushLog.Item item, long id, int sequence) {
        if (!named(device, item, id, sequence)) {
            return;
        }
        if (item.connection == log.connections() && !item.refused) {
            fault(Count.PUSHES_DOUBLED, device, "push %d twice", sequence);
        } else if (wasToldLongAgo(item)) {
            double after = (recorder.clock.nanos() - item.toldNanos) / MILLI;
            fault(Count.PUSHES_DOUBLED, device, "push %d again %.0f ms after its answer", sequence, after);
        } else if (log.leftNanos() - item.acknowledgedNanos > recorder.contract.answerWithinNanos()) {
            // else its ACK may have been lost with the connection
            double before = (log.leftNanos() - item.acknowledgedNanos) / MILLI;
            String text = "push %d again, which was acknowledged %.0f ms before that connection ended";
            fault(Count.PUSHES_DOUBLED, device, text, sequence, before);
        } else {
            ledger.count(Count.PUSHES_REPEATED);
        }
    }

    private static String unsigned(long id) {
        return Long.toUnsignedString(id);
    }

    private void reply(Device device, Acks settings, PushLog.Item item, long id, int sequence) {
        Acks.Reply reply = settings.reply(seed, device.index(), sequence);
        boolean again = item.arrivals > 1;
        switch (again && reply != Acks.Reply.NEVER ? Acks.Reply.PROMPT : reply) {
            case PROMPT -> acknowledge(device, item, id);
            case LATE -> device.later(settings.lateNanos(), () -> acknowledge(device, item, id));
            case TWICE -> {
                acknowledge(device, item, id);
                acknowledge(device, item, id);
            }
            case NEVER -> {}
            case REFUSE -> item.refused = device.acknowledge(id, 1);
            case LEAVE -> {
                if (!device.reconnect(Comeback.Window.NONE)) {
                    acknowledge(device, item, id);
                }
            }
        }
    }

    private void acknowledge(Device device, PushLog.Item item, long id) {
        long now = recorder.clock.nanos();
        if (device.acknowledge(id, 0)) {
            item.acknowledgedNanos = Math.min(item.acknowledgedNanos, now);
        }
    }

    // ---- what the server says

    /** The server is down until then, and calls that fail meanwhile are excused. */
    void outageUntil(long nanos) {
        outageUntilNanos = nanos;
    }

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
        if (outcome.ask() == Acks.Ask.NOTHING) {
            timedCall(outcome);
        }
        PushOutcome.Said said = outcome.said();
        ledger.count(Count.PUSHES_ACCEPTED, said == PushOutcome.Said.ACCEPTED ? 1 : 0);
        ledger.count(Count.PUSHES_ACKNOWLEDGED, said == PushOutcome.Said.ACKNOWLEDGED ? 1 : 0);
        ledger.count(Count.PUSHES_EXPIRED, said == PushOutcome.Said.EXPIRED ? 1 : 0);
        ledger.count(Count.PUSHES_QUEUED, said == PushOutcome.Said.QUEUED ? 1 : 0);
        boolean failed = said == PushOutcome.Said.FAILED;
        boolean excused = failed && outcome.calledNanos() + shiftNanos <= outageUntilNanos;
        ledger.count(Count.PUSHES_FAILED_EXCUSED, excused ? 1 : 0);
        answer(failed && !excused, Count.PUSHES_FAILED, outcome.answer());
        boolean absent = said == PushOutcome.Said.ABSENT && downlink.toAll();
        boolean contradicted = said == PushOutcome.Said.CONTRADICTED && downlink.toAll();
        answer(contradicted, Count.PUSHES_CONTRADICTED, outcome.answer());
        answer(said == PushOutcome.Said.REFUSED || absent, Count.PUSHES_REFUSED, outcome.answer());
    }

    private void answer(boolean when, Count how, String answer) {
        ledger.countIf(when, how, Result.PUSH_ANSWERS, answer);
    }

    /** From the call to its answer, by what was asked for. */
    private void timedCall(PushOutcome outcome) {
        Timing timing =
                switch (outcome.ask()) {
                    case NOTHING, SENT -> Timing.PUSH_CALL;
                    case RECEIVED -> Timing.PUSH_CALL_RECEIVED;
                    case DEVICE -> Timing.PUSH_CALL_DEVICE;
                    case STORED -> Timing.PUSH_CALL_STORED;
                };
        recorder.timed(timing, outcome.answeredNanos() - outcome.calledNanos());
    }

    private void judge(int index, PushOutcome outcome) {
        PushLog log = log(index);
        int sequence = outcome.sequence();
        boolean overtaken = log.reported(sequence);
        Device device = devices.all[devices.local(index)];
        long called = outcome.calledNanos() + shiftNanos;
        long answered = outcome.answeredNanos() + shiftNanos;
        if (outcome.absent().contains(index)) {
            absent(log, outcome, called, answered);
        } else if (outcome.said() == PushOutcome.Said.ACCEPTED) {
            if (log.hasCome(sequence)) {
                if (overtaken && device != null) {
                    disordered(device, sequence);
                }
            } else {
                accepted(device, log, outcome, called, answered);
            }
        } else if (outcome.said() == PushOutcome.Said.QUEUED) {
            if (!log.hasCome(sequence)) {
                log.keep(new PushLog.Kept(sequence, outcome.answer(), answered));
            } else if (overtaken && device != null) {
                disordered(device, sequence);
            }
        } else if (outcome.said() == PushOutcome.Said.ABSENT && !downlink.toAll()) {
            absent(log, outcome, called, answered);
        }
        if (device != null && acks != null) {
            proven(device, log, acks, outcome, called, answered);
        }
    }

    // ---- what was waited for

    private void proven(Device device, PushLog log, Acks settings, PushOutcome outcome, long called, long answered) {
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
            finish(device, entry.value());
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

    private void finish(@Nullable Device device, PushLog log) {
        for (PushLog.Kept kept : log.kept()) {
            if (device != null
                    && !device.expectedOutcome().quiet()
                    && (log.passed(kept.sequence) || overdue(log, kept, safeNanos))) {
                double waited = log.waited(kept, safeNanos) / MILLI;
                String text = "push %d was kept (%s) and never came, to a device that was connected for %.0f ms";
                fault(Count.PUSHES_LOST, device, text, kept.sequence, kept.answer, waited);
            } else {
                ledger.count(Count.PUSHES_EXCUSED);
            }
        }
    }
}

package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.client.PushSink;
import io.heartwheel.loadgen.client.Takeover;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Scenario;
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
    private final Downlink.@Nullable Later later;
    private final long seed;
    private final Recorder recorder;
    private final Ledger ledger;
    private final PushAnswers answers;
    /** Of schedules that go on to the end; null: it pushes none. */
    private final @Nullable ScheduleTracker schedules;

    private final BitSet recipients;
    private final byte[] marker;
    private final LoopDevices devices;
    private final GatewayOutages outages;
    /** Of each device since when it listens; or, less 1 and below 0, since when it does not. */
    private final long[] since;

    private final IntObjectHashMap<PushLog> logs = new IntObjectHashMap<>();

    private long shiftNanos;
    private long latestTurnNanos = Long.MIN_VALUE;
    /** What was in a socket by now has been read since. */
    private long safeNanos = Long.MIN_VALUE;

    /** Of devices none of which is connected yet. */
    PushTracker(
            Downlink downlink,
            Scenario scenario,
            Recorder recorder,
            BitSet recipients,
            LoopDevices devices,
            GatewayOutages outages) {
        this.downlink = downlink;
        this.acks = downlink.acks();
        this.later = downlink.later();
        this.seed = scenario.seed();
        this.recorder = recorder;
        this.ledger = recorder.ledger();
        this.answers = new PushAnswers(scenario, recorder);
        this.schedules = later != null && later.endless()
                ? new ScheduleTracker(downlink, later, recorder, devices, outages)
                : null;
        this.recipients = recipients;
        this.marker = PushMessage.marker(downlink.nonce());
        this.devices = devices;
        this.outages = outages;
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
        if (schedules != null && recipients.get(device.index())) {
            schedules.startsReading(device.index(), now);
        }
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
        if (schedules != null && recipients.get(device.index())) {
            schedules.stopsReading(device.index(), now);
        }
        PushLog log = logs.get(device.index());
        if (log != null) {
            excuse(local, log);
            for (PushLog.Due each : log.deaf(now, safeNanos, recorder.contract.missedAfterNanos())) {
                if (!each.accepted()) {
                    boolean failed = each.said() == PushOutcome.Said.FAILED;
                    ledger.count(failed ? Count.PUSHES_FAILED_EXCUSED : Count.PUSHES_ABSENT);
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
        PushLog.Item item = null;
        if (mine && schedules != null && message.intact()) {
            schedules.came(device, here, id, sequence);
        } else if (mine && schedules == null && later != null) {
            item = ran(device, log(device.index()), id, message, later);
        } else if (mine && acks != null) {
            item = waited(device, log(device.index()), id, message);
        } else if (!message.intact()) {
            changed(device, message, mine);
        } else if (mine) {
            came(device, log(device.index()), message);
        } else {
            int recipient = message.recipient();
            String whom = recipient == PushMessage.ALL ? "others" : "device number " + recipient;
            fault(Count.PUSHES_MISDELIVERED, device, "push %d to %s came here", sequence, whom);
        }
        Takeover old = here ? null : device.superseded();
        if (mine && old != null && old.isSucceeded() && message.intendedNanos() + shiftNanos > old.succeededNanos()) {
            double after = (message.intendedNanos() + shiftNanos - old.succeededNanos()) / MILLI;
            String text = "push %d, made %.0f ms after another connection was welcomed, came to the one before";
            fault(Count.PUSHES_STALE, device, text, sequence, after);
        }
        if (item != null) {
            item.connection = here ? log(device.index()).connections() : -1;
            item.arrivals++;
            item.refused = false;
            if (ackWanted) {
                reply(device, item, id, sequence);
            }
        } else if (ackWanted) {
            device.acknowledge(id, 0);
        }
        return true;
    }

    private void changed(Device device, PushMessage message, boolean mine) {
        PushLog log = log(device.index());
        if (message.known() && mine && !log.hasCome(message.sequence())) {
            log.came(message.sequence());
            log.taken(message.sequence());
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
            Timing timing = answers.isCold(message.intendedNanos()) ? Timing.PUSH_COLD : Timing.PUSH;
            recorder.timed(downlink.toAll() ? Timing.PUSH_TO_ALL : timing, Math.max(0, now - intended));
        }
        if (arrival == PushLog.Arrival.DISORDERED) {
            disordered(device, sequence);
        }
        taken(device, log, sequence, now);
        PushLog.Due due = settle(log, sequence);
        if (due != null && due.byNanos() < safeNanos) {
            double after = (now - due.calledNanos()) / MILLI;
            String text = "push %d came %.0f ms after it was called (%s)";
            fault(Count.PUSHES_LATE, device, text, sequence, after, due.answer());
        }
    }

    /** What the server kept has come. */
    private void taken(Device device, PushLog log, int sequence, long now) {
        PushLog.Kept kept = log.taken(sequence);
        if (kept != null && overdue(log, kept, now)) {
            double after = log.waited(kept, now) / MILLI;
            String text = "push %s came %.0f ms after its device was connected (%s)";
            fault(Count.PUSHES_LATE, device, text, name(sequence), after, kept.answer);
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

    // ---- what comes later, and again and again

    /** The number in the log of the run of a push, each from 1. */
    private int number(int sequence, int run) {
        return later == null ? sequence : (sequence - 1) * later.times() + run;
    }

    private String name(int number) {
        int times = later == null ? 1 : later.times();
        String run = later == null ? "" : ", run " + ((number - 1) % times + 1);
        return (number - 1) / times + 1 + run;
    }

    /** A message is that of the latest run that is due and has not come; else it is too early, or once too often. */
    private PushLog.Item ran(Device device, PushLog log, long id, PushMessage message, Downlink.Later runs) {
        long now = recorder.clock.nanos();
        int sequence = message.sequence();
        long asked = Math.max(message.intendedNanos() + shiftNanos, log.item(number(sequence, 1)).calledNanos);
        long begun = asked - recorder.contract.earlyAllowanceNanos() - NANOS_OF_A_MILLI;
        int latest = 0;
        int free = 0;
        for (int run = 1; run <= runs.times(); run++) {
            int number = number(sequence, run);
            if (log.hasCome(number) && id != 0 && log.item(number).id == id) {
                again(device, log, log.item(number), id, sequence);
                return log.item(number);
            }
            if (begun + runs.dueNanos(run) <= now) {
                latest = run;
                free = log.hasCome(number) ? free : run;
            }
        }
        int next = latest + 1;
        if (free == 0 && next <= runs.times() && soon(begun, next, now, runs)) {
            String text = "push %s came %.0f ms before its time";
            double early = (begun + runs.dueNanos(next) - now) / MILLI;
            fault(Count.PUSHES_EARLY, device, text, name(number(sequence, next)), early);
            free = next;
        }
        if (free == 0 || log.hasCome(number(sequence, free))) {
            return ranTooOften(device, log, id, number(sequence, Math.max(1, latest)));
        }
        int number = number(sequence, free);
        PushLog.Item item = log.item(number);
        item.id = id;
        item.firstNanos = now;
        log.came(number);
        ledger.count(Count.PUSHES_DELIVERED);
        if (!message.intact()) {
            fault(Count.PUSHES_CHANGED, device, "a push came with other bytes than it was sent with");
        }
        long due = asked + runs.dueNanos(free);
        if (log.listened(due, now)) {
            recorder.timed(Timing.PUSH_LATER, Math.max(0, now - due));
        }
        taken(device, log, number, now);
        return item;
    }

    /** Before the first time, or nearer to the next one than to the one before. */
    private static boolean soon(long begun, int run, long now, Downlink.Later runs) {
        return run == 1 || begun + runs.dueNanos(run) - now < runs.everyNanos() / 2;
    }

    /** In a protocol without ids, on another connection it may be the same again. */
    private PushLog.Item ranTooOften(Device device, PushLog log, long id, int number) {
        PushLog.Item item = log.item(number);
        if (id == 0 && item.connection != log.connections()) {
            ledger.count(Count.PUSHES_REPEATED);
        } else {
            fault(Count.PUSHES_DOUBLED, device, "push %s once more", name(number));
        }
        return item;
    }

    // ---- what comes and is acknowledged

    private PushLog.Item waited(Device device, PushLog log, long id, PushMessage message) {
        PushLog.Item item = log.item(message.sequence());
        if (item.arrivals > 0) {
            again(device, log, item, id, message.sequence());
            return item;
        }
        item.firstNanos = recorder.clock.nanos();
        answers.named(device, item, id, message.sequence());
        if (wasToldLongAgo(item)) {
            double after = (item.firstNanos - item.toldNanos) / MILLI;
            fault(Count.PUSHES_LATE, device, "push %d came %.0f ms after it had expired", message.sequence(), after);
        }
        if (message.intact()) {
            came(device, log, message);
        } else {
            changed(device, message, true);
        }
        return item;
    }

    private boolean wasToldLongAgo(PushLog.Item item) {
        long now = recorder.clock.nanos();
        return item.toldNanos != PushLog.OPEN
                && now - item.toldNanos - recorder.own(item.toldNanos, now) > recorder.contract.answerWithinNanos();
    }

    /** The same again is allowed on another connection and after a refusal, as long as nobody was told what came of it. */
    private void again(Device device, PushLog log, PushLog.Item item, long id, int sequence) {
        if (!answers.named(device, item, id, sequence)) {
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

    private void reply(Device device, PushLog.Item item, long id, int sequence) {
        Acks.Reply reply = acks == null ? Acks.Reply.PROMPT : acks.reply(seed, device.index(), sequence);
        long late = acks == null ? 0 : acks.lateNanos();
        boolean again = item.arrivals > 1;
        switch (again && reply != Acks.Reply.NEVER ? Acks.Reply.PROMPT : reply) {
            case PROMPT -> acknowledge(device, item, id);
            case LATE -> device.later(late, () -> acknowledge(device, item, id));
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
                    answers.count(downlink, outcome, failure(outcome));
                }
                for (int i = 0; i < devices.all.length; i++) {
                    if (recipients.get(devices.index(i))) {
                        judge(devices.index(i), outcome);
                    }
                }
            } else if (devices.owns(outcome.recipient())) {
                answers.count(downlink, outcome, failure(outcome));
                judge(outcome.recipient(), outcome);
            }
        }
    }

    /** What excuses the call if it failed. */
    private GatewayOutages.Excuse failure(PushOutcome outcome) {
        long called = outcome.calledNanos() + shiftNanos;
        return outages.ofCall(downlink, outcome, called, outcome.answeredNanos() + shiftNanos);
    }

    private void judge(int index, PushOutcome outcome) {
        if (schedules != null) {
            schedules.told(index, outcome, outcome.calledNanos() + shiftNanos);
            return;
        }
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
            log.item(number(sequence, 1)).calledNanos = called;
            for (int run = 1; run <= (later == null ? 1 : later.times()); run++) {
                int number = number(sequence, run);
                if (!log.hasCome(number)) {
                    long from = answered + (later == null ? 0 : later.dueNanos(run));
                    log.keep(new PushLog.Kept(number, outcome.answer(), from));
                }
            }
            if (overtaken && later == null && device != null) {
                disordered(device, sequence);
            }
        } else if (outcome.said() == PushOutcome.Said.ABSENT && !downlink.toAll()) {
            absent(log, outcome, called, answered);
        } else if (outcome.said() == PushOutcome.Said.FAILED && failure(outcome) == GatewayOutages.Excuse.BY_HOLDER) {
            oweUnlessAway(log, outcome, called, answered, Count.PUSHES_FAILED_EXCUSED);
        }
        if (device != null && acks != null) {
            answers.proven(device, log, acks, outcome, called, answered);
        }
    }

    private void accepted(@Nullable Device device, PushLog log, PushOutcome outcome, long called, long answered) {
        long by = answered + recorder.contract.answerWithinNanos();
        if (log.listened(called, by)) {
            log.owe(new PushLog.Due(outcome.sequence(), outcome.said(), outcome.answer(), called, answered, by));
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
        if (log.hasCome(outcome.sequence())) {
            ledger.countIf(true, Count.PUSHES_REFUSED, Result.PUSH_ANSWERS, outcome.answer() + " though it came");
        } else {
            oweUnlessAway(log, outcome, called, answered, Count.PUSHES_ABSENT);
        }
    }

    /** Whoever was connected all the time, before and after, has one gateway, which is looked for when that time is over. */
    private void oweUnlessAway(PushLog log, PushOutcome outcome, long called, long answered, Count away) {
        long within = recorder.contract.answerWithinNanos();
        if (log.listened(called - within, answered + within)) {
            PushOutcome.Said said =
                    outcome.said() == PushOutcome.Said.FAILED ? outcome.said() : PushOutcome.Said.ABSENT;
            log.owe(new PushLog.Due(outcome.sequence(), said, outcome.answer(), called, answered, answered + within));
        } else {
            ledger.count(away);
        }
    }

    /** Takes out what is laid to the timeline, while the device has the connection that it had then. */
    private void excuse(int local, PushLog log) {
        for (PushLog.Due due : log.notAccepted(safeNanos)) {
            boolean failed = due.said() == PushOutcome.Said.FAILED;
            if (failed
                    ? outages.ofHolder(local, due.calledNanos(), due.answeredNanos())
                    : outages.isTakenForLost(local, due.calledNanos(), due.answeredNanos())) {
                log.settle(due);
                ledger.count(failed ? Count.PUSHES_FAILED_EXCUSED : Count.PUSHES_REFUSED_EXCUSED);
            }
        }
    }

    // ---- the end

    /** What is still due is lost, if there was time enough for it. */
    void finish() {
        if (schedules != null) {
            schedules.finish(safeNanos);
        }
        for (IntObjectMap.PrimitiveEntry<PushLog> entry : logs.entries()) {
            Device device = devices.all[devices.local(entry.key())];
            finish(device, entry.value());
            excuse(devices.local(entry.key()), entry.value());
            for (PushLog.Due due : entry.value().due()) {
                if (due.byNanos() > safeNanos || device == null) {
                    ledger.count(Count.PUSHES_UNJUDGED);
                } else if (due.accepted()) {
                    String text = "push %d was accepted (%s) and never came";
                    fault(Count.PUSHES_LOST, device, text, due.sequence(), due.answer());
                } else if (due.said() == PushOutcome.Said.FAILED) {
                    ledger.row(Result.PUSH_ANSWERS, due.answer() + " from a gateway that was well", 1);
                    String text = "push %d failed (%s) though the gateways of caller and device were well";
                    fault(Count.PUSHES_FAILED, device, text, due.sequence(), due.answer());
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
                    && ((later == null && log.passed(kept.sequence)) || overdue(log, kept, safeNanos))) {
                double waited = log.waited(kept, safeNanos) / MILLI;
                String text = "push %s was kept (%s) and never came, to a device that was connected for %.0f ms";
                fault(Count.PUSHES_LOST, device, text, name(kept.sequence), kept.answer, waited);
            } else {
                ledger.count(Count.PUSHES_EXCUSED);
            }
        }
    }
}

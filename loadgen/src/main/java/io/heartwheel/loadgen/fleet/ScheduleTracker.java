package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.scenario.Downlink;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of what the devices of one event loop got from schedules that go on to the end of the run with the times of those schedules. Owned
 * by that loop. Times are nanoseconds since the run began.
 *
 * <pre>
 *   times of a schedule |      |      |      |      |      |      |      |
 *   a gateway                     killed ---- away -- excuse ----|  calm: each time has to come
 *   id of what came     1      2      2             5      6      7      8
 *                                     ^ the same id again: excused, the gateway that ran it may have been the one that was killed
 * </pre>
 *
 * <p>From one time to the next one run may come: a second id there is a run that took place twice. Only of a gateway that stood still may several
 * come at once, to devices that it had. A message to many may come twice under one id where a device is in the shares of two gateways, as one of them was
 * not there to tell of its own. What is missing is judged at the end.
 */
final class ScheduleTracker {

    /** A gateway runs what is late by less without a word; then it waits for the ACK. */
    static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(5) + Downlink.Later.ACK_NANOS;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final double MILLI = 1e6;

    private final Downlink downlink;
    private final Downlink.Later later;
    private final Recorder recorder;
    private final LoopDevices devices;
    private final GatewayOutages outages;
    private final IntObjectHashMap<List<Stay>> stays = new IntObjectHashMap<>();
    private final Map<Key, Schedule> schedules = new LinkedHashMap<>();

    /** One schedule at one of its devices. */
    private record Key(int index, int sequence) {}

    /** Time in which a device was connected. */
    private static final class Stay {
        final long fromNanos;
        long untilNanos = PushLog.OPEN;

        Stay(long fromNanos) {
            this.fromNanos = fromNanos;
        }
    }

    /**
     * A run, as it came for the first time.
     *
     * @param connection number of the device's connection; below 0: one that was replaced
     * @param held whether it may be an earlier one that a gateway which stood still has kept back
     */
    private record Came(long id, long nanos, int connection, boolean held) {}

    /** What is known of a schedule. */
    private static final class Schedule {
        final List<Came> came = new ArrayList<>();
        /** When it was asked for; {@link PushLog#OPEN}: nobody knows yet. */
        long calledNanos = PushLog.OPEN;
        /** How long after that it may have begun to count. */
        long unsureNanos;
        /** Whether the server said that it has it. */
        boolean accepted;
    }

    ScheduleTracker(
            Downlink downlink, Downlink.Later later, Recorder recorder, LoopDevices devices, GatewayOutages outages) {
        this.downlink = downlink;
        this.later = later;
        this.recorder = recorder;
        this.devices = devices;
        this.outages = outages;
    }

    private Schedule schedule(int index, int sequence) {
        return schedules.computeIfAbsent(new Key(index, sequence), key -> new Schedule());
    }

    private List<Stay> stays(int index) {
        List<Stay> known = stays.get(index);
        if (known == null) {
            known = new ArrayList<>(1);
            stays.put(index, known);
        }
        return known;
    }

    private void fault(Count what, Device device, String text, Object... values) {
        recorder.fault(what, 1, GatewayFault.Kind.PUSHES, device, text, values);
    }

    // ---- while it runs

    void startsReading(int index, long nowNanos) {
        List<Stay> known = stays(index);
        if (!known.isEmpty()) {
            Stay last = known.get(known.size() - 1);
            last.untilNanos = Math.min(last.untilNanos, nowNanos);
        }
        known.add(new Stay(nowNanos));
    }

    void stopsReading(int index, long nowNanos) {
        List<Stay> known = stays(index);
        known.get(known.size() - 1).untilNanos = nowNanos;
    }

    /** The server's word on a schedule is known. */
    void told(int index, PushOutcome outcome, long calledNanos) {
        Schedule schedule = schedule(index, outcome.sequence());
        schedule.calledNanos = calledNanos;
        schedule.unsureNanos = outcome.answeredNanos() - outcome.calledNanos();
        schedule.accepted = outcome.said() == PushOutcome.Said.QUEUED;
    }

    /** A run came. */
    void came(Device device, boolean here, long id, int sequence) {
        long now = recorder.clock.nanos();
        int connection = here ? stays(device.index()).size() : -1;
        List<Came> before = schedule(device.index(), sequence).came;
        for (Came each : before) {
            if (id != 0 && each.id == id) {
                again(device, sequence, each, connection, now);
                return;
            }
        }
        boolean held = outages.isTakenForLost(devices.local(device), now, now);
        before.add(new Came(id, now, connection, held));
    }

    private void again(Device device, int sequence, Came first, int connection, long now) {
        Count allowed = allowed(first, connection, now);
        if (allowed != null) {
            recorder.ledger().count(allowed);
        } else {
            String text =
                    "a run of %s came again %.0f ms after it, under the same id, and no gateway was stopped meanwhile";
            fault(Count.RUNS_DOUBLED, device, text, name(sequence), (now - first.nanos) / MILLI);
        }
    }

    /** What it counts as if a run may come again: as that of a gateway, perhaps the one that ran it, which was stopped while it was under way. */
    private @Nullable Count allowed(Came first, int connection, long now) {
        boolean inTwoShares = downlink.toAll() && !outages.isCalm(first.nanos, now);
        if (now - first.nanos <= RUN_NANOS && (connection != first.connection || inTwoShares)) {
            return Count.PUSHES_REPEATED;
        }
        boolean stopped = outages.wasStopped(first.nanos - SECOND, Math.min(now, first.nanos + RUN_NANOS));
        return stopped ? Count.RUNS_AGAIN_EXCUSED : null;
    }

    private String name(int sequence) {
        return "schedule " + sequence + (downlink.toAll() ? " to many" : "");
    }

    // ---- the end

    /** @param safeNanos what had come by then has been read */
    void finish(long safeNanos) {
        schedules.forEach((key, schedule) -> {
            Device device = devices.all[devices.local(key.index)];
            if (device != null && schedule.calledNanos != PushLog.OPEN) {
                long first = schedule.calledNanos
                        + later.afterNanos()
                        - recorder.contract.earlyAllowanceNanos()
                        - TimeUnit.MILLISECONDS.toNanos(1);
                BitSet came = times(device, key, schedule, first);
                if (schedule.accepted && !device.expectedOutcome().quiet()) {
                    judge(device, key, came, first, safeNanos);
                    interruptions(device, key, schedule, first, safeNanos);
                }
            }
        });
    }

    /** The times, counted from 0, of which a run came. */
    private BitSet times(Device device, Key key, Schedule schedule, long first) {
        BitSet times = new BitSet();
        Came latest = null;
        for (Came each : schedule.came) {
            int time = (int) Math.floorDiv(each.nanos - first, later.everyNanos());
            if (time < 0) {
                String text = "%s came %.0f ms before its first time";
                fault(Count.PUSHES_EARLY, device, text, name(key.sequence), (first - each.nanos) / MILLI);
            } else if (!times.get(time)) {
                times.set(time);
                recorder.ledger().count(Count.RUNS_CAME);
            } else if (each.held && times.previousClearBit(time) >= 0) {
                times.set(times.previousClearBit(time));
                recorder.ledger().count(Count.RUNS_CAME);
            } else if (mayBeOfTimeBefore(schedule, times, time, Objects.requireNonNull(latest))) {
                times.set(time - 1);
                recorder.ledger().count(Count.RUNS_CAME);
            } else {
                Came before = latest;
                Count allowed = each.id == 0 ? allowed(before, each.connection, each.nanos) : null;
                if (allowed != null) {
                    recorder.ledger().count(allowed);
                } else {
                    String text = "%s ran twice at time %d: %.0f ms after it another id came";
                    double after = (each.nanos - before.nanos) / MILLI;
                    fault(Count.RUNS_DOUBLED, device, text, name(key.sequence), time + 1, after);
                }
            }
            latest = each;
        }
        return times;
    }

    /** Whether the run that came first in a time was perhaps that of the time before, which was held up for so long: when this one began is known to some milliseconds only. */
    private boolean mayBeOfTimeBefore(Schedule schedule, BitSet times, int time, Came first) {
        long due = schedule.calledNanos + later.afterNanos() + time * later.everyNanos();
        return time > 0
                && !times.get(time - 1)
                && first.nanos < due + schedule.unsureNanos
                && !outages.isCalm(due - later.everyNanos(), first.nanos);
    }

    /** Of the times that are over those at which all was calm, and the device there since the one before. */
    private void judge(Device device, Key key, BitSet came, long first, long safeNanos) {
        long every = later.everyNanos();
        List<Integer> missing = new ArrayList<>();
        int after = 0;
        int cameAfter = 0;
        for (int time = 0; first + (time + 1) * every <= safeNanos; time++) {
            long from = first + time * every;
            if (!outages.isCalm(from, from + every)
                    || !stayed(key.index, Math.max(first, from - every), from + every)
                    || own(from, from + every) > every / 2) {
                continue;
            }
            recorder.ledger().count(Count.RUNS_JUDGED);
            if (!came.get(time)) {
                missing.add(time);
            }
            if (outages.isOver(from)) {
                after++;
                cameAfter += came.get(time) ? 1 : 0;
            }
        }
        if (after == 0) {
            recorder.ledger().count(Count.SCHEDULES_UNJUDGED);
        } else if (cameAfter == 0) {
            String text = "%s did not run at any of its last %d times, though all was calm and the device connected";
            fault(Count.SCHEDULES_STOPPED, device, text, name(key.sequence), after);
        } else {
            recorder.ledger().count(Count.SCHEDULES_GOING);
        }
        for (int time : missing) {
            if (cameAfter > 0 || !outages.isOver(first + time * every)) {
                String text = "%s did not come at time %d, though all was calm and the device connected";
                fault(Count.RUNS_MISSED, device, text, name(key.sequence), time + 1);
            }
        }
    }

    private long own(long fromNanos, long untilNanos) {
        long now = recorder.clock.nanos();
        return recorder.own(fromNanos, now) - recorder.own(untilNanos, now);
    }

    private boolean stayed(int index, long fromNanos, long untilNanos) {
        return stays(index).stream().anyMatch(each -> each.fromNanos <= fromNanos && each.untilNanos >= untilNanos);
    }

    /** Whatever is done to gateways, a device that is connected does not wait for the next run for long. */
    private void interruptions(Device device, Key key, Schedule schedule, long first, long safeNanos) {
        for (Stay stay : stays(key.index)) {
            long since = Math.max(first, stay.fromNanos);
            long until = Math.min(safeNanos, stay.untilNanos);
            for (Came each : schedule.came) {
                if (each.nanos >= since && each.nanos <= until) {
                    late(device, key, since, each.nanos);
                    since = each.nanos;
                }
            }
            late(device, key, since, until);
        }
    }

    private void late(Device device, Key key, long sinceNanos, long untilNanos) {
        long waited = untilNanos - sinceNanos - Math.max(0, own(sinceNanos, untilNanos));
        if (waited > later.everyNanos() + downlink.withinNanos()) {
            String text = "%s did not run for %.0f ms, though the device was connected";
            fault(Count.RUNS_LATE, device, text, name(key.sequence), waited / MILLI);
        }
    }
}

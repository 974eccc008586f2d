package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;
import java.util.List;

/**
 * Behaviour that replays a recorded connection; one object a device. The device greets as soon as it is connected, and what it did next it
 * does as long after its greeting as it did then: the silences between are what a gateway judges by.
 *
 * <pre>
 *   recorded   connect ...HELLO.......beat....beat..................beat        end
 *   lived      connect.HELLO.......beat....beat..................beat        end         at speed 2 in half the time
 * </pre>
 *
 * <p>A silence in it that is longer than this gateway allows makes a close due until the device speaks again; one about as long leaves open whether it may be closed. What the gateway did to a device then (sent it away, let another take its
 * place) is not done again: such a device, and one whose end is not told, goes on beating in its own cadence.
 */
final class Replay extends Behaviour {

    /** An arrival so shortly before a goodbye was the goodbye itself. */
    private static final int GOODBYE_MILLIS = 100;
    /** Nearer than this to what is allowed, or a tenth of it if that is less, nobody can say who was late. */
    private static final long UNCERTAIN_NANOS = 100_000_000L;

    private static final long BYTE_GAP_NANOS = 1_000_000_000L;
    private static final double MILLI = 1e6;
    private static final Behaviour STEADY = Behaviours.steady();

    private final List<RecordedConnection> all;
    private final double speed;
    private final RecordedConnection recorded;
    /** Its arrivals are played up to here. */
    private final int arrivals;

    private int next = 1;
    /** How many arrivals lie before the heartbeat with number 0: none, unless some could not be said. */
    private int ahead;

    private long greetedNanos;
    private long openedNanos;
    /** What it does behind its arrivals; until then, and at first, what any device does. */
    private Behaviour last = STEADY;

    /**
     * Replays one of these.
     *
     * @param all connections of the recording, at least one
     * @param speed over 0; at 2 everything happens in half the time
     * @param number of the device in its group
     */
    Replay(List<RecordedConnection> all, double speed, int number) {
        super("replay");
        this.all = all;
        this.speed = speed;
        this.recorded = all.get(number % all.size());
        int count = recorded.beatAtMillis().length;
        boolean goodbye = recorded.ended() == RecordedEnd.LEFT
                && count > 1
                && recorded.endedAtMillis() - recorded.beatAtMillis()[count - 1] <= GOODBYE_MILLIS;
        this.arrivals = Math.max(1, goodbye ? count - 1 : count);
        if (recorded.ended() == RecordedEnd.NEVER_SPOKE) {
            last = Behaviours.neverHello();
        }
    }

    @Override
    public Behaviour of(int number) {
        return new Replay(all, speed, number);
    }

    @Override
    public long beginsNanos() {
        return (long) (recorded.connectAtMillis() * MILLI / speed);
    }

    @Override
    public int bufferBytes() {
        return recorded.ended() == RecordedEnd.NOT_READING
                ? Behaviours.slowReader().bufferBytes()
                : 0;
    }

    @Override
    public boolean endsInClose() {
        return recorded.ended().foundOut();
    }

    @Override
    public double closedShare() {
        return (double) all.stream().filter(each -> each.ended().foundOut()).count() / all.size();
    }

    /** Another connection is another recording. */
    @Override
    boolean comesBack(LoopContext<Device> loopContext) {
        return false;
    }

    @Override
    long wantedMillis(DeviceDefaults deviceDefaults) {
        return recorded.intervalMillis() > 0
                ? Math.max(1, Math.round(recorded.intervalMillis() / speed))
                : super.wantedMillis(deviceDefaults);
    }

    @Override
    void connected(Device device) {
        last.connected(device);
    }

    @Override
    long opened(Device device, long nowNanos) {
        greetedNanos = device.lastSentNanos();
        openedNanos = nowNanos;
        return next < arrivals ? silentUntil(device, nowNanos, dueNanos(device, next)) : afterLast(device, nowNanos);
    }

    @Override
    long act(Device device, long dueNanos) {
        if (last != STEADY) {
            return last.act(device, dueNanos);
        }
        device.speakAgain();
        boolean idle = true;
        for (; next < arrivals && dueNanos(device, next) <= dueNanos; next++) {
            // What fell due while the network was cut is not made up for.
            if (dueNanos(device, next) >= device.newestDueNanos()) {
                device.beat(dueNanos(device, next));
                ahead = next - device.beats();
                idle = false;
            }
        }
        if (next < arrivals) {
            return silentUntil(device, dueNanos, dueNanos(device, next));
        }
        return idle ? end(device, dueNanos) : afterLast(device, dueNanos);
    }

    /** All it said is said: what comes next, and when. */
    private long afterLast(Device device, long nowNanos) {
        return switch (recorded.ended()) {
            case SILENT -> {
                device.fallSilent();
                yield SlotRing.DONE;
            }
            case NOT_READING -> {
                last = Behaviours.slowReader();
                yield last.opened(device, nowNanos);
            }
            case LEFT, RESET -> silentUntil(device, nowNanos, atNanos(device, recorded.endedAtMillis()));
            case UNFINISHED -> {
                long closedNanos = atNanos(device, recorded.endedAtMillis());
                long begunNanos = device.loopContext()
                        .roundUp(closedNanos - device.timeouts().progressNanos());
                yield silentUntil(device, nowNanos, begunNanos);
            }
            default -> device.firstBeatNanos(nowNanos);
        };
    }

    private long end(Device device, long dueNanos) {
        return switch (recorded.ended()) {
            case LEFT -> {
                device.leave();
                yield SlotRing.DONE;
            }
            case RESET -> {
                device.reset();
                yield SlotRing.DONE;
            }
            case UNFINISHED -> {
                last = Behaviours.slowWriter(device.loopContext().roundUp(BYTE_GAP_NANOS));
                yield last.act(device, dueNanos);
            }
            default -> device.beat(dueNanos);
        };
    }

    /** Says nothing until then, or as soon as it can if that is past. */
    private static long silentUntil(Device device, long nowNanos, long wantedNanos) {
        LoopContext<Device> loopContext = device.loopContext();
        long until = Math.max(wantedNanos, loopContext.roundUp(nowNanos + 1));
        long silence = until - device.lastSentNanos();
        long allowed = device.allowedSilenceNanos();
        if (silence > allowed + loopContext.missedAfterNanos) {
            device.expectClose(ExpectedOutcome.SILENT);
        } else if (silence > allowed - Math.min(UNCERTAIN_NANOS, allowed / 10)) {
            device.uncertain();
        }
        return until;
    }

    private long dueNanos(Device device, int arrival) {
        return atNanos(device, recorded.beatAtMillis()[arrival]);
    }

    /** When something happens that happened so long after the connect of then; nothing does before the welcome. */
    private long atNanos(Device device, int millisAfterConnect) {
        int[] then = recorded.beatAtMillis();
        long greetedMillis = then.length == 0 ? 0 : then[0];
        long wantedNanos = greetedNanos + (long) ((millisAfterConnect - greetedMillis) * MILLI / speed);
        return device.loopContext().roundUp(Math.max(openedNanos, wantedNanos));
    }

    @Override
    long beatDueNanos(Device device, int sequence) {
        int arrival = sequence + ahead;
        boolean wasRecorded = sequence < device.beats() && arrival > 0 && arrival < arrivals;
        return wasRecorded ? dueNanos(device, arrival) : super.beatDueNanos(device, sequence);
    }

    @Override
    long earliestNanos(Device device) {
        return last.earliestNanos(device);
    }

    @Override
    long deadlineNanos(Device device) {
        return last.deadlineNanos(device);
    }
}

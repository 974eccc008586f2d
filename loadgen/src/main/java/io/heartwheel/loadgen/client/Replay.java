package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lives recorded lives again, one object a device. The device greets as soon as it is connected, and what it did next it
 * does as long after its greeting as it did then: the silences between are what a gateway judges by.
 *
 * <pre>
 *   recorded   connect ...HELLO.......beat....beat..................beat        end
 *   lived      connect.HELLO.......beat....beat..................beat        end         at speed 2 in half the time
 * </pre>
 *
 * <p>A silence in it that is longer than this gateway allows condemns the device until it speaks again, and one about as
 * long leaves open whether it may be closed. What the gateway did to a device then (sent it away, let another take its
 * place) is not done again: such a device, and one whose end is not told, goes on beating in its own cadence.
 */
final class Replay extends Behaviour {

    /** An arrival so shortly before a goodbye was the goodbye itself. */
    private static final int GOODBYE_MILLIS = 100;
    /** Nearer than this to what is allowed, or a tenth of it if that is less, nobody can say who was late. */
    private static final long DOUBT_NANOS = 100_000_000L;

    private static final long DRIP_GAP_NANOS = 1_000_000_000L;
    private static final double MILLI = 1e6;

    private final List<RecordedConnection> lives;
    private final double speed;
    private final RecordedConnection life;
    /** Its arrivals are played up to here. */
    private final int arrivals;

    private int next = 1;
    /** How many arrivals lie before the heartbeat with number 0: none, unless some could not be said. */
    private int ahead;

    private long greetedNanos;
    private long openedNanos;
    private @Nullable Behaviour last;

    /**
     * A device's life.
     *
     * @param lives all of them, at least one
     * @param speed over 0; at 2 everything happens in half the time
     * @param number of the device in its group
     */
    Replay(List<RecordedConnection> lives, double speed, int number) {
        super("replay");
        this.lives = lives;
        this.speed = speed;
        this.life = lives.get(number % lives.size());
        int count = life.beatAtMillis().length;
        boolean goodbye = life.ended() == RecordedEnd.LEFT
                && count > 1
                && life.endedAtMillis() - life.beatAtMillis()[count - 1] <= GOODBYE_MILLIS;
        this.arrivals = Math.max(1, goodbye ? count - 1 : count);
        this.last = life.ended() == RecordedEnd.NEVER_SPOKE ? Behaviours.neverHello() : null;
    }

    @Override
    public Behaviour of(int number) {
        return new Replay(lives, speed, number);
    }

    @Override
    public long beginsNanos() {
        return (long) (life.connectAtMillis() * MILLI / speed);
    }

    @Override
    public int bufferBytes() {
        return life.ended() == RecordedEnd.DEAF ? Behaviours.slowReader().bufferBytes() : 0;
    }

    @Override
    public boolean endsInClose() {
        return life.ended().foundOut();
    }

    @Override
    public double condemnedShare() {
        return (double) lives.stream().filter(each -> each.ended().foundOut()).count() / lives.size();
    }

    /** Another connection is another life. */
    @Override
    boolean comesBack(LoopContext<Device> loopContext) {
        return false;
    }

    @Override
    long wantedMillis(DeviceDefaults deviceDefaults) {
        return life.intervalMillis() > 0
                ? Math.max(1, Math.round(life.intervalMillis() / speed))
                : super.wantedMillis(deviceDefaults);
    }

    @Override
    void connected(Device device) {
        Behaviour own = last;
        if (own == null) {
            super.connected(device);
        } else {
            own.connected(device);
        }
    }

    @Override
    long opened(Device device, long nowNanos) {
        greetedNanos = device.lastSentNanos();
        openedNanos = nowNanos;
        return next < arrivals ? silentUntil(device, nowNanos, dueNanos(device, next)) : afterLast(device, nowNanos);
    }

    @Override
    long act(Device device, long dueNanos) {
        Behaviour own = last;
        if (own != null) {
            return own.act(device, dueNanos);
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
        return switch (life.ended()) {
            case SILENT -> {
                device.fallSilent();
                yield SlotRing.DONE;
            }
            case DEAF -> {
                Behaviour deaf = Behaviours.slowReader();
                last = deaf;
                yield deaf.opened(device, nowNanos);
            }
            case LEFT, RESET -> silentUntil(device, nowNanos, atNanos(device, life.endedAtMillis()));
            case DRIPPED -> {
                long closedNanos = atNanos(device, life.endedAtMillis());
                long begunNanos = device.loopContext()
                        .roundUp(closedNanos - device.timeouts().progressNanos());
                yield silentUntil(device, nowNanos, begunNanos);
            }
            default -> device.firstBeatNanos(nowNanos);
        };
    }

    private long end(Device device, long dueNanos) {
        return switch (life.ended()) {
            case LEFT -> {
                device.leave();
                yield SlotRing.DONE;
            }
            case RESET -> {
                device.reset();
                yield SlotRing.DONE;
            }
            case DRIPPED -> {
                Behaviour dripping = Behaviours.byteDrip(device.loopContext().roundUp(DRIP_GAP_NANOS));
                last = dripping;
                yield dripping.act(device, dueNanos);
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
            device.condemn(ExpectedOutcome.SILENT);
        } else if (silence > allowed - Math.min(DOUBT_NANOS, allowed / 10)) {
            device.doubt();
        }
        return until;
    }

    private long dueNanos(Device device, int arrival) {
        return atNanos(device, life.beatAtMillis()[arrival]);
    }

    /** When something happens that happened so long after the connect of then; nothing does before the welcome. */
    private long atNanos(Device device, int millisAfterConnect) {
        int[] then = life.beatAtMillis();
        long greetedMillis = then.length == 0 ? 0 : then[0];
        long wantedNanos = greetedNanos + (long) ((millisAfterConnect - greetedMillis) * MILLI / speed);
        return device.loopContext().roundUp(Math.max(openedNanos, wantedNanos));
    }

    @Override
    long beatDueNanos(Device device, int sequence) {
        int arrival = sequence + ahead;
        boolean recorded = sequence < device.beats() && arrival > 0 && arrival < arrivals;
        return recorded ? dueNanos(device, arrival) : super.beatDueNanos(device, sequence);
    }

    @Override
    long earliestNanos(Device device) {
        Behaviour own = last;
        return own == null ? super.earliestNanos(device) : own.earliestNanos(device);
    }

    @Override
    long deadlineNanos(Device device) {
        Behaviour own = last;
        return own == null ? super.deadlineNanos(device) : own.deadlineNanos(device);
    }
}

package io.heartwheel.session;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Incident;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.ExpiryQueue;
import io.heartwheel.liveness.LivenessObserver;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.Location;
import io.heartwheel.liveness.LoopTasks;
import io.heartwheel.liveness.RateClasses;
import io.heartwheel.liveness.ShadowPolicy;
import io.heartwheel.liveness.StallSettings;
import io.heartwheel.liveness.Stalls;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.Pushes;
import io.heartwheel.wheel.TimerObserver;
import io.heartwheel.wheel.Timers;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A gateway's inside without sockets, threads or a clock: one wheel, one loop, time handed in. Tests put connections on it and move the time.
 *
 * <p>{@link #moveTo} turns the wheel tick by tick, as its thread would, and runs the loop's tasks after each turn.
 */
public final class VirtualGateway {
    /** A tick of its wheel, nanoseconds. */
    public static final long TICK_NANOS = 20_000_000;

    public static final long WALL_MILLIS = 1_700_000_000_000L;

    /** What epochs are made of. */
    public long wallMicros = 1_000_000;

    private long nowNanos;
    private final TimingWheel wheel;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> afterReads = new ArrayDeque<>();

    /** Every event published, in order. */
    public final List<ConnectionEvent> events = new ArrayList<>();
    /** The replies of messages published, in order. */
    public final List<EventSink.Reply> replies = new ArrayList<>();
    /** Whether the sink has no room for messages of those who can wait, and who waits for it. */
    public boolean sinkIsFull;

    public final List<EventSink.Waiter> waiters = new ArrayList<>();
    /** Every close seen by the observer, in order. */
    public final List<Closed> closed = new ArrayList<>();
    /** Probes sent, keep-alives sent, reprieves given. */
    public int probes;

    public int ratePauses;

    public int keepAlives;
    /** Turns of the wheel that the wheel itself asked for, by {@link #moveAsAsked}. */
    public long wakes;
    /** Times at which the loop was woken for what is due, however much that was. */
    public long loopWakes;

    public int reprieves;
    /** The loop that looks for the end of an incident stands still. */
    public boolean breakerStands;

    /** Reports of the breaker, evidence of closes, stalls found, nanoseconds each, in order. */
    public final List<Incident> incidents = new ArrayList<>();

    public final List<Evidence> evidence = new ArrayList<>();
    public final List<Long> stallsFound = new ArrayList<>();
    public final List<Long> credits = new ArrayList<>();
    /** What the shadow would have closed, and what became of that, in order. */
    public final List<DeadlineKind> shadowed = new ArrayList<>();

    public final List<LivenessObserver.ShadowOutcome> shadowOutcomes = new ArrayList<>();
    public final List<LivenessObserver.SuspectOutcome> suspectOutcomes = new ArrayList<>();

    public final SessionRegistry registry;
    public final Timers timers;
    public final Pushes pushes;
    public final ShadowPolicy shadowPolicy;
    public final SessionContext sessionContext;
    public final ConnectionQuotas quotas = new ConnectionQuotas(ConnectionQuotaSettings.NONE, RateClasses.OFF);
    public final Breaker breaker;
    private final Stalls stalls;

    /** One close, as the observer was told. */
    public record Closed(
            String protocol, CloseReason reason, boolean established, long latenessNanos, long silentNanos) {}

    public VirtualGateway(long startNanos, LivenessSettings liveness) {
        this(startNanos, liveness, AuthPolicy.ANYBODY);
    }

    public VirtualGateway(long startNanos, LivenessSettings liveness, AuthPolicy credentials) {
        this(startNanos, liveness, credentials, BreakerSettings.DEFAULTS, null);
    }

    public VirtualGateway(
            long startNanos,
            LivenessSettings liveness,
            AuthPolicy credentials,
            BreakerSettings breaking,
            @Nullable LivenessSettings shadow) {
        this(startNanos, liveness, credentials, breaking, shadow, TICK_NANOS);
    }

    public VirtualGateway(
            long startNanos,
            LivenessSettings liveness,
            AuthPolicy credentials,
            BreakerSettings breaking,
            @Nullable LivenessSettings shadow,
            long tickNanos) {
        nowNanos = startNanos;
        wheel = new TimingWheel(tickNanos, 512, 1 << 16, startNanos, WheelObserver.NONE);
        registry = new SessionRegistry(this::now, () -> wallMicros, 0);
        Recorder recorder = new Recorder();
        stalls = new Stalls(0, StallSettings.DEFAULTS, startNanos, recorder);
        breaker = new Breaker(breaking, wheel, 1, this::now, () -> WALL_MILLIS, recorder, task -> {
            if (!breakerStands) {
                tasks.add(task);
            }
        });
        ExpiryQueue expiryQueue = new ExpiryQueue(new Loop(), this::now, recorder, stalls, breaker);
        shadowPolicy = new ShadowPolicy(shadow == null ? null : new LivenessPolicy(shadow));
        timers = new Timers(wheel, this::now, Timers.ON_WHEEL_THREAD, Integer.MAX_VALUE, TimerObserver.NONE);
        pushes = new Pushes(registry, timers, this::now, () -> 1_000_000, PushSettings.DEFAULTS, null);
        sessionContext = new SessionContext(
                wheel,
                new LivenessPolicy(liveness),
                shadowPolicy,
                registry,
                credentials,
                quotas,
                recorder,
                recorder,
                new LoopStats(),
                expiryQueue,
                stalls,
                breaker,
                pushes.on(tasks::add),
                new Location(0, 0, "tcp"),
                this::now,
                () -> WALL_MILLIS);
    }

    /** The same loop, whose unfinished frames may hold no more than this. */
    public SessionContext holdingAtMost(long unfinishedLimitBytes) {
        SessionContext here = sessionContext;
        return FakeSession.with(
                here, here.directory(), here.sink(), here.observer(), new LoopStats(unfinishedLimitBytes));
    }

    /** Monotonic nanoseconds. */
    public long now() {
        return nowNanos;
    }

    /** Lets time pass, turning the wheel at every tick. */
    public void pass(Duration duration) {
        moveTo(nowNanos + duration.toNanos());
    }

    /** Lets time pass while nothing of the process runs, as under SIGSTOP; the wheel and the loop come to it afterwards. */
    public void stall(Duration duration) {
        nowNanos += duration.toNanos();
    }

    /** Moves to this time, turning the wheel at every tick on the way. */
    public void moveTo(long targetNanos) {
        while (targetNanos - nowNanos > 0) {
            nowNanos += Math.min(TICK_NANOS, targetNanos - nowNanos);
            turn();
        }
    }

    /** Moves to this time, turning the wheel when it asks for it, as its thread does; the loop is seen turning all the while. */
    public void moveAsAsked(long targetNanos) {
        while (targetNanos - nowNanos > 0) {
            long wakeNanos = wheel.nextWakeNanos(nowNanos);
            nowNanos += Math.min(TICK_NANOS, Math.min(targetNanos - nowNanos, Math.max(0, wakeNanos - nowNanos)));
            if (nowNanos - wakeNanos >= 0) {
                wakes++;
                turn();
            } else {
                stalls.turned(nowNanos);
            }
        }
    }

    /** Turns the wheel and runs the loop once, at the present time. */
    public void turn() {
        stalls.turned(nowNanos);
        wheel.advance(nowNanos, Integer.MAX_VALUE);
        runTasks();
    }

    /** What the sockets deliver between the first and the second look. */
    public Runnable reads = () -> {};

    /** Runs what waits on the loop. */
    public void runTasks() {
        while (!tasks.isEmpty() || !afterReads.isEmpty()) {
            while (!tasks.isEmpty()) {
                tasks.remove().run();
            }
            reads.run();
            tasks.addAll(afterReads);
            afterReads.clear();
        }
    }

    /** Entries of the wheel that are armed now. */
    public int armed() {
        return wheel.countArmed();
    }

    private final class Loop implements LoopTasks {
        @Override
        public void execute(Runnable task) {
            loopWakes += tasks.isEmpty() ? 1 : 0;
            tasks.add(task);
        }

        @Override
        public void executeAfterReads(Runnable task) {
            afterReads.add(task);
        }

        @Override
        public void executeIn(Runnable task, long nanos) {
            throw new AssertionError("nobody probes it");
        }
    }

    private final class Recorder implements EventSink, SessionObserver {
        @Override
        public void publish(Fact event) {
            if (event instanceof ConnectionEvent ofConnection) {
                events.add(ofConnection);
            }
        }

        @Override
        public void publish(ConnectionEvent.Message message, Reply reply) {
            events.add(message);
            replies.add(reply);
        }

        @Override
        public boolean publishOrWait(ConnectionEvent.Message message, Reply reply, Waiter waiter) {
            if (sinkIsFull) {
                waiters.add(waiter);
                return false;
            }
            publish(message, reply);
            return true;
        }

        @Override
        public void forget(Waiter waiter) {
            waiters.remove(waiter);
        }

        @Override
        public void close() {}

        @Override
        public void closed(Evidence close) {
            evidence.add(close);
            closed.add(new Closed(
                    close.protocol(),
                    Objects.requireNonNull(close.reason()),
                    close.established(),
                    close.endedByDeadline()
                            ? TimeUnit.MICROSECONDS.toNanos(close.timing().latenessMicros())
                            : -1,
                    TimeUnit.MICROSECONDS.toNanos(close.timing().silentMicros())));
        }

        @Override
        public void incident(Incident incident) {
            incidents.add(incident);
        }

        @Override
        public void rateLimited() {
            ratePauses++;
        }

        @Override
        public void credited(long creditNanos) {
            credits.add(creditNanos);
        }

        @Override
        public void stalled(int loop, long nanos) {
            stallsFound.add(nanos);
        }

        @Override
        public void shadowed(DeadlineKind kind) {
            shadowed.add(kind);
        }

        @Override
        public void shadowSettled(DeadlineKind kind, ShadowOutcome outcome, long nanosAfter, String deviceId) {
            shadowOutcomes.add(outcome);
        }

        @Override
        public void suspectSettled(SuspectOutcome outcome, long heldNanos) {
            suspectOutcomes.add(outcome);
        }

        @Override
        public void probed() {
            probes++;
        }

        @Override
        public void keptAlive() {
            keepAlives++;
        }

        @Override
        public void reprieved() {
            reprieves++;
        }
    }
}

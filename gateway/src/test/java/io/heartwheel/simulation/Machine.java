package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Incident;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.ExpiryQueue;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.liveness.Location;
import io.heartwheel.liveness.LoopLagProbe;
import io.heartwheel.liveness.RateClasses;
import io.heartwheel.liveness.RateLimits;
import io.heartwheel.liveness.ShadowPolicy;
import io.heartwheel.liveness.Stalls;
import io.heartwheel.liveness.WheelPulse;
import io.heartwheel.session.ConnectionQuotas;
import io.heartwheel.session.Directory;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.Outbox;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.wheel.Timed;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The process that is judged: one wheel, its loops, one registry. Its threads are the world's. */
final class Machine {
    static final long WALL_MILLIS = 1_700_000_000_000L;
    /** Only a device that floods meets them. */
    private static final RateLimits LIMITS =
            new RateLimits(true, 100, 1 << 30, Duration.ofSeconds(1), Duration.ofHours(1));

    final TimingWheel wheel;
    final TrueStalls wheelStalls = new TrueStalls();
    final List<EventLoop> loops = new ArrayList<>();
    final SessionRegistry registry;
    private final World world;
    private final Recorder recorder = new Recorder();
    private final Breaker breaker;
    private final WheelPulse pulse;
    private final List<SessionContext> failureGroups = new ArrayList<>();
    private final SplittableRandom random;
    final RandomTokens tokens;
    final TrueGroups groups;
    final ConnectionQuotas quotas;

    Machine(World world, Circumstances is) {
        this.world = world;
        random = Chance.stream(is.seed(), "machine", 0);
        tokens = new RandomTokens(world, is);
        groups = new TrueGroups(is.devices());
        quotas = new ConnectionQuotas(groups.settings(), RateClasses.OFF);
        wheel = new TimingWheel(
                is.tickNanos(), is.buckets(), 8 * is.devices() + 1_024, is.clockStartNanos(), new Watch());
        registry = new SessionRegistry(world::clock, () -> 1_000_000 + world.now() / 1_000, 0);
        breaker = new Breaker(
                is.mass().settings(), wheel, is.loops(), world::clock, () -> WALL_MILLIS, recorder, this::somewhere);
        pulse = new WheelPulse(wheel, world::clock, is.pulseNanos(), is.credit().settings(), this::stood);
        pulse.begin();
        LivenessPolicy policy = new LivenessPolicy(is.rules().settings(), LIMITS);
        for (int i = 0; i < is.loops(); i++) {
            EventLoop loop = new EventLoop(i, Chance.stream(is.seed(), "loop", i), world::now);
            loops.add(loop);
            failureGroups.add(sessionContext(loop, policy));
        }
    }

    private SessionContext sessionContext(EventLoop loop, LivenessPolicy policy) {
        Stalls ledger = new Stalls(loop.index, world.is.credit().settings(), world.clock(), recorder);
        loop.turnsBy(nanos -> ledger.turned(world.is.clockStartNanos() + nanos));
        LoopStats stats = new LoopStats();
        new LoopLagProbe(stats.lag(), ledger, pulse, () -> world.is.clockStartNanos() + loop.now(), loop).begin();
        return new SessionContext(
                wheel,
                policy,
                new ShadowPolicy(null),
                new Claims(),
                tokens.policy(),
                quotas,
                recorder,
                recorder,
                stats,
                new ExpiryQueue(loop, world::clock, recorder, ledger, breaker),
                ledger,
                breaker,
                Outbox.none(),
                new Location(loop.index, 0, "tcp"),
                world::clock,
                () -> WALL_MILLIS);
    }

    /** The wheel's thread came late. */
    private void stood() {
        for (int i = 0; i < loops.size(); i++) {
            Stalls ledger = failureGroups.get(i).stalls();
            loops.get(i).execute(() -> ledger.turned(world.clock()));
        }
    }

    private void somewhere(Runnable task) {
        loops.get(0).execute(task);
    }

    SessionContext sessionContext(EventLoop loop) {
        return failureGroups.get(loop.index);
    }

    /** When the wheel's thread next turns it. */
    long wheelWakesAt() {
        long nowNanos = world.now();
        long clock = world.clock();
        long inNanos = Math.max(0, wheel.nextWakeNanos(clock) - clock);
        return wheelStalls.stallsAt(nowNanos)
                ? Math.max(nowNanos + inNanos, wheelStalls.lastUntil())
                : nowNanos + inNanos;
    }

    void turnWheel() {
        wheel.advance(world.clock(), world.is.budget());
    }

    /** A loop that has work and runs now, or null. */
    @Nullable
    EventLoop busyLoop() {
        int count = loops.size();
        int first = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            EventLoop loop = loops.get((first + i) % count);
            if (loop.hasWork() && !loop.stalls.stallsAt(world.now())) {
                return loop;
            }
        }
        return null;
    }

    /** When the first loop that stands still and has work goes on. */
    long loopWakesAt() {
        long first = Long.MAX_VALUE;
        for (EventLoop loop : loops) {
            if (loop.hasWork() && loop.stalls.stallsAt(world.now())) {
                first = Math.min(first, loop.stalls.lastUntil());
            }
        }
        return first;
    }

    /** The registry, which may take its time. */
    private final class Claims implements Directory<Session> {
        @Override
        public void claim(Session session, long lastEpoch, Claimant<Session> claimant) {
            Wire wire = (Wire) session;
            if (wire.history.stage == TrueHistory.Stage.CLAIMING) {
                wire.claimsAgain();
            } else {
                wire.admitted();
            }
            registry.claim(session, lastEpoch, new Claimant<>() {
                @Override
                public void granted(long epoch, @Nullable Session predecessor) {
                    wire.device.claimed(wire, (Wire) predecessor);
                    if (random.nextInt(100) < world.is.slowClaimPercent()) {
                        long delay = Chance.nanos(random, 0.001, random.nextInt(8) == 0 ? 30 : 1);
                        world.in(delay, () -> claimant.granted(epoch, predecessor));
                    } else {
                        claimant.granted(epoch, predecessor);
                    }
                }

                @Override
                public void refused(CloseReason reason) {
                    throw new AssertionError(reason);
                }

                @Override
                public void later(Wait wait, long lastEpoch, Session holder) {
                    wire.hasToWait((Wire) holder, wait.nanos());
                    claimant.later(wait, lastEpoch, holder);
                }
            });
        }

        @Override
        public void unanswered(Session session) {
            ((Wire) session).unanswered();
            registry.unanswered(session);
        }

        @Override
        public void release(Session session) {
            registry.release(session);
        }
    }

    private final class Recorder implements EventSink, SessionObserver {
        @Override
        public void publish(Fact event) {
            if (event instanceof ConnectionEvent ofConnection) {
                world.oracle.published(ofConnection, world.now());
            }
        }

        @Override
        public void publish(ConnectionEvent.Message message, Reply reply) {
            throw new AssertionError("nobody sends");
        }

        @Override
        public void close() {}

        @Override
        public void incident(Incident incident) {
            world.note(incident.toString());
            world.oracle.incidents.reported(incident, world.now());
        }

        @Override
        public void closed(Evidence close) {
            world.oracle.counted(
                    Objects.requireNonNull(close.reason()),
                    close.endedByDeadline()
                            ? TimeUnit.MICROSECONDS.toNanos(close.timing().latenessMicros())
                            : -1);
        }
    }

    private final class Watch implements WheelObserver {
        @Override
        public void failed(Timed timed, Throwable failure) {
            world.oracle.violate(null, world.now(), "the wheel met a failure: " + failure);
        }
    }
}

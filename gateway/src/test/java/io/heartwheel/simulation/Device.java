package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import io.heartwheel.session.GoAway;
import io.heartwheel.wheel.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A device, connection after connection: it sends heartbeats, sends byte by byte, reads slowly, falls silent, hangs up, comes back before its old
 * connection is gone.
 */
final class Device {
    private static final int BIG_BYTES = 70_000;

    /** Behaviour on one connection. */
    private enum Behaviour {
        FAITHFUL,
        NEARLY_LATE,
        AT_THE_EDGE,
        ANSWERS_ONLY,
        DRIPS,
        READS_SLOWLY
    }

    private static final Behaviour[] BEHAVIOURS = Behaviour.values();

    final String name;
    final int index;
    /** When a drain wants it gone. */
    long drainedNanos = Long.MAX_VALUE;

    private final World world;
    private final SplittableRandom random;
    private final long tickNanos;
    private final int doomPercent;
    private final boolean isSpokenTo;
    private final SplittableRandom flood;
    private final boolean floods;
    private final SplittableRandom edge;
    final TrueTakeovers takeovers = new TrueTakeovers();
    private final SplittableRandom flap;
    private final SplittableRandom rival;
    private final boolean flaps;
    /** So many more times it connects anew at once, whether its connection stands or not, as two devices with one id do. */
    private int hasty;

    private Behaviour behaviour = Behaviour.FAITHFUL;
    private final List<Wire> wires = new ArrayList<>();
    private boolean mute;
    private @Nullable Wire wire;
    private @Nullable Wire holder;
    private @Nullable Wire displaced;

    Device(World world, int index) {
        this.world = world;
        this.index = index;
        name = "device-" + index;
        random = Chance.stream(world.is.seed(), "device", index);
        tickNanos = world.is.tickNanos();
        int doom = random.nextInt(25);
        doomPercent = world.is.noisy() ? doom / 8 : doom;
        isSpokenTo = random.nextInt(8) == 0;
        flood = Chance.stream(world.is.seed(), "flood", index);
        edge = Chance.stream(world.is.seed(), "edge", index);
        // in one world of eight
        flap = Chance.stream(world.is.seed(), "flap", index);
        rival = Chance.stream(world.is.seed(), "rival", index);
        flaps = Chance.stream(world.is.seed(), "flaps", 0).nextInt(8) == 0 && flap.nextInt(4) == 0;
        // in one world of four
        floods = Chance.stream(world.is.seed(), "floods", 0).nextInt(4) == 0 && flood.nextInt(4) == 0;
    }

    void begin() {
        long duration = world.is.durationNanos();
        boolean burst = random.nextInt(100) < world.is.burstPercent();
        // bursts: all in a few milliseconds, at one of three times
        long at = burst
                ? duration / 4 * random.nextInt(3) + random.nextLong(5_000_000)
                : random.nextLong(duration * 3 / 4);
        world.at(at, this::connect);
        if (random.nextInt(20) == 0) {
            world.at(duration / 100 * random.nextInt(60, 95), this::drain);
        }
    }

    /** Out of reach for a while. */
    void blackout(long untilNanos) {
        Wire which = wire;
        if (which != null) {
            world.note(which.history, "is out of reach until " + Oracle.seconds(untilNanos));
            which.dark(true);
            world.at(untilNanos, () -> which.dark(false));
        }
    }

    /** The loop of its latest connection, -1 if it has none. */
    int loop() {
        return wire == null ? -1 : wire.loop.index;
    }

    // ------------------------------------------------------------------ connections

    private void connect() {
        if (!world.goesOn()) {
            return;
        }
        EventLoop loop = world.machine.loops.get(random.nextInt(world.is.loops()));
        Rules rules = world.is.rules();
        boolean plain = random.nextInt(3) == 0;
        long wanted = random.nextInt(3) == 0 ? 0 : random.nextLong(rules.minMillis() / 2, rules.maxMillis() * 2);
        loop.execute(() -> {
            if (!world.goesOn()) {
                return;
            }
            Wire accepted = new Wire(world, loop, this, plain, wanted);
            wire = accepted;
            wires.removeIf(old -> old.history.stage == TrueHistory.Stage.GONE);
            wires.add(accepted);
            mute = false;
            accepted.accept();
            greet(accepted);
        });
    }

    private void greet(Wire to) {
        long handshake = world.is.rules().handshakeNanos();
        long timeout = handshake == 0 ? 10_000_000_000L : handshake;
        switch (random.nextInt(12)) {
            case 0 -> plan(to, timeout + Chance.nearly(random, tickNanos), () -> hello(to));
            case 1 -> world.note(to.history, "will never say HELLO");
            case 2 -> {
                to.deliver(0, random.nextInt(1, 40), false);
                drip(to, 1);
            }
            case 3 -> plan(to, (long) (timeout * random.nextDouble()), () -> hello(to));
            default -> plan(to, Chance.nanos(random, 1e-6, 0.05), () -> hello(to));
        }
    }

    private void hello(Wire to) {
        to.deliver(random.nextInt(8) == 0 ? 2 : 1, random.nextInt(8) == 0 ? random.nextInt(1, 300) : 0, false);
    }

    /** The directory gave it the id. */
    void claimed(Wire to, @Nullable Wire predecessor) {
        holder = to;
        displaced = predecessor;
        to.claimed(predecessor);
        if (predecessor != null) {
            to.violateIf(takeovers.takesOver(predecessor, world.now()));
            predecessor.history.mayBeOrdered(CloseReason.TAKEN_OVER);
        }
    }

    /** The connection stands, and its predecessor has been told. */
    void displaced(Wire by) {
        if (displaced != null && holder == by) {
            displaced.history.ordered(world.now(), CloseReason.TAKEN_OVER);
            displaced = null;
        }
    }

    @Nullable
    Wire holder() {
        return holder;
    }

    void welcomed(Wire to) {
        behaviour = world.is.noisy() ? Behaviour.FAITHFUL : BEHAVIOURS[random.nextInt(BEHAVIOURS.length)];
        world.note(to.history, "is a device that is " + behaviour);
        if (flaps && hasty == 0 && flap.nextInt(4) == 0) {
            hasty = flap.nextInt(4, 40);
        }
        connectInHaste();
        beat(to);
        if (isSpokenTo) {
            speakTo(to);
        }
    }

    /** The gateway has messages for it, whether it is there or not. */
    private void speakTo(Wire to) {
        long beat = Math.max(to.history.beatNanos(), 1_000_000_000);
        world.in((long) (beat * random.nextDouble()), () -> {
            if (to == wire && to.history.isEstablished() && world.goesOn()) {
                push(to, random.nextInt(3) == 0 ? BIG_BYTES : 500);
                speakTo(to);
            }
        });
    }

    private void connectInHaste() {
        if (hasty > 0) {
            hasty--;
            world.in(Chance.nanos(flap, 0.01, 3), this::connect);
        }
    }

    void closed(Wire which) {
        if (which == wire) {
            connectInHaste();
        }
        if (which == wire && random.nextInt(3) != 0) {
            world.in(Chance.nanos(random, 0.001, world.is.durationNanos() / 2e9), this::connect);
        }
        if (!mute && random.nextBoolean()) {
            world.in(Chance.nanos(random, 0.001, 2), () -> which.deliver(0, 0, true));
        }
    }

    void sentAway(Wire which) {
        if (random.nextBoolean()) {
            world.in(Chance.nanos(random, 0.001, 20), () -> which.deliver(0, 0, true));
        }
    }

    private void drain() {
        Wire which = wire;
        if (which != null && world.goesOn()) {
            which.loop.execute(() -> {
                long leave = Chance.nanos(random, 0.1, 60);
                if (which.history.isEstablished() && edge.nextBoolean()) {
                    // at about the time at which its silence would end it
                    leave = Math.max(0, which.history.silenceEnds() - world.now() + Chance.nearly(edge, tickNanos));
                }
                drainedNanos = random.nextBoolean() ? Long.MAX_VALUE : world.now() + leave;
                long clock = world.is.clockStartNanos() + drainedNanos;
                which.sendAway(
                        CloseReason.SHUTDOWN,
                        GoAway.AT_ONCE,
                        drainedNanos == Long.MAX_VALUE ? Deadline.NO_DEADLINE : clock);
            });
        }
    }

    /** The world is over: most hang up, some are told to go, with all whose token is being checked: they are not read meanwhile. */
    void goHome() {
        for (Wire open : wires) {
            open.dark(false);
            boolean told = open.history.isOpen() && random.nextInt(4) == 0;
            if (told || open.history.stage == TrueHistory.Stage.AUTHENTICATING) {
                world.ordered(open, CloseReason.SHUTDOWN);
            } else if (open.history.stage != TrueHistory.Stage.CLOSED) {
                open.window(-1);
                open.deliver(0, 0, true);
            }
        }
    }

    // ------------------------------------------------------------------ what it does

    /** Does something later, unless another plan was made for this connection or the device fell silent. */
    private void plan(Wire to, long inNanos, Runnable what) {
        int plan = ++to.plan;
        long at = world.now() + Math.max(0, inNanos);
        if (world.is.aligned() && random.nextInt(4) != 0) {
            at = (at + tickNanos - 1) / tickNanos * tickNanos;
        }
        world.at(at, () -> {
            if (plan == to.plan && !mute && to == wire && world.goesOn()) {
                what.run();
            }
        });
    }

    /** One more frame in its time; or the end of its good manners. */
    private void beat(Wire to) {
        int doom = random.nextInt(1_000);
        if (doom < doomPercent * 2) {
            world.note(to.history, "falls silent");
            mute = true;
            if (random.nextInt(4) == 0) {
                // its link is cut while messages for it are under way
                to.window(0);
                push(to, BIG_BYTES);
                push(to, BIG_BYTES);
            }
            world.in(Chance.nanos(random, 0.01, world.is.durationNanos() / 2e9), this::connect);
        } else if (doom < doomPercent * 3) {
            connect();
        } else if (doom < doomPercent * 4) {
            world.in(0, () -> to.deliver(0, 0, true));
        } else if (doom < doomPercent * 5 && random.nextInt(8) == 0) {
            world.ordered(to, CloseReason.ADMIN_CLOSED);
        }
        long beat = to.history.beatNanos();
        if (beat == 0) {
            beat = world.is.rules().intervalMillis() * 1_000_000;
        }
        if (floods && flood.nextInt(10) == 0) {
            to.deliver(flood.nextInt(80, 600), 0, false);
        }
        if (random.nextInt(16) == 0) {
            push(to, random.nextInt(8) == 0 ? BIG_BYTES : 500);
        }
        switch (behaviour) {
            case FAITHFUL -> plan(to, (long) (beat * (0.3 + 0.67 * random.nextDouble())), () -> speak(to));
            case NEARLY_LATE -> plan(to, (long) (beat * (0.9 + 0.2 * random.nextDouble())), () -> speak(to));
            case AT_THE_EDGE -> atTheEdge(to, beat);
            case ANSWERS_ONLY -> {
                if (!to.history.isEverProbed()) {
                    plan(to, beat / 2, () -> speak(to));
                }
            }
            case DRIPS -> plan(to, (long) (beat * 0.9 * random.nextDouble()), () -> beginFrame(to));
            case READS_SLOWLY -> plan(to, (long) (beat * 0.9 * random.nextDouble()), () -> readSlowly(to));
        }
    }

    private void atTheEdge(Wire to, long beat) {
        long edge = to.history.silenceEnds() - world.now() + Chance.nearly(random, tickNanos);
        plan(to, random.nextInt(3) != 0 ? edge : beat + Chance.nearly(random, tickNanos), () -> speak(to));
    }

    private void speak(Wire to) {
        if (random.nextInt(100) < world.is.lossPercent()) {
            world.note(to.history, "a frame is lost");
        } else {
            boolean another = random.nextInt(30) == 0 && !world.is.noisy();
            to.deliver(random.nextInt(1, 3), another ? random.nextInt(1, 900) : 0, false);
        }
        // once the loop has had its chance to read
        world.in(0, () -> plan(to, 0, () -> beat(to)));
    }

    private void push(Wire to, int bytes) {
        to.loop.execute(() -> to.push(bytes));
    }

    // ------------------------------------------------------------------ frames that take long

    private void beginFrame(Wire to) {
        boolean burst = random.nextInt(4) == 0;
        to.deliver(0, to.sentBehind + random.nextInt(1, burst ? 100_000 : 2_000), false);
        if (random.nextInt(16) == 0) {
            world.note(to.history, "dies in the middle of a frame");
            mute = true;
            world.in(Chance.nanos(random, 0.01, world.is.durationNanos() / 2e9), this::connect);
        } else {
            world.in(0, () -> drip(to, random.nextInt(1, 5)));
        }
    }

    private void drip(Wire to, int steps) {
        long ends = to.history.beatNanos() == 0 || random.nextBoolean()
                ? to.history.partialEnds()
                : Math.min(to.history.partialEnds(), to.history.silenceEnds());
        long left = Math.max(0, ends - world.now());
        long edge = left + Chance.nearly(random, tickNanos);
        long wait = random.nextInt(3) == 0 ? edge : (long) (left * random.nextDouble());
        plan(to, wait, () -> {
            if (steps > 1) {
                to.deliver(0, to.sentBehind + random.nextInt(1, 500), false);
                world.in(0, () -> drip(to, steps - 1));
            } else {
                boolean another = to.history.isEstablished() && random.nextInt(3) == 0;
                to.deliver(1, another ? random.nextInt(1, 50) : 0, false);
                if (to.history.isEstablished()) {
                    world.in(0, () -> beat(to));
                }
            }
        });
    }

    // ------------------------------------------------------------------ reading slowly

    private void readSlowly(Wire to) {
        to.window(random.nextInt(3) * 100L);
        push(to, random.nextBoolean() ? BIG_BYTES : random.nextInt(50, 4_000));
        world.in(0, () -> trickle(to, random.nextInt(1, 6)));
    }

    private void trickle(Wire to, int steps) {
        long left = Math.max(0, to.history.pendingEnds() - world.now());
        long wait =
                random.nextInt(3) == 0 ? left + Chance.nearly(random, tickNanos) : (long) (left * random.nextDouble());
        MassRules mass = world.is.mass();
        if (mass.on() && edge.nextInt(4) == 0) {
            // too late, but if the breaker is patient just in time; and meanwhile it speaks
            wait = left + (long) (2 * mass.patienceNanos() * edge.nextDouble());
            speakMeanwhile(to, (long) (wait * edge.nextDouble()));
        }
        plan(to, wait, () -> {
            to.window(steps > 1 ? random.nextInt(1, 500) : -1);
            if (steps > 1) {
                if (random.nextBoolean()) {
                    to.deliver(1, 0, false);
                }
                world.in(0, () -> trickle(to, steps - 1));
            } else {
                speak(to);
            }
        });
    }

    /** Says something beside the next plan, should that still stand then. */
    private void speakMeanwhile(Wire to, long inNanos) {
        int plan = to.plan + 1;
        world.in(inNanos, () -> {
            if (plan == to.plan && !mute && to == wire && world.goesOn()) {
                to.deliver(1, 0, false);
            }
        });
    }

    // ------------------------------------------------------------------ what it is asked

    /** Another connection wants the id of this one, which may be dead. */
    void askedForItsId(Wire to) {
        if (!(mute && to == wire) && rival.nextInt(3) != 0) {
            world.in(Chance.nanos(rival, 0.001, 20), () -> to.deliver(1, 0, false));
        }
    }

    void asked(Wire to) {
        if (mute || to != wire || to.history.stage == TrueHistory.Stage.CLOSED) {
            return;
        }
        long answer = to.history.answerNanos();
        switch (behaviour) {
            case ANSWERS_ONLY, READS_SLOWLY -> {
                long wait = random.nextInt(4) == 0
                        ? answer + Chance.nearly(random, tickNanos)
                        : (long) (answer * 0.98 * random.nextDouble());
                plan(to, wait, () -> speak(to));
            }
            case AT_THE_EDGE ->
                plan(to, to.history.silenceEnds() - world.now() + Chance.nearly(random, tickNanos), () -> speak(to));
            default -> {
                if (random.nextInt(4) != 0) {
                    world.in(Math.min(answer, Chance.nanos(random, 0.001, 0.2)), () -> to.deliver(1, 0, false));
                }
            }
        }
    }
}

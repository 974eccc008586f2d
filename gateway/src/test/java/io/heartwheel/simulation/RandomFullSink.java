package io.heartwheel.simulation;

import io.heartwheel.event.ConnectionEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Random times at which the sink is full: a peer that cannot be told is not read from its next message on, and is read again when there is room. */
final class RandomFullSink {
    private static final ConnectionEvent.Message MESSAGE =
            new ConnectionEvent.Message(new ConnectionEvent.Identity("", 0, 0), 0, 0, 0, false, new byte[0]);

    private final World world;
    private final SplittableRandom random;
    private final double silenceSeconds;
    private final List<Wire> waiting = new ArrayList<>();
    private boolean full;
    private boolean ended;

    RandomFullSink(World world) {
        this.world = world;
        random = Chance.stream(world.is.seed(), "sink", 0);
        silenceSeconds =
                world.is.rules().intervalMillis() / 1e3 * world.is.rules().graceHundredths() / 100;
    }

    /** In one world of two. */
    void begin() {
        if (random.nextBoolean()) {
            next();
        }
    }

    private void next() {
        world.in(Chance.nanos(random, silenceSeconds, 20 * silenceSeconds), () -> {
            if (world.goesOn()) {
                world.note("the sink is full");
                full = true;
                world.in(Chance.nanos(random, silenceSeconds / 1_000, 4 * silenceSeconds), this::makeRoom);
            }
        });
    }

    private void makeRoom() {
        world.note("the sink has room");
        full = false;
        List<Wire> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(wire -> wire.loop.execute(wire::roomForMore));
        if (!ended) {
            next();
        }
    }

    /** There is room from now on. */
    void end() {
        ended = true;
        makeRoom();
    }

    /** Whether this wire's message is held; then it is. */
    boolean holds(Wire wire) {
        if (full) {
            waiting.add(wire);
        }
        return full;
    }

    static ConnectionEvent.Message message() {
        return MESSAGE;
    }
}

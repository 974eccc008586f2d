package io.heartwheel.simulation;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random times at which the sink is full: a peer that cannot be told, and in one world of two any device, is not read from its next message on, and is read
 * again when there is room. What waits is settled once: when there is room, or when its connection ends.
 */
final class RandomFullSink {
    private static final ConnectionEvent.Message MESSAGE =
            new ConnectionEvent.Message(new ConnectionEvent.Identity("", 0, 0), 0, 0, 0, false, new byte[0]);

    static final EventSink.Reply REPLY = new EventSink.Reply() {
        @Override
        public void accepted() {}

        @Override
        public void refused() {}

        @Override
        public void send(long messageId, boolean text, byte[] payload) {}
    };

    private final World world;
    private final SplittableRandom random;
    private final double silenceSeconds;
    private final List<Wire> waiting = new ArrayList<>();
    private boolean full;
    private boolean ended;
    /** Whether devices with frames wait, too. */
    private final boolean forAll;
    /** Messages that had to wait, and those of them that were settled. */
    private int held;

    private int settled;

    RandomFullSink(World world) {
        this.world = world;
        random = Chance.stream(world.is.seed(), "sink", 0);
        forAll = Chance.stream(world.is.seed(), "sink for all", 0).nextBoolean();
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
    boolean holds(Wire wire, boolean plain) {
        boolean holds = full && (plain || forAll);
        if (holds) {
            waiting.add(wire);
            held++;
        }
        return holds;
    }

    /** What this wire held is with the sink, or its connection has ended and told so. */
    void settled(Wire wire) {
        waiting.remove(wire);
        settled++;
    }

    /** Messages that waited and of which nothing was heard again. */
    int lost() {
        return held - settled;
    }

    static ConnectionEvent.Message message() {
        return MESSAGE;
    }
}

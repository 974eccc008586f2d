package io.heartwheel.simulation;

import io.heartwheel.wheel.Timed;
import java.util.SplittableRandom;

/**
 * An entry of the same wheel without a second look: it checks what the wheel alone promises. Expires at or after the deadline it was last given, moved
 * later with or without telling the wheel; at most a tick after it; once.
 */
final class Bystander implements Timed {
    private final World world;
    private final SplittableRandom random;
    private final int index;
    private final int handle;
    private boolean armed;
    private long deadlineNanos;
    private long armedNanos;

    Bystander(World world, int index) {
        this.world = world;
        this.index = index;
        random = Chance.stream(world.is.seed(), "bystander", index);
        handle = world.machine.wheel.register(this);
    }

    void begin() {
        if (!world.goesOn()) {
            return;
        }
        check();
        if (!armed || random.nextInt(3) == 0) {
            arm(delay());
        } else if (random.nextInt(4) == 0) {
            armed = false;
            world.machine.wheel.disarm(handle);
        } else {
            // as activity does: the wheel is not told
            deadlineNanos = Math.max(deadlineNanos, world.now() + delay());
        }
        world.in(delay(), this::begin);
    }

    void end() {
        armed = false;
        world.machine.wheel.disarm(handle);
    }

    private long delay() {
        long tick = world.is.tickNanos();
        if (random.nextInt(4) == 0) {
            return tick * random.nextInt(4) + Math.max(0, Chance.nearly(random, tick));
        }
        return Chance.nanos(random, 0.001, world.is.durationNanos() / Chance.SECOND / 8);
    }

    private void arm(long delayNanos) {
        armed = true;
        armedNanos = world.now();
        deadlineNanos = world.now() + delayNanos;
        world.machine.wheel.arm(handle, world.is.clockStartNanos() + deadlineNanos);
    }

    private void check() {
        long latest = world.machine.wheelStalls.runsAt(Math.max(deadlineNanos, armedNanos) + world.is.tickNanos());
        if (armed && latest < world.now()) {
            violate("did not expire, due at the latest at " + Oracle.seconds(latest));
        }
    }

    @Override
    public long deadlineNanos() {
        return world.is.clockStartNanos() + deadlineNanos;
    }

    @Override
    public void expire(long nowNanos) {
        check();
        if (!armed) {
            violate("expired although it was not armed");
        } else if (world.now() < deadlineNanos) {
            violate("expired too early, due at " + Oracle.seconds(deadlineNanos));
        }
        armed = false;
    }

    private void violate(String what) {
        world.oracle.violate(null, world.now(), "timer " + index + " of the same wheel " + what);
    }
}

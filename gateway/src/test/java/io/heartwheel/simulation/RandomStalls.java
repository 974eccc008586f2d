package io.heartwheel.simulation;

import java.util.SplittableRandom;

/** Random stalls: of one loop, of the wheel's thread, of all threads. As under SIGSTOP, or a long collection of garbage. */
final class RandomStalls {
    private final World world;
    private final Circumstances is;
    private final SplittableRandom random;
    private final SplittableRandom moments;
    private final boolean falters;

    RandomStalls(World world) {
        this.world = world;
        is = world.is;
        random = Chance.stream(is.seed(), "weather", 0);
        moments = Chance.stream(is.seed(), "moments", 0);
        falters = is.isFaltering();
    }

    void begin() {
        for (int i = 0; i < is.blackouts(); i++) {
            world.at((long) (is.durationNanos() * (0.1 + 0.8 * random.nextDouble())), this::blackout);
        }
        if (is.stallGapNanos() > 0 && world.cut.stalls()) {
            next();
        }
    }

    /** The network of many devices goes dark: of all, of one loop's, of one subnet's. */
    private void blackout() {
        long beat = is.rules().intervalMillis() * 1_000_000;
        double silence = beat * is.rules().graceHundredths() / 100.0;
        long until = world.now() + (long) (silence * Chance.even(random, 0.3, 5));
        int kind = random.nextInt(3);
        int which = random.nextInt(5);
        for (Device device : world.devices()) {
            boolean struck = is.noisy()
                    ? is.isNoisy(device.index)
                    : switch (kind) {
                        case 0 -> true;
                        case 1 -> device.loop() == which % is.loops();
                        default -> device.index % 5 == which;
                    };
            if (struck) {
                device.blackout(until);
            }
        }
    }

    private void next() {
        world.in((long) (-Math.log(1 - random.nextDouble()) * is.stallGapNanos()), () -> {
            if (world.goesOn()) {
                strike();
                next();
            }
        });
    }

    private void strike() {
        long until = world.now() + Chance.nanos(random, 0.001, is.longestStallSeconds());
        int kind = random.nextInt(10);
        if (kind < 5) {
            stall(world.machine.loops.get(random.nextInt(is.loops())), until);
        } else if (kind < 7) {
            stallWheel(until);
        } else if (kind == 7) {
            // first the wheel, and before it comes back a loop
            stallWheel(until);
            EventLoop loop = world.machine.loops.get(random.nextInt(is.loops()));
            long length = Chance.nanos(random, 0.1, is.longestStallSeconds());
            world.in((long) ((until - world.now()) * random.nextDouble()), () -> {
                if (world.goesOn()) {
                    stall(loop, world.now() + length);
                }
            });
        } else {
            stallWheel(until);
            world.machine.loops.forEach(loop -> {
                stall(loop, until);
                loop.stalls.process.add(world.now(), until);
            });
        }
    }

    /** Between two rounds of a loop. */
    void between(EventLoop loop) {
        if (is.midBatchStalls() > 0
                && world.cut.stalls()
                && world.goesOn()
                && random.nextInt(1_000) < is.midBatchStalls()) {
            stall(loop, world.now() + Chance.nanos(random, 0.0001, Math.min(5, is.longestStallSeconds())));
        }
        if (falters && world.cut.stalls() && world.goesOn() && moments.nextInt(20) == 0) {
            stall(loop, world.now() + Chance.nanos(moments, 0.01, 1));
        }
    }

    private void stall(EventLoop loop, long until) {
        if (world.isTracing()) {
            world.note("loop " + loop.index + " stands still until " + Oracle.seconds(until));
        }
        loop.stalls.add(world.now(), until);
        loop.stalls.either.add(world.now(), until);
    }

    private void stallWheel(long until) {
        if (world.isTracing()) {
            world.note("the wheel stands still until " + Oracle.seconds(until));
        }
        world.machine.wheelStalls.add(world.now(), until);
        world.machine.loops.forEach(loop -> loop.stalls.either.add(world.now(), until));
    }
}

package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.ActionTime;
import io.heartwheel.loadgen.client.Behaviour;
import io.heartwheel.loadgen.client.Behaviours;
import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.Payload;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Reader of a group's behaviour. One thread.
 *
 * @param replays what each block of the kind {@value #REPLAY} replays, read before: how long a run is may depend on it
 */
record BehaviourReader(
        DeviceDefaults deviceDefaults, Contract contract, long durationNanos, Map<Block, ReplayPlan> replays) {

    /** The kind that replays a recording. */
    static final String REPLAY = "replay";

    private static final List<String> KINDS = List.of(
            ("steady chatty slow-reader byte-drip never-hello flapping silent vanishing reset leaving late duplicate-id"
                            + " nat-rebind roaming crowd rival " + REPLAY)
                    .split(" "));

    /** Nearer than this share of the interval to what is allowed, nobody could say who was late. */
    private static final double DOUBT = 0.1;

    private static final long MILLI = 1_000_000L;

    Group group(Block block) {
        String kind = block.text("kind", "");
        double weight = block.number("weight", 1, 0, 1e9);
        return new Group(kind, weight, behaviour(kind, block));
    }

    private Supplier<Behaviour> behaviour(String kind, Block block) {
        return switch (kind) {
            case "steady" -> Behaviours::steady;
            case "never-hello" -> Behaviours::neverHello;
            case "slow-reader" -> Behaviours::slowReader;
            case "chatty" -> {
                double rate = block.number("rate", 1, 0.0001, 10_000);
                Payload payload = block.in("payload").payload(Payload.Kind.FIXED, 0, 64, 65_536);
                yield () -> Behaviours.chatty(rate, payload);
            }
            case "byte-drip" -> {
                long step = deviceDefaults.stepNanos();
                long gap = Math.max(1, block.nanos("gap", "1s", "10ms", "1h") / step) * step;
                yield () -> Behaviours.slowWriter(gap);
            }
            case "flapping" -> {
                long up = block.nanos("up", "10s", "100ms", "30d");
                long down = block.nanos("down", "5s", "0s", "30d");
                yield () -> Behaviours.flapping(up, down);
            }
            case "late" -> late(block);
            case REPLAY -> {
                ReplayPlan replay = replays.get(block);
                // A file that was bad is a mistake that was noted; until it is told anything will do.
                yield replay == null || replay.lives().isEmpty()
                        ? Behaviours::steady
                        : () -> Behaviours.replay(replay.lives(), replay.speed());
            }
            case "silent" -> turning(block, Behaviours::silent);
            case "crowd" -> turning(block, Behaviours::crowd);
            case "rival" -> turning(block, Behaviours::rival);
            case "vanishing" -> turning(block, Behaviours::vanishing);
            case "reset" -> turning(block, Behaviours::resetting);
            case "leaving" -> turning(block, Behaviours::leaving);
            case "duplicate-id" -> turning(block, Behaviours::duplicateId);
            case "nat-rebind" -> turning(block, Behaviours::natRebind);
            case "roaming" -> turning(block, Behaviours::roaming);
            default -> {
                block.unknown("kind", KINDS);
                yield turning(block, moment -> Behaviours.steady());
            }
        };
    }

    private Supplier<Behaviour> late(Block block) {
        double by = block.number("by", 0.3, 0.01, 100);
        int every = block.integer("every", 3, 1, 1_000_000);
        double silence = deviceDefaults.beatShare() + by;
        double allowed = deviceDefaults.graceHundredths() / 100.0;
        String doubtful = "a silence of " + silence + " intervals is too close to the " + allowed
                + " allowed to be judged: need " + DOUBT + " between them";
        block.check(Math.abs(silence - allowed) >= DOUBT, "by", doubtful);
        long until = Scenario.silenceUntilNanos(deviceDefaults, contract, durationNanos)
                - (long) (by * deviceDefaults.wantedMillis() * MILLI);
        return () -> Behaviours.late(by, every, until);
    }

    /** Behaves like the others until a moment, and then as its kind does. */
    private Supplier<Behaviour> turning(Block block, Function<ActionTime, Behaviour> kind) {
        ActionTime moment = moment(block);
        return () -> kind.apply(moment);
    }

    /** From {@code after} to {@code until}; without them as wide a span as leaves time to judge. */
    private ActionTime moment(Block block) {
        long from = Scenario.silenceFromNanos(deviceDefaults);
        long until = Math.max(from, Scenario.silenceUntilNanos(deviceDefaults, contract, durationNanos));
        boolean given = block.has("after");
        long after = block.nanos("after", from + "ns", "0s", "30d");
        long last = block.nanos("until", (given ? after : until) + "ns", "0s", "30d");
        if (last < after) {
            block.wrong("until", "need at least after, " + Durations.text(after));
            last = after;
        }
        return new ActionTime(after, last);
    }

    /** Kinds that need a moment at which they can still be found out before the end. */
    static final List<String> FOUND_OUT = List.of("silent", "vanishing");
}

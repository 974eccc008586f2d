package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Behaviour;
import io.heartwheel.loadgen.pace.Chance;
import io.heartwheel.loadgen.pace.Spread;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Group;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.Target;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Target and group of each device, by its global index. The same in every process. Immutable; any thread. */
public final class DeviceAssignment {

    private static final long GROUP_DRAW = 1_000_003;
    private static final long STEP_DRAW = 2_000_003;
    private static final long PUSH_DRAW = 3_000_017;

    private final Scenario scenario;
    private final byte[] kinds;
    private final byte[] groups;
    /** Each device's number within its group; empty while no group asks for it. */
    private final int[] numbers;

    /** The assignment of a scenario; 2 bytes a device, and 4 more where a recording is replayed. */
    public DeviceAssignment(Scenario scenario) {
        this.scenario = scenario;
        this.kinds = Spread.kinds(
                scenario.clients(),
                scenario.targets().stream().mapToDouble(Target::weight).toArray());
        this.groups = groups(scenario);
        this.numbers =
                scenario.anyInTheirOwnTime() ? numbers(groups, scenario.groups().size()) : new int[0];
    }

    private static int[] numbers(byte[] groups, int count) {
        int[] next = new int[count];
        int[] numbers = new int[groups.length];
        for (int i = 0; i < groups.length; i++) {
            numbers[i] = next[groups[i]]++;
        }
        return numbers;
    }

    /** Exactly as many of each group as its weight asks for, drawn at random from the seed. */
    private static byte[] groups(Scenario scenario) {
        List<Group> all = scenario.groups();
        byte[] groups = new byte[scenario.clients()];
        double left = all.stream().mapToDouble(Group::weight).sum();
        BitSet taken = new BitSet();
        for (int g = all.size() - 1; g > 0; g--) {
            double share = left <= 0 ? 0 : all.get(g).weight() / left;
            int free = scenario.clients() - taken.cardinality();
            BitSet chosen = Spread.chosen(free, share, Chance.bits(scenario.seed(), g, GROUP_DRAW));
            left -= all.get(g).weight();
            for (int i = 0, at = taken.nextClearBit(0); i < free; i++, at = taken.nextClearBit(at + 1)) {
                if (chosen.get(i)) {
                    groups[at] = (byte) g;
                }
            }
            for (int i = 0; i < groups.length; i++) {
                if (groups[i] == g) {
                    taken.set(i);
                }
            }
        }
        return groups;
    }

    /** Index of the device's target, after so many moves to the next. */
    int kind(int index, int hop) {
        return (kinds[index] + hop) % scenario.targets().size();
    }

    /** Whether the device can acknowledge what is pushed to it. */
    public boolean acknowledgesPushes(int index) {
        return scenario.targets().get(kinds[index]).protocol().acknowledgesPushes();
    }

    /** Index of the device's group. */
    int group(int index) {
        return groups[index];
    }

    /** The device's number within its group, from 0, if it has a life of its own; else 0. */
    int number(int index) {
        return numbers.length == 0 ? 0 : numbers[index];
    }

    /** Makes one behaviour a group, for one event loop. */
    Behaviour[] behaviours() {
        return scenario.groups().stream().map(group -> group.behaviour().get()).toArray(Behaviour[]::new);
    }

    /** Whom a step of the timeline happens to. */
    public BitSet chosen(int step) {
        double share = scenario.timeline().get(step).share();
        return Spread.chosen(scenario.clients(), share, Chance.bits(scenario.seed(), step, STEP_DRAW));
    }

    /** Who may be pushed to. */
    public BitSet recipients(Downlink downlink) {
        Downlink.Among among = downlink.among();
        BitSet able = new BitSet(scenario.clients());
        for (int i = among.first(); i <= among.last(); i++) {
            String kind = scenario.groups().get(groups[i]).label();
            able.set(i, among.behaviours().isEmpty() || among.behaviours().contains(kind));
        }
        if (among.share() >= 1) {
            return able;
        }
        int[] all = able.stream().toArray();
        BitSet some = Spread.chosen(all.length, among.share(), Chance.bits(scenario.seed(), 0, PUSH_DRAW));
        BitSet recipients = new BitSet(scenario.clients());
        some.stream().forEach(each -> recipients.set(all[each]));
        return recipients;
    }

    /** How many devices each target gets, by protocol and address. */
    public Map<String, Long> clientsByTarget() {
        return counts(kinds, scenario.targets().stream().map(Target::label).toList());
    }

    /** How many devices each behaviour gets. */
    public Map<String, Long> clientsByBehaviour() {
        return counts(groups, scenario.groups().stream().map(Group::label).toList());
    }

    private static Map<String, Long> counts(byte[] of, List<String> labels) {
        Map<String, Long> counts = new TreeMap<>();
        for (byte each : of) {
            counts.merge(labels.get(each), 1L, Long::sum);
        }
        return counts;
    }
}

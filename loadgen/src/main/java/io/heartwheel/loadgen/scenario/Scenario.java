package io.heartwheel.loadgen.scenario;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import io.heartwheel.loadgen.client.Behaviour;
import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.pace.Ramp;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A run, decided before it begins. Times count from the beginning of observation: when the ramp is over, however long it
 * took.
 *
 * <pre>
 *   |-- ramp --|-- warm --|-- devices fall silent --|-- last one is found out --|-- tail --|
 *              0          silenceFrom          silenceUntil                          duration
 * </pre>
 *
 * @param name for reports
 * @param clients devices
 * @param seed decides what each of them does
 * @param durationNanos length of observation
 * @param warmUpNanos the first part of it, whose round trips stand apart; 0: none
 * @param ramp when they connect
 * @param targets where; those without an address go to the gateways this run starts
 * @param deviceDefaults what all of them have in common
 * @param groups what they do
 * @param comeback what they do when they lose their connection
 * @param timeline what happens meanwhile
 * @param assertions what must hold, beside what always must
 * @param contract what the gateway is held to
 * @param gateways processes to start
 * @param echo whether the gateway sends each message back to its sender
 * @param sources addresses the devices come from, as written; empty: loopback's own towards loopback, else the kernel's choice
 * @param loops event loops of a worker process; 0: its share of the processors
 * @param downlinks what is pushed to the devices
 * @param uplink what receives the gateway's events, and how; null: nothing
 * @param auth what devices show to be admitted; null: the token of their defaults
 * @param written all of it, as it was read
 */
public record Scenario(
        String name,
        int clients,
        long seed,
        long durationNanos,
        long warmUpNanos,
        Ramp ramp,
        List<Target> targets,
        DeviceDefaults deviceDefaults,
        List<Group> groups,
        Comeback comeback,
        List<Step> timeline,
        List<Assertion> assertions,
        Contract contract,
        Gateways gateways,
        boolean echo,
        String sources,
        int loops,
        List<Downlink> downlinks,
        @Nullable Uplink uplink,
        @Nullable Auth auth,
        Config written) {

    static final ConfigRenderOptions JSON =
            ConfigRenderOptions.concise().setJson(true).setComments(false);
    private static final long MILLI = 1_000_000L;
    private static final long MOST_WARM_UP_NANOS = 10_000_000_000L;
    private static final double TIME_WAIT_SECONDS = 60;
    private static final long HALF_A_SECOND = 500 * MILLI;

    /** All of it as JSON: another process that reads it knows the same. */
    public String text() {
        return written.root().render(JSON);
    }

    /**
     * The same with its targets, and the pushes that name no address, at the gateways that were started for it.
     *
     * @param listeners their address for each protocol
     * @param admins their admin addresses
     */
    public Scenario at(Function<Protocol, InetSocketAddress> listeners, List<InetSocketAddress> admins) {
        List<ConfigObject> blocks = new ArrayList<>();
        for (Config block : written.getConfigList("targets")) {
            Protocol protocol = targets.get(blocks.size()).protocol();
            String address = Addresses.text(listeners.apply(protocol));
            blocks.add(block.withValue("address", ConfigValueFactory.fromAnyRef(address))
                    .root());
        }
        Config moved = written.withValue("targets", ConfigValueFactory.fromIterable(blocks));
        if (!downlinks.isEmpty() && downlinks.get(0).http().addresses().isEmpty()) {
            List<String> addresses = admins.stream().map(Addresses::text).toList();
            moved = moved.withValue("downlink.http.addresses", ConfigValueFactory.fromIterable(addresses));
        }
        return ScenarioReader.read(moved, name);
    }

    /** Its name and its actual size, whatever the name says. */
    public String title() {
        return String.format(Locale.ROOT, "%s, %,d device%s", name, clients, clients == 1 ? "" : "s");
    }

    /** Share of the devices that some time have to be closed by the gateway, 0..1. */
    public double closedShare() {
        double live = 1 - average(Behaviour::closedShare);
        for (Step step : timeline) {
            boolean closes = step.action() == Step.Action.SILENCE || step.action() == Step.Action.VANISH;
            live *= closes ? 1 - step.share() : 1;
        }
        return 1 - live;
    }

    /** Whether some devices do not wait for their place in the ramp. */
    public boolean anyInTheirOwnTime() {
        return groups.stream().anyMatch(group -> group.behaviour().get().beginsNanos() >= 0);
    }

    /** Whether any target answers heartbeats. */
    public boolean expectsAnswers() {
        return targets.stream().anyMatch(target -> target.dialect().has(Dialect.Trait.ANSWERS_BEATS));
    }

    /** Most sockets a device may hold at once, averaged over the groups. */
    public double socketsEach() {
        return average(Behaviour::sockets);
    }

    /** Ports of a device in TIME_WAIT at once, averaged over the groups, where none is used again before its minute is over. */
    public double restingEach() {
        return average(Behaviour::leavesPerSecond) * Math.min(TIME_WAIT_SECONDS, durationNanos / 1e9);
    }

    private double average(ToDoubleFunction<Behaviour> figure) {
        double all = groups.stream().mapToDouble(Group::weight).sum();
        return groups.stream()
                        .mapToDouble(group -> group.weight()
                                * figure.applyAsDouble(group.behaviour().get()))
                        .sum()
                / all;
    }

    /** A beat's period as planned; devices go by what they are granted. */
    public long periodNanos() {
        return deviceDefaults.cadence(deviceDefaults.wantedMillis()).periodNanos();
    }

    /** From here on devices fall silent: every one has been heard at least once. */
    public static long silenceFromNanos(DeviceDefaults deviceDefaults) {
        return deviceDefaults.cadence(deviceDefaults.wantedMillis()).periodNanos() + HALF_A_SECOND;
    }

    /** From the beginning of observation, until when code of both sides is taken to be cold: as it says, else 10 s, a third of a shorter run. */
    public long coldUntilNanos() {
        return warmUpNanos > 0 ? warmUpNanos : Math.min(MOST_WARM_UP_NANOS, durationNanos / 3);
    }

    /** The last device is told to fall silent by here, so that it can still be found out before the end. */
    public static long silenceUntilNanos(DeviceDefaults deviceDefaults, Contract contract, long durationNanos) {
        long allowed = deviceDefaults.wantedMillis() * MILLI * deviceDefaults.graceHundredths() / 100;
        long period = deviceDefaults.cadence(deviceDefaults.wantedMillis()).periodNanos();
        return durationNanos - contract.missedAfterNanos() - HALF_A_SECOND - allowed - period;
    }

    /** The ramp is given up on this long after the run began, also while devices still come: three times its planned length, and half a minute. */
    public long rampPatienceNanos() {
        return ramp.lengthNanos() * 3 + 30_000 * MILLI;
    }
}

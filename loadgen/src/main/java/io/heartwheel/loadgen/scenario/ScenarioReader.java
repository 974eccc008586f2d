package io.heartwheel.loadgen.scenario;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import io.heartwheel.loadgen.client.Behaviours;
import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.MessageContract;
import io.heartwheel.loadgen.client.ServerContract;
import io.heartwheel.loadgen.client.Timeouts;
import io.heartwheel.loadgen.pace.Comeback;
import io.heartwheel.loadgen.pace.Ramp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reader of scenarios: HOCON to checked records, every mistake reported at once. Stateless; the addresses of targets are
 * resolved here.
 */
public final class ScenarioReader {

    /** Most devices of a run. */
    public static final int MOST_CLIENTS = 10_000_000;

    private static final int COMMON_CLIENTS = 1_000;
    private static final long MILLI = 1_000_000L;
    private static final int MOST_SEED_DIGITS = 15;

    private final Block root;
    private final List<Block> targets;
    private final Config config;

    private ScenarioReader(Config config) {
        this.config = config;
        this.root = new Block(config);
        this.targets = root.each("targets");
    }

    /**
     * Reads a scenario's text.
     *
     * @param source named in errors
     * @throws IllegalArgumentException with every mistake on a line of its own
     */
    public static Scenario read(String text, String source) {
        return read(() -> ConfigFactory.parseString(text), source);
    }

    /** The same of what is parsed already, perhaps laid over something else. */
    public static Scenario read(Config parsed, String source) {
        return read(() -> parsed, source);
    }

    private static Scenario read(Supplier<Config> parsing, String source) {
        try {
            return new ScenarioReader(parsing.get().resolve()).scenario(source);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(message(source, e), e);
        } catch (StackOverflowError tooDeep) {
            // the parser calls itself for each level
            throw new IllegalArgumentException(
                    source + ": need blocks and lists that are not nested by the thousand", tooDeep);
        }
    }

    /** What the parser did not understand, and where. */
    public static String message(String source, ConfigException e) {
        String at = Block.at(e.origin());
        String described = e.origin() == null ? "" : e.origin().description() + ": ";
        String what = String.valueOf(e.getMessage());
        return (at.isEmpty() ? source + ": " : at)
                + (!at.isEmpty() && what.startsWith(described) ? what.substring(described.length()) : what);
    }

    private Scenario scenario(String source) {
        Block contractBlock = root.in("contract");
        Contract contract = contract(contractBlock);
        UnaryOperator<ServerContract> promised = ContractReader.changes(contractBlock);
        ServerContract general = promised.apply(ServerContract.heartwheel(ContractReader.TIMEOUTS));
        boolean echo = contract.messages().echo();
        DeviceDefaults deviceDefaults = deviceDefaults(root.in("heartbeat"), general);
        Gateways gateways = new GatewaysReader(root.in("gateways")).gateways();
        List<Target> servers = targets(new TargetReader(promised, gateways.start() ? "127.0.0.1:1" : "", echo));
        MqttReader.check(deviceDefaults, gateways, servers, root);
        DeviceDefaults slowest = slowest(deviceDefaults, servers);
        List<Block> behaviours = root.each("behaviours");
        Map<Block, ReplayPlan> replays = replays(behaviours, slowest, contract, general.timeouts());
        long longest = replays.values().stream()
                .mapToLong(ReplayPlan::lengthNanos)
                .max()
                .orElse(0);
        long duration = root.nanos("duration", longest == 0 ? "30s" : longest + "ns", "1s", "30d");
        replays.replaceAll((block, replay) -> replay.within(duration));
        int lives = replays.values().stream()
                .mapToInt(replay -> replay.lives().size())
                .sum();
        int clients = root.integer("clients", lives == 0 ? COMMON_CLIENTS : lives, 1, MOST_CLIENTS);
        List<Group> groups = groups(behaviours, new BehaviourReader(slowest, contract, duration, replays));
        long seed = root.whole("seed", 1, 0, (long) Math.pow(10, MOST_SEED_DIGITS));
        Scenario scenario = new Scenario(
                root.text("name", source),
                clients,
                seed,
                duration,
                root.has("warm-up") ? root.nanos("warm-up", "1s", "1s", "30d") : 0,
                ramp(root.in("ramp"), clients),
                servers,
                deviceDefaults,
                groups,
                comeback(root.in("reconnect")),
                timeline(duration, gateways),
                root.eachText("assert", text -> Assertion.parse(text, clients)),
                contract,
                gateways,
                echo,
                root.text("sources", ""),
                root.integer("loops", 0, 0, 1_024),
                root.has("downlink")
                        ? new DownlinkReader(root.in("downlink"), clients, duration, contract, groups, gateways)
                                .downlinks(seed)
                        : List.of(),
                root.has("uplink")
                        ? new UplinkReader(root.in("uplink"), clients, duration, servers, gateways).uplink()
                        : null,
                auth(clients, duration, servers, gateways),
                config);
        String once = "need false with resend = true: what is sent again would come back again";
        root.check(!contract.messages().resend() || !echo, "echo", once);
        root.done();
        timely(scenario, slowest);
        speakable(scenario);
        root.raise(source);
        return scenario;
    }

    /** Null where devices show nothing of their own. */
    private @Nullable Auth auth(int clients, long duration, List<Target> targets, Gateways gateways) {
        if (!root.has("auth")) {
            return null;
        }
        Auth auth = new AuthReader(root.in("auth"), clients, duration, targets, gateways).auth();
        return auth.kind() == Auth.Kind.NONE ? null : auth;
    }

    /** Each target's protocol must have words for what devices do. */
    private void speakable(Scenario scenario) {
        boolean talks = scenario.groups().stream()
                .anyMatch(group -> group.weight() > 0 && group.label().equals("chatty"));
        for (int i = 0; i < scenario.targets().size(); i++) {
            Target target = scenario.targets().get(i);
            String listener = target.protocol().listener();
            boolean secured = scenario.gateways().secures(listener);
            if (scenario.gateways().start() && secured != (target.tls() != null)) {
                targets.get(i)
                        .wrong(
                                "protocol",
                                secured
                                        ? "need " + target.protocol().label() + "+tls: gateways.settings turn TLS on"
                                        : "need gateways.settings { listeners." + listener + ".tls { enabled = true,"
                                                + " certificate-file = ..., key-file = ... } }, or no +tls: the"
                                                + " gateways of this run have no TLS");
            }
            String mistake = target.speech().mistake(scenario.deviceDefaults(), scenario.clients());
            if (!mistake.isEmpty()) {
                String[] keyAndNeed = mistake.split(": ", 2);
                targets.get(i).wrong(keyAndNeed[0], keyAndNeed[1]);
            } else if (talks && !target.dialect().has(Dialect.Trait.CARRIES_MESSAGES)) {
                targets.get(i)
                        .wrong(
                                "protocol",
                                "behaviours of kind chatty need one with messages"
                                        + switch (target.protocol()) {
                                            case FRAMED -> ": framed.message";
                                            case PLAIN -> ": messages.message";
                                            default -> "";
                                        });
            }
        }
    }

    /** Devices that fall silent at times of their own choosing must leave time to find them out. */
    private void timely(Scenario scenario, DeviceDefaults slowest) {
        long from = Scenario.silenceFromNanos(slowest);
        long until = Scenario.silenceUntilNanos(slowest, scenario.contract(), scenario.durationNanos());
        boolean anySilent = scenario.groups().stream()
                .anyMatch(group -> group.weight() > 0 && BehaviourReader.FOUND_OUT.contains(group.label()));
        long needMillis = (scenario.durationNanos() + from - until + MILLI - 1) / MILLI;
        String need = "need at least " + needMillis + "ms to see devices with an interval of " + slowest.wantedMillis()
                + "ms fall silent and be closed";
        root.check(!anySilent || until >= from || !root.isGood(), "duration", need);
    }

    /** What the slowest of the servers allows: there is time to judge all of them. */
    private static DeviceDefaults slowest(DeviceDefaults deviceDefaults, List<Target> targets) {
        long interval = 0;
        int grace = 0;
        for (Target target : targets) {
            long told = target.contract().intervalMillis();
            int allowed = target.contract().graceHundredths();
            interval = Math.max(interval, told > 0 ? told : deviceDefaults.wantedMillis());
            grace = Math.max(grace, allowed > 0 ? allowed : deviceDefaults.graceHundredths());
        }
        return targets.isEmpty() ? deviceDefaults : deviceDefaults.with(interval, grace);
    }

    private DeviceDefaults deviceDefaults(Block block, ServerContract contract) {
        String interval = contract.intervalMillis() > 0 ? contract.intervalMillis() + "ms" : "60s";
        return new DeviceDefaults(
                block.millis("interval", interval, "100ms", "24h"),
                block.number("share", 0.8, 0.01, 1),
                block.millis("period", "0s", "0s", "30d"),
                (int) Math.round(100 * block.number("grace", 1.5, 1.1, 10)),
                root.text("token", ""),
                root.text("id-prefix", "load-"),
                block.number("jitter", 0, 0, 0.99),
                block.nanos("step", "1ms", "100us", "1s"),
                DeviceDefaults.OWN_IDS);
    }

    private Contract contract(Block block) {
        long slack = block.nanos("slack", "30ms", "0s", "1h");
        long missedAfter = block.nanos("missed-after", "2s", "10ms", "1h");
        long answerWithin = block.nanos("answer-within", "1s", "10ms", "1h");
        // For any one close half the time after which it is missed; for one of a thousand five times the slack.
        long usualMax = Math.max(slack, missedAfter / 2);
        long slackMax = block.nanos("slack-max", usualMax + "ns", "0s", "1h");
        long usualP999 = Math.max(slack, Math.min(5 * slack, slackMax));
        long slackP999 = block.nanos("slack-p999", usualP999 + "ns", "0s", "1h");
        boolean ordered = slackMax >= slack;
        boolean between = slackP999 >= slack && slackP999 <= slackMax;
        String range = Durations.text(slack) + ".." + Durations.text(slackMax);
        block.check(ordered, "slack-max", "need at least slack, " + Durations.text(slack));
        block.check(between || !ordered, "slack-p999", "need slack..slack-max, " + range);
        // A SYN that was lost is sent again after a second.
        long usualWelcome = Math.max(2_000 * MILLI, answerWithin);
        return new Contract(
                block.nanos("tick", "10ms", "1ms", "1s"),
                slack,
                block.nanos("early-allowance", "2ms", "0s", "1s"),
                missedAfter,
                answerWithin,
                block.nanos("pacing-limit", slack + "ns", "0s", "1h"),
                block.flag("goaway-allowed", false),
                slackP999,
                slackMax,
                block.nanos("welcome-within", usualWelcome + "ns", "10ms", "1h"),
                new MessageContract(
                        root.flag("echo", false),
                        root.has("echo"),
                        answerWithin,
                        block.nanos("echo-within", answerWithin + "ns", "0s", "1h"),
                        block.flag("redelivers", false),
                        block.number("refused", 0, 0, 1),
                        root.flag("resend", root.has("uplink"))));
    }

    private Ramp ramp(Block block, int clients) {
        double rate = block.number("rate", 1_000, 0.001, 1e7);
        List<Ramp.Point> points = new ArrayList<>();
        for (Block point : block.each("curve")) {
            points.add(new Ramp.Point(point.nanos("at", "0s", "0s", "30d"), point.number("rate", 1_000, 0, 1e7)));
        }
        try {
            return points.isEmpty() ? new Ramp(clients, rate) : new Ramp(clients, points);
        } catch (IllegalArgumentException e) {
            block.wrong("curve", "need times from 0s on, each later than the one before, and a last rate over 0");
            return new Ramp(clients, rate);
        }
    }

    private static Map<Block, ReplayPlan> replays(
            List<Block> behaviours, DeviceDefaults slowest, Contract contract, Timeouts timeouts) {
        Map<Block, ReplayPlan> replays = new LinkedHashMap<>();
        for (Block block : behaviours) {
            if (block.text("kind", "").equals(BehaviourReader.REPLAY)) {
                replays.put(block, ReplayPlan.read(block, slowest, contract, timeouts));
            }
        }
        return replays;
    }

    private List<Group> groups(List<Block> behaviours, BehaviourReader reader) {
        List<Group> groups = behaviours.isEmpty()
                ? List.of(new Group("steady", 1, Behaviours::steady))
                : behaviours.stream().map(reader::group).toList();
        root.check(groups.stream().anyMatch(group -> group.weight() > 0), "behaviours", "need a weight over 0");
        int many = groups.size();
        root.check(many <= Byte.MAX_VALUE, "behaviours", many + " groups: need at most " + Byte.MAX_VALUE);
        return groups;
    }

    private Comeback comeback(Block block) {
        Comeback.Kind kind = block.choice("policy", Comeback.Kind.NONE, Comeback.Kind::label);
        long base = block.nanos("base", "1s", "0s", "1h");
        long cap = block.nanos("cap", "30s", "0s", "24h");
        if (cap < base) {
            block.wrong("cap", "need at least base, " + Durations.text(base));
            return Comeback.NEVER;
        }
        return new Comeback(kind, base, cap);
    }

    private List<Step> timeline(long durationNanos, Gateways gateways) {
        List<Step> steps = new ArrayList<>();
        long before = 0;
        for (Block block : root.each("timeline")) {
            Step step = new Step(
                    block.nanos("at", "0s", "0s", "30d"),
                    block.choice("do", Step.Action.SILENCE, Step.Action::label),
                    block.number("share", 1, 0, 1),
                    block.nanos("for", "0s", "0s", "24h"),
                    block.text("service", ""),
                    block.integer("node", Step.ALL, Step.ALL, Gateways.MOST - 1),
                    block.texts("command"),
                    block.nanos("excuse", "30s", "0s", "24h"));
            block.check(block.has("do"), "do", "need what happens");
            boolean timely = step.atNanos() + step.forNanos() <= durationNanos;
            boolean lacking =
                    step.action() == Step.Action.EXEC && step.command().isEmpty();
            block.check(timely, "at", "it ends after the duration, " + Durations.text(durationNanos));
            block.check(!lacking, "command", "need a program and its arguments");
            block.check(step.atNanos() >= before, "at", "need the steps in the order of their times");
            block.check(
                    known(step, gateways), "service", "need one of gateways.services, and what is done to processes");
            before = step.atNanos();
            steps.add(step);
        }
        return List.copyOf(steps);
    }

    private static boolean known(Step step, Gateways gateways) {
        boolean done = !step.action().ofDevices() && step.action() != Step.Action.EXEC;
        return step.service().isEmpty()
                || (done
                        && gateways.services().stream()
                                .anyMatch(each -> each.name().equals(step.service()) && step.node() < each.count()));
    }

    private List<Target> targets(TargetReader reader) {
        List<Target> read = targets.stream().map(reader::target).toList();
        String one = "need at least one, for example { protocol = tcp, address = \"127.0.0.1:7070\" }";
        root.check(!read.isEmpty(), "targets", one);
        boolean weighs = read.stream().anyMatch(target -> target.weight() > 0);
        root.check(weighs || read.isEmpty(), "targets", "need a weight over 0");
        root.check(read.size() <= Byte.MAX_VALUE, "targets", read.size() + ": need at most " + Byte.MAX_VALUE);
        return read;
    }
}

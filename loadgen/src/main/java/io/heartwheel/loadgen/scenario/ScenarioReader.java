package io.heartwheel.loadgen.scenario;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigResolveOptions;
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
import java.util.Optional;
import java.util.function.UnaryOperator;

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

    private final ScenarioMistakes mistakes = new ScenarioMistakes();
    private final Block root;
    private final Config config;

    private ScenarioReader(Config config) {
        this.config = config;
        this.root = new Block(config, "", mistakes);
    }

    /**
     * Reads a scenario's text.
     *
     * @param source named in errors
     * @throws IllegalArgumentException with every mistake on a line of its own
     */
    public static Scenario read(String text, String source) {
        try {
            return read(ConfigFactory.parseString(text), source);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(source + ": " + e.getMessage(), e);
        } catch (StackOverflowError tooDeep) {
            // the parser calls itself for each level
            throw new IllegalArgumentException(
                    source + ": need blocks and lists that are not nested by the thousand", tooDeep);
        }
    }

    /** The same of what is parsed already, perhaps laid over something else. */
    public static Scenario read(Config parsed, String source) {
        Config resolved;
        try {
            resolved = parsed.resolve(ConfigResolveOptions.defaults());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(source + ": " + e.getMessage(), e);
        }
        return new ScenarioReader(resolved).scenario(source);
    }

    private Scenario scenario(String source) {
        Block contractBlock = root.in("contract");
        Contract contract = contract(contractBlock);
        UnaryOperator<ServerContract> promised = ContractReader.changes(contractBlock);
        contractBlock.done();
        ServerContract general = promised.apply(ServerContract.heartwheel(ContractReader.TIMEOUTS));
        DeviceDefaults deviceDefaults = deviceDefaults(root.in("heartbeat"), general);
        Gateways gateways = gateways(root.in("gateways"));
        List<Target> targets =
                targets(new TargetReader(promised, gateways.start() ? "127.0.0.1:1" : "", root.flag("echo", false)));
        MqttReader.check(deviceDefaults, gateways, targets, mistakes);
        return scenario(source, deviceDefaults, contract, general.timeouts(), targets, gateways);
    }

    private Scenario scenario(
            String source,
            DeviceDefaults deviceDefaults,
            Contract contract,
            Timeouts timeouts,
            List<Target> targets,
            Gateways gateways) {
        DeviceDefaults slowest = slowest(deviceDefaults, targets);
        List<Block> behaviours = root.each("behaviours");
        Map<Block, ReplayPlan> replays = replays(behaviours);
        long duration = root.nanos("duration", length(replays, slowest, contract, timeouts), "1s", "30d");
        replays.replaceAll((block, replay) -> replay.within(duration, slowest, contract, timeouts));
        int lives = replays.values().stream()
                .mapToInt(replay -> replay.lives().size())
                .sum();
        int clients = root.integer("clients", lives == 0 ? COMMON_CLIENTS : lives, 1, MOST_CLIENTS);
        List<Group> groups = groups(behaviours, new BehaviourReader(slowest, contract, duration, replays));
        long seed = root.whole("seed", 1, 0, (long) Math.pow(10, MOST_SEED_DIGITS));
        Downlink downlink = DownlinkReader.read(
                root,
                new DownlinkReader.Around(
                        clients, seed, duration, contract.answerWithinNanos(), groups, gateways.start()));
        Scenario scenario = new Scenario(
                root.text("name", source),
                clients,
                seed,
                duration,
                ramp(root.in("ramp"), clients),
                targets,
                deviceDefaults,
                groups,
                comeback(root.in("reconnect")),
                timeline(duration),
                assertions(clients),
                contract,
                gateways,
                root.flag("echo", false),
                root.text("sources", ""),
                root.integer("loops", 0, 0, 1_024),
                downlink,
                config);
        root.done();
        timely(scenario, slowest);
        speakable(scenario);
        mistakes.raise(source);
        return scenario;
    }

    /** Each target's protocol must have words for what devices do. */
    private void speakable(Scenario scenario) {
        boolean talks = scenario.groups().stream()
                .anyMatch(group -> group.weight() > 0 && group.label().equals("chatty"));
        for (int i = 0; i < scenario.targets().size(); i++) {
            Target target = scenario.targets().get(i);
            String mistake = target.speech().mistake(scenario.deviceDefaults(), scenario.clients());
            if (!mistake.isEmpty()) {
                mistakes.add("targets[" + i + "]." + mistake);
            } else if (talks && !target.dialect().has(Dialect.Trait.CARRIES_MESSAGES)) {
                mistakes.add("targets[" + i + "]: behaviours of kind chatty need a protocol with messages"
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
        if (anySilent && until < from && mistakes.none()) {
            mistakes.add("duration = " + scenario.durationNanos() / MILLI + "ms: need at least "
                    + (scenario.durationNanos() + from - until + MILLI - 1) / MILLI
                    + "ms to see devices with an interval of "
                    + slowest.wantedMillis() + "ms fall silent and be closed");
        }
    }

    /** What the slowest of the servers allows: there is time to judge all of them. */
    private static DeviceDefaults slowest(DeviceDefaults deviceDefaults, List<Target> targets) {
        long interval = 0;
        int grace = 0;
        for (Target target : targets) {
            ServerContract contract = target.contract();
            interval = Math.max(
                    interval,
                    contract.intervalMillis() > 0 ? contract.intervalMillis() : deviceDefaults.wantedMillis());
            grace = Math.max(
                    grace,
                    contract.graceHundredths() > 0 ? contract.graceHundredths() : deviceDefaults.graceHundredths());
        }
        return targets.isEmpty() ? deviceDefaults : deviceDefaults.with(interval, grace);
    }

    private DeviceDefaults deviceDefaults(Block block, ServerContract contract) {
        String interval = contract.intervalMillis() > 0 ? contract.intervalMillis() + "ms" : "60s";
        DeviceDefaults deviceDefaults = new DeviceDefaults(
                block.millis("interval", interval, "100ms", "24h"),
                block.number("share", 0.8, 0.01, 1),
                block.millis("period", "0s", "0s", "30d"),
                (int) Math.round(100 * block.number("grace", 1.5, 1.1, 10)),
                root.text("token", ""),
                root.text("id-prefix", "load-"),
                block.number("jitter", 0, 0, 0.99),
                block.nanos("step", "1ms", "100us", "1s"));
        block.done();
        return deviceDefaults;
    }

    private Contract contract(Block block) {
        long slack = block.nanos("slack", "30ms", "0s", "1h");
        long missedAfter = block.nanos("missed-after", "2s", "10ms", "1h");
        long answerWithin = block.nanos("answer-within", "1s", "10ms", "1h");
        long slackMax = block.nanos("slack-max", Contract.slackMax(slack, missedAfter) + "ns", "0s", "1h");
        long slackP999 = block.nanos("slack-p999", Contract.slackP999(slack, slackMax) + "ns", "0s", "1h");
        if (slackMax < slack) {
            block.wrong("slack-max", "need at least slack, " + Durations.text(slack));
        } else if (slackP999 < slack || slackP999 > slackMax) {
            block.wrong(
                    "slack-p999", "need slack..slack-max, " + Durations.text(slack) + ".." + Durations.text(slackMax));
        }
        MessageContract messages = new MessageContract(
                root.flag("echo", false),
                root.has("echo"),
                answerWithin,
                block.nanos("echo-within", answerWithin + "ns", "0s", "1h"),
                block.flag("redelivers", false),
                block.number("refused", 0, 0, 1));
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
                block.nanos("welcome-within", Contract.welcomeWithin(answerWithin) + "ns", "10ms", "1h"),
                messages);
    }

    private Ramp ramp(Block block, int clients) {
        double rate = block.number("rate", 1_000, 0.001, 1e7);
        List<Ramp.Point> points = new ArrayList<>();
        for (Block point : block.each("curve")) {
            points.add(new Ramp.Point(point.nanos("at", "0s", "0s", "30d"), point.number("rate", 1_000, 0, 1e7)));
            point.done();
        }
        block.done();
        if (points.isEmpty()) {
            return new Ramp(clients, rate);
        }
        try {
            return new Ramp(clients, points);
        } catch (IllegalArgumentException e) {
            block.wrong("curve", "need times from 0s on, each later than the one before, and a last rate over 0");
            return new Ramp(clients, rate);
        }
    }

    private static Map<Block, ReplayPlan> replays(List<Block> behaviours) {
        Map<Block, ReplayPlan> replays = new LinkedHashMap<>();
        for (Block block : behaviours) {
            if (block.text("kind", "").equals(BehaviourReader.REPLAY)) {
                replays.put(block, ReplayPlan.read(block));
            }
        }
        return replays;
    }

    /** How long a run is of which it is not said: until everything recorded was lived. */
    private static String length(
            Map<Block, ReplayPlan> replays, DeviceDefaults deviceDefaults, Contract contract, Timeouts timeouts) {
        long longest = replays.values().stream()
                .mapToLong(replay -> replay.lengthNanos(deviceDefaults, contract, timeouts))
                .max()
                .orElse(0);
        return longest == 0 ? "30s" : longest + "ns";
    }

    private List<Group> groups(List<Block> behaviours, BehaviourReader reader) {
        List<Group> groups = new ArrayList<>();
        for (Block block : behaviours) {
            groups.add(reader.group(block));
        }
        if (groups.isEmpty()) {
            groups.add(new Group("steady", 1, Behaviours::steady));
        }
        if (groups.stream().mapToDouble(Group::weight).sum() <= 0) {
            mistakes.add("behaviours: need a weight over 0");
        }
        if (groups.size() > Byte.MAX_VALUE) {
            mistakes.add("behaviours: " + groups.size() + " groups: need at most " + Byte.MAX_VALUE);
        }
        return List.copyOf(groups);
    }

    private Comeback comeback(Block block) {
        Comeback.Kind kind = block.choice("policy", Comeback.Kind.NONE, Comeback.Kind.values(), Comeback.Kind::label);
        long base = block.nanos("base", "1s", "0s", "1h");
        long cap = block.nanos("cap", "30s", "0s", "24h");
        block.done();
        if (cap < base) {
            block.wrong("cap", "need at least base, " + Durations.text(base));
            return Comeback.NEVER;
        }
        return new Comeback(kind, base, cap);
    }

    private List<Step> timeline(long durationNanos) {
        List<Step> steps = new ArrayList<>();
        for (Block block : root.each("timeline")) {
            Step.Action action = block.choice("do", Step.Action.SILENCE, Step.Action.values(), Step.Action::label);
            if (!block.has("do")) {
                block.wrong("do", "need what happens");
            }
            Step step = new Step(
                    block.nanos("at", "0s", "0s", "30d"),
                    action,
                    block.number("share", 1, 0, 1),
                    block.nanos("for", "0s", "0s", "24h"),
                    block.integer("node", Step.ALL, Step.ALL, Gateways.MOST - 1),
                    block.texts("command", List.of()),
                    block.nanos("excuse", "30s", "0s", "24h"));
            block.done();
            if (step.atNanos() + step.forNanos() > durationNanos) {
                block.wrong("at", "it ends after the duration, " + Durations.text(durationNanos));
            }
            if (action == Step.Action.EXEC && step.command().isEmpty()) {
                block.wrong("command", "need a program and its arguments");
            }
            if (!steps.isEmpty() && step.atNanos() < steps.get(steps.size() - 1).atNanos()) {
                block.wrong("at", "need the steps in the order of their times");
            }
            steps.add(step);
        }
        return List.copyOf(steps);
    }

    private List<Assertion> assertions(int clients) {
        List<Assertion> assertions = new ArrayList<>();
        for (String text : root.texts("assert", List.of())) {
            Optional<Assertion> assertion = Assertion.parse(text, clients);
            assertion.ifPresentOrElse(assertions::add, () -> mistakes.add("assert = " + text + ": " + Assertion.NEED));
        }
        return List.copyOf(assertions);
    }

    private Gateways gateways(Block block) {
        boolean start = block.flag("start", false);
        int count = block.integer("count", 1, 0, Gateways.MOST);
        List<String> options = block.texts("java-options", List.of());
        Map<String, Object> settings = block.raw("settings");
        block.done();
        return new Gateways(
                start, count, options, ConfigFactory.parseMap(settings).root().render(Scenario.JSON));
    }

    private List<Target> targets(TargetReader reader) {
        List<Target> targets = new ArrayList<>();
        for (Block block : root.each("targets")) {
            targets.add(reader.target(block));
        }
        if (targets.isEmpty()) {
            mistakes.add("targets: need at least one, for example { protocol = tcp, address = \"127.0.0.1:7070\" }");
        }
        if (!targets.isEmpty() && targets.stream().mapToDouble(Target::weight).sum() <= 0) {
            mistakes.add("targets: need a weight over 0");
        }
        if (targets.size() > Byte.MAX_VALUE) {
            mistakes.add("targets: " + targets.size() + ": need at most " + Byte.MAX_VALUE);
        }
        return List.copyOf(targets);
    }
}

package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.server.Disturbance;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reader of the block {@code uplink} of a scenario, the receiver of the gateway's events. One thread. */
record UplinkReader(Block block, int clients, long durationNanos, List<Target> targets, Gateways gateways) {

    private static final int LEAST_SECRET = 16;
    private static final Set<Protocol> FRAMES = EnumSet.of(Protocol.TCP, Protocol.WS);
    private static final int MOST_PORT = 65_535;
    private static final Pattern BROKER = Pattern.compile("(?:[\\w.-]+|\\[[\\p{XDigit}:.]+\\]):(?<port>\\d{1,5})");
    private static final Pattern TOPIC = Pattern.compile("(?!\\.{1,2}$)[\\w.-]{1,249}");

    Uplink uplink() {
        check();
        String bind = block.address("bind", "127.0.0.1:0", 0);
        String secret = block.text("secret", "secret-of-this-run");
        block.check(secret.length() >= LEAST_SECRET, "secret", "need at least " + LEAST_SECRET + " characters");
        String bootstrap = block.text("bootstrap", "127.0.0.1:9092");
        boolean brokers = Stream.of(bootstrap.split(",", -1)).allMatch(each -> isBroker(each.strip()));
        block.check(brokers, "bootstrap", "need host:port, port 1.." + MOST_PORT + ", several with commas between");
        String topic = block.text("topic", "heartwheel-events");
        block.check(TOPIC.matcher(topic).matches(), "topic", "need 1..249 of A-Z a-z 0-9 . _ -, not . or ..");
        Uplink.Kind kind = block.choice("kind", Uplink.Kind.WEBHOOK, Uplink.Kind::label);
        List<Disturbance> plan = plan(block, durationNanos);
        if (kind == Uplink.Kind.KAFKA && !plan.isEmpty()) {
            block.wrong(
                    "plan",
                    "need [] with kind = kafka: whoever reads a topic cannot answer badly;" + " disturb the broker");
        }
        return new Uplink(
                kind,
                bind,
                secret,
                bootstrap,
                topic,
                block.flag("journal", true),
                !FRAMES.containsAll(targets.stream().map(Target::protocol).toList()),
                plan,
                block.nanos("within", "60s", "1s", "1h"),
                block.nanos("settle", "3s", "100ms", "1h"));
    }

    /** Its host is looked up when the run begins. */
    private static boolean isBroker(String text) {
        Matcher parts = BROKER.matcher(text);
        if (!parts.matches()) {
            return false;
        }
        int port = Integer.parseInt(Objects.requireNonNull(parts.group("port")));
        return port >= 1 && port <= MOST_PORT;
    }

    /** Times in which a server of the run does something else than to answer. */
    static List<Disturbance> plan(Block block, long durationNanos) {
        List<Disturbance> plan = new ArrayList<>();
        long before = 0;
        for (Block each : block.each("plan")) {
            Disturbance disturbance = new Disturbance(
                    each.nanos("at", "0s", "0s", "30d"),
                    each.nanos("for", "10s", "1ms", "24h"),
                    each.choice("answer", Disturbance.Answer.DOWN, Disturbance.Answer::label),
                    each.nanos("hold", "5s", "1ms", "1h"));
            boolean timely = disturbance.endNanos() <= durationNanos;
            each.check(timely, "at", "it ends after the duration, " + Durations.text(durationNanos));
            each.check(disturbance.atNanos() >= before, "at", "need a time after the end of the one before");
            before = disturbance.endNanos();
            plan.add(disturbance);
        }
        return plan;
    }

    /** What a run that compares cannot be. */
    private void check() {
        boolean known = targets.stream()
                .map(Target::protocol)
                .allMatch(protocol -> FRAMES.contains(protocol) || protocol == Protocol.PLAIN);
        if (!known) {
            block.wrong("need targets of tcp, ws or plain alone: the gateway has events of those");
        }
        if (clients > Uplink.MOST_CLIENTS) {
            block.wrong("clients = " + clients + ": need 1.." + Uplink.MOST_CLIENTS
                    + ", because every message is remembered");
        }
        if (gateways.start() && gateways.count() != 1 && !gateways.settings().contains(Service.NUMBER)) {
            block.wrong("gateways.count = " + gateways.count()
                    + ": need 1, or a name of its own for each in gateways.settings:"
                    + " cluster.node or instance, with " + Service.NUMBER);
        }
    }
}

package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.Payload;
import io.heartwheel.loadgen.wire.PushMessage;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reader of the block {@code downlink} of a scenario, the pushes to the devices, that has the other parts. One thread. */
record DownlinkReader(
        Block block, int clients, long durationNanos, Contract contract, List<Group> groups, Gateways gateways) {

    private static final int MOST_BYTES = 1 << 20;
    private static final long MILLI = 1_000_000L;
    private static final long MOST_PUSHES = 100_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final String SCHEDULE =
            """
            {"to":{"device":"{id}"},"after":"%dms","every":"%dms","times":%d,"missed":"all","ack":"{ack}","store":true,\
            "text":"{message}"}""";

    /** So a run comes before the next time: a gateway runs what is late by less than 5 s, and NATS may take 4 s of its own. */
    private static final String LEAST_EVERY = "10s";

    private static final String ENDLESS =
            """
            {"to":{%s},"after":"%dms","every":"%dms","times":%d,"missed":"once","ack":"{ack}","timeout":"%dms",\
            "text":"{message}"}""";

    /**
     * The block itself, and those within it that are pushed beside it.
     *
     * @param seed of the scenario
     */
    List<Downlink> downlinks(long seed) {
        Downlink first = downlink(seed + 1, List.of());
        List<Downlink> all = new ArrayList<>(List.of(first));
        for (Block also : block.each("also")) {
            all.add(new DownlinkReader(also, clients, durationNanos, contract, groups, gateways)
                    .downlink(first.nonce() + all.size(), first.http().addresses()));
        }
        return List.copyOf(all);
    }

    private Downlink downlink(long nonce, List<String> addresses) {
        Downlink.By by = block.choice("by", Downlink.By.HTTP, Downlink.By::label);
        boolean toAll = block.isOther("to", "one", "all");
        double rate = block.number("rate", 10, 0.001, 100_000);
        long timeout = block.nanos("timeout", "5s", "10ms", "10m");
        Acks acks = block.has("acks") ? acks(block.in("acks"), by, toAll, timeout) : null;
        Downlink.Later later = block.has("later") ? later(block.in("later")) : null;
        boolean alone = later == null || (acks == null && (later.endless() || !toAll));
        block.check(alone, "later", "need to = one or endless = true, and no acks");
        String group = group(by, toAll);
        String now = toAll
                ? (group.isEmpty() ? "" : "/groups/" + group) + "/messages"
                : "/devices/{id}/messages" + (acks == null ? "" : "?ack={ack}");
        String url = "http://{address}/v1" + (later == null ? now : "/schedules/{key}");
        Downlink.Http http =
                http(block.in("http"), by, toAll, acks, later, url, schedule(later, toAll, group), addresses);
        boolean bare = by != Downlink.By.HTTP
                || (http.body().equals(Downlink.MESSAGE) && !http.url().contains(Downlink.MESSAGE));
        boolean anyBytes = by != Downlink.By.EXEC && bare;
        boolean text = block.flag("text", !anyBytes);
        String needText = "need true where a message is a part of something: any bytes would break it";
        block.check(text || anyBytes, "text", needText);
        long after = block.nanos("after", "500ms", "0s", "30d");
        return new Downlink(
                by,
                toAll,
                block.isOther("order", "turn", "random"),
                among(block.in("among")),
                rate,
                count(rate, after, later == null ? 0 : later.dueNanos(later.endless() ? 2 : later.times())),
                after,
                block.integer("concurrency", 16, 1, 1_024),
                timeout,
                block.nanos("within", "3s", "100ms", "10m"),
                block.in("payload").payload(Payload.Kind.UNIFORM, PushMessage.HEADER_BYTES, 1_024, MOST_BYTES),
                text,
                block.whole("nonce", nonce, 0, Long.MAX_VALUE),
                acks,
                later,
                group,
                http,
                mqtt(block.in("mqtt"), by, toAll),
                exec(block.in("exec"), by, toAll));
    }

    private Downlink.Later later(Block later) {
        boolean endless = later.flag("endless", false);
        long every =
                later.millis("every", endless ? LEAST_EVERY : "1s", endless ? LEAST_EVERY : "100ms", "30d") * MILLI;
        int enough = (int) Math.min(10_000, 3 * durationNanos / every + 30);
        return new Downlink.Later(
                later.millis("after", "2s", "0s", "30d") * MILLI,
                every,
                endless ? enough : later.integer("times", 1, 1, 10_000),
                endless);
    }

    /** Body of a request for a schedule; without one the message itself. */
    private static String schedule(Downlink.@Nullable Later later, boolean toAll, String group) {
        if (later == null) {
            return Downlink.MESSAGE;
        }
        long after = later.afterNanos() / MILLI;
        long every = later.everyNanos() / MILLI;
        String to = !toAll ? "\"device\":\"{id}\"" : group.isEmpty() ? "\"all\":true" : "\"group\":\"" + group + "\"";
        return later.endless()
                ? ENDLESS.formatted(to, after, every, later.times(), Downlink.Later.ACK_NANOS / MILLI)
                : SCHEDULE.formatted(after, every, later.times());
    }

    /** As many as fit, so that the last one can still be answered and come before the end, which takes it so much longer. */
    private long count(double rate, long after, long longer) {
        long last = Math.max(0, durationNanos - longer - contract.answerWithinNanos() - SECOND);
        long until = block.nanos("until", last + "ns", "0s", "30d");
        String latest = Durations.text(last);
        String late = "need at most " + latest + ": the last push must be answered and come before the end";
        block.check(until <= last, "until", late);
        block.check(until > after || until > last, "until", "need more than after, " + Durations.text(after));
        long most = Math.max(1, (long) Math.min(MOST_PUSHES, (until - after) / 1e9 * rate));
        long count = block.whole("count", most, 1, MOST_PUSHES);
        block.check(count <= most, "count", "need at most " + most + ": no more fit between after and until");
        return count;
    }

    private String group(Downlink.By by, boolean toAll) {
        String group = block.text("group", "");
        boolean can = by == Downlink.By.HTTP && toAll && group.matches("[A-Za-z0-9._-]{1,64}");
        block.check(group.isEmpty() || can, "group", "need letters, digits, . _ or -, with by = http and to = all");
        return group;
    }

    private Downlink.Among among(Block among) {
        List<String> behaviours = among.texts("behaviours");
        List<String> known = groups.stream().map(Group::label).toList();
        int first = among.integer("first", 0, 0, clients - 1);
        int last = among.integer("last", clients - 1, 0, clients - 1);
        String need = "need some of those of this scenario: " + String.join(", ", known);
        among.check(known.containsAll(behaviours), "behaviours", need);
        among.check(last >= first, "last", "need at least first, " + first);
        return new Downlink.Among(behaviours, first, last, among.number("share", 1, 0, 1));
    }

    private static Acks acks(Block acks, Downlink.By by, boolean toAll, long callNanos) {
        long timeout = acks.nanos("timeout", "3s", "10ms", "5m");
        acks.check(by == Downlink.By.HTTP && !toAll, "timeout", "need by = http and to = one");
        String longer = "need less than downlink.timeout, " + Durations.text(callNanos) + ": a call takes as long";
        acks.check(timeout < callNanos, "timeout", longer);
        Block devices = acks.in("devices");
        return new Acks(
                weights(acks.in("ask"), Acks.Ask.DEVICE, Acks.Ask::label),
                timeout,
                acks.number("again", 0, 0, 1),
                weights(devices, Acks.Reply.PROMPT, Acks.Reply::label),
                devices.nanos("late-by", "300ms", "1ms", "1m"));
    }

    /** @param usual the only one when nothing is said */
    private static <E extends Enum<E>> Map<E, Double> weights(Block block, E usual, Function<E, String> label) {
        Map<E, Double> weights = new EnumMap<>(usual.getDeclaringClass());
        for (E each : usual.getDeclaringClass().getEnumConstants()) {
            weights.put(each, each == Acks.Ask.NOTHING ? 0 : block.number(label.apply(each), 0, 0, 1e6));
        }
        if (weights.values().stream().allMatch(weight -> weight == 0)) {
            weights.put(usual, 1.0);
        }
        return weights;
    }

    /**
     * @param route when nothing is said
     * @param content the body when nothing is said
     * @param others addresses when nothing is said
     */
    private Downlink.Http http(
            Block http,
            Downlink.By by,
            boolean toAll,
            @Nullable Acks acks,
            Downlink.@Nullable Later later,
            String route,
            String content,
            List<String> others) {
        String method = http.text("method", later == null ? "POST" : "PUT");
        String url = http.text("url", route);
        Map<String, String> headers = new LinkedHashMap<>();
        if (acks != null) {
            headers.put("Idempotency-Key", Downlink.KEY);
        }
        if (later != null) {
            headers.put("Content-Type", "application/json");
        }
        http.raw("headers").forEach((name, value) -> headers.put(name, String.valueOf(value)));
        Downlink.Http read = new Downlink.Http(
                method,
                url,
                headers,
                http.text("body", content),
                http.has("addresses") ? http.texts("addresses") : others,
                http.flag("any", false),
                statuses(http, "accepted", Set.of(200, 201, 202, 204), 100, 599),
                statuses(http, "absent", Set.of(404), 100, 599),
                statuses(http, "unknown", Set.of(), 100, 599));
        if (by != Downlink.By.HTTP) {
            return read;
        }
        boolean known = gateways.start() || !read.addresses().isEmpty() || !url.contains(Downlink.ADDRESS);
        http.check(known, "addresses", "need those of the server's API, for example [\"127.0.0.1:7090\"]");
        read.addresses().stream()
                .filter(address -> Addresses.of(address, 1).isEmpty())
                .forEach(address -> http.wrong("addresses", Addresses.need(1)));
        meansEach(http, "url", url + read.body(), toAll);
        boolean carries = (url + read.body() + headers.values()).contains(Downlink.MESSAGE);
        http.check(carries, "body", "need " + Downlink.MESSAGE + " in it, or in the url");
        try {
            URI uri = URI.create(url.replace(Downlink.ADDRESS, "127.0.0.1:1")
                    .replace(Downlink.ID, "d-1")
                    .replace(Downlink.NUMBER, "1")
                    .replace(Downlink.ACK, "sent")
                    .replace(Downlink.KEY, "k")
                    .replace(Downlink.MESSAGE, "m"));
            HttpRequest.Builder request = HttpRequest.newBuilder(uri);
            headers.forEach(request::header);
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } catch (IllegalArgumentException e) {
            http.wrong("url", "need a request that can be made, with method and headers: " + e.getMessage());
        }
        return read;
    }

    private Downlink.Mqtt mqtt(Block mqtt, Downlink.By by, boolean toAll) {
        Downlink.Mqtt read = new Downlink.Mqtt(
                mqtt.text("address", ""),
                mqtt.text("topic", ""),
                mqtt.integer("qos", 1, 0, 1),
                mqtt.text("client-id", "heartwheel-push"),
                mqtt.text("user", ""),
                mqtt.text("password", ""));
        if (by == Downlink.By.MQTT) {
            mqtt.check(Addresses.of(read.address(), 1).isPresent(), "address", Addresses.need(1));
            boolean whole = read.topic().matches("[^+#]+");
            mqtt.check(whole, "topic", "need a topic without wildcards, for example \"devices/{id}\"");
            meansEach(mqtt, "topic", read.topic(), toAll);
        }
        return read;
    }

    private static Downlink.Exec exec(Block exec, Downlink.By by, boolean toAll) {
        Downlink.Exec read = new Downlink.Exec(
                exec.texts("command"),
                statuses(exec, "accepted", Set.of(0), 0, 255),
                statuses(exec, "absent", Set.of(), 0, 255));
        if (by == Downlink.By.EXEC) {
            String template = String.join(" ", read.command());
            exec.check(!read.command().isEmpty(), "command", "need a program and its arguments");
            boolean carries = read.command().isEmpty() || template.contains(Downlink.MESSAGE);
            exec.check(carries, "command", "need " + Downlink.MESSAGE + " in it");
            meansEach(exec, "command", template, toAll);
        }
        return read;
    }

    /** A push to one device has to say to which. */
    private static void meansEach(Block block, String key, String template, boolean toAll) {
        boolean names = template.contains(Downlink.ID) || template.contains(Downlink.NUMBER);
        String forAll = "need neither {id} nor {number} in it: one push reaches all";
        block.check(names != toAll, key, toAll ? forAll : "need {id} or {number} in it, or to = all");
    }

    private static Set<Integer> statuses(Block block, String key, Set<Integer> otherwise, int least, int most) {
        if (!block.has(key)) {
            return otherwise;
        }
        Set<Integer> statuses = new TreeSet<>();
        for (String text : block.texts(key)) {
            if (text.matches("[0-9]{1,3}") && Integer.parseInt(text) >= least && Integer.parseInt(text) <= most) {
                statuses.add(Integer.parseInt(text));
            } else {
                block.wrong(key, "need whole numbers, " + least + ".." + most);
            }
        }
        return statuses;
    }
}

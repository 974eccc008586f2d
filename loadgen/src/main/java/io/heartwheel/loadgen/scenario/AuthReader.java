package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.Credentials.Habit;
import io.heartwheel.loadgen.server.Disturbance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Reader of the block {@code auth} of a scenario: what devices show to be admitted. One thread. */
record AuthReader(Block block, int clients, long durationNanos, List<Target> targets, Gateways gateways) {

    /** Each certificate has a TLS context of its own. */
    private static final int MOST_CERTIFICATES = 1_000;

    Auth auth() {
        Auth auth = new Auth(
                block.choice("kind", Auth.Kind.NONE, Auth.Kind::label),
                block.nanos("warn-before", "60s", "1s", "1h"),
                habits(block.in("devices")),
                wrong(),
                jwt(block.in("jwt")),
                service(block.in("service")),
                block.text("directory", ""));
        check(auth);
        return auth;
    }

    private Map<Habit, Double> habits(Block devices) {
        Map<Habit, Double> habits = new EnumMap<>(Habit.class);
        for (Habit habit : Habit.values()) {
            habits.put(habit, devices.number(habit.label(), habit == Habit.RENEW ? 1 : 0, 0, 1e9));
        }
        if (habits.values().stream().mapToDouble(Double::doubleValue).sum() <= 0) {
            block.wrong("devices", "need a weight over 0");
        }
        return habits;
    }

    private List<Auth.Wrong> wrong() {
        List<Auth.Wrong> all = new ArrayList<>();
        for (String word : block.texts("wrong")) {
            Arrays.stream(Auth.Wrong.values())
                    .filter(each -> each.label().equals(word))
                    .findFirst()
                    .ifPresentOrElse(
                            all::add,
                            () -> block.wrong(
                                    "wrong", "need a list of forged, device, expired, audience, unsigned, truncated"));
        }
        return all.isEmpty() ? List.of(Auth.Wrong.FORGED) : all;
    }

    private static Auth.Jwt jwt(Block jwt) {
        return new Auth.Jwt(
                jwt.choice("algorithm", Auth.Algorithm.ES256, Auth.Algorithm::label),
                jwt.nanos("lifetime", "1h", "2s", "30d"),
                jwt.text("issuer", "https://issuer.example"),
                jwt.text("audience", "heartwheel"),
                jwt.texts("groups"));
    }

    private Auth.Service service(Block service) {
        String bind = service.text("bind", "127.0.0.1:0");
        if (Addresses.of(bind, 0).isEmpty()) {
            service.wrong("bind", Addresses.need(0));
        }
        return new Auth.Service(
                bind,
                service.says("rotate-every", "none") ? 0 : service.nanos("rotate-every", "0s", "2s", "24h"),
                UplinkReader.plan(service, durationNanos));
    }

    private void check(Auth auth) {
        Auth.Service service = auth.service();
        for (Disturbance each : service.plan()) {
            if (service.newest(each.atNanos() - Auth.Service.SETTLE_NANOS) < service.newest(each.endNanos())) {
                block.wrong(
                        "service.plan",
                        "need times in which no key is new (rotate-every):"
                                + " a gateway that cannot get it may refuse what it signed");
            }
        }
        boolean anyWrong = auth.habits().getOrDefault(Habit.WRONG, 0.0) > 0;
        if (auth.kind() != Auth.Kind.JWT && anyWrong && auth.wrong().stream().anyMatch(Auth.Wrong::ofClaims)) {
            block.wrong("wrong", "expired, audience and unsigned need kind = jwt");
        }
        if (auth.kind() == Auth.Kind.CERTIFICATE) {
            certificates();
        }
        boolean ours = targets.stream()
                .allMatch(target -> target.protocol() == Protocol.TCP
                        || target.protocol() == Protocol.WS
                        || target.protocol() == Protocol.PLAIN);
        if (auth.kind() != Auth.Kind.NONE && !ours) {
            block.wrong("kind", "need targets of tcp, ws or plain alone");
        }
    }

    private void certificates() {
        if (clients > MOST_CERTIFICATES) {
            block.wrong("kind", "clients = " + clients + ": need 1.." + MOST_CERTIFICATES);
        }
        if (gateways.start()) {
            block.wrong(
                    "kind", "need gateways.start = false: gateways that a run starts know no issuer of certificates");
        }
        if (targets.stream().anyMatch(target -> target.tls() == null)) {
            block.wrong("kind", "need targets with +tls alone");
        }
    }
}

package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.Credentials.Habit;
import io.heartwheel.loadgen.server.Disturbance;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Reader of the block {@code auth} of a scenario: what devices show to be admitted. One thread. */
record AuthReader(Block block, int clients, long durationNanos, List<Target> targets, Gateways gateways) {

    /** Each certificate has a TLS context of its own. */
    private static final int MOST_CERTIFICATES = 1_000;

    private static final Set<Protocol> OURS = EnumSet.of(Protocol.TCP, Protocol.WS, Protocol.PLAIN);

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
        block.check(habits.values().stream().anyMatch(weight -> weight > 0), "devices", "need a weight over 0");
        return habits;
    }

    private List<Auth.Wrong> wrong() {
        List<Auth.Wrong> all = block.eachText("wrong", word -> Stream.of(Auth.Wrong.values())
                .filter(each -> each.label().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "need a list of forged, device, expired, audience, unsigned, truncated")));
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
        return new Auth.Service(
                service.address("bind", "127.0.0.1:0", 0),
                service.says("rotate-every", "none") ? 0 : service.nanos("rotate-every", "0s", "2s", "24h"),
                UplinkReader.plan(service, durationNanos));
    }

    private void check(Auth auth) {
        Auth.Service service = auth.service();
        for (Disturbance each : service.plan()) {
            if (service.signing(each.atNanos()) < service.newest(each.endNanos())) {
                block.wrong(
                        "service.plan",
                        "need times in which no key is new (rotate-every):"
                                + " a gateway that cannot get it may refuse what it signed");
            }
        }
        boolean wrongClaims = auth.habits().getOrDefault(Habit.WRONG, 0.0) > 0
                && auth.wrong().stream().anyMatch(Auth.Wrong::ofClaims);
        boolean claims = auth.kind() == Auth.Kind.JWT;
        block.check(claims || !wrongClaims, "wrong", "expired, audience and unsigned need kind = jwt");
        if (auth.kind() == Auth.Kind.CERTIFICATE) {
            certificates();
        }
        boolean ours = targets.stream().map(Target::protocol).allMatch(OURS::contains);
        block.check(auth.kind() == Auth.Kind.NONE || ours, "kind", "need targets of tcp, ws or plain alone");
    }

    private void certificates() {
        block.check(clients <= MOST_CERTIFICATES, "kind", "clients = " + clients + ": need 1.." + MOST_CERTIFICATES);
        block.check(
                !gateways.start(),
                "kind",
                "need gateways.start = false: gateways that a run starts know no issuer of certificates");
        block.check(targets.stream().allMatch(target -> target.tls() != null), "kind", "need targets with +tls alone");
    }
}

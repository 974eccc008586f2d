package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.conform.Peer.Received;
import io.heartwheel.loadgen.conform.Rule.Case;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameType;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rules about the life of a connection: HELLO, heartbeats, PING, a gateway that is gone or talks nonsense. Stateless. */
final class LifeRules {

    /** A double keeps no odd number above 2^53, and Java's long no sign above 2^63. */
    private static final long EPOCH_BEYOND_DOUBLE = (1L << 53) + 1;

    private static final long EPOCH_BEYOND_SIGN = (1L << 63) + 5;

    private static final long WANTED_MILLIS = 2_000;
    private static final long GRANTED_MILLIS = 800;
    private static final int HEARTBEAT_STEPS = 40;
    private static final long HEARTBEAT_STEP_MILLIS = 200;
    /** Late by less than this the gateway would not even ask. */
    private static final long HEARTBEAT_TOLERANCE_MILLIS = GRANTED_MILLIS / 4;

    private static final long LEAST_JITTER_MILLIS = GRANTED_MILLIS / 40;
    private static final int MOST_FRAMES_AN_INTERVAL = 10;
    private static final long SHORT_INTERVAL_MILLIS = 1_000;

    private static final int ACCEPTED = 0;
    private static final int EXPIRING = 1;
    private static final int REFUSED = 2;
    private static final int NOT_AVAILABLE = 3;

    private LifeRules() {}

    static List<Rule> all() {
        return List.of(
                new Rule("hello", new Case("fields", LifeRules::hello)),
                new Rule("heartbeat", new Case("granted less than wanted", LifeRules::heartbeat)),
                new Rule("pong", new Case("probes", LifeRules::pong)),
                new Rule(
                        "half-open",
                        new Case("after WELCOME", LifeRules::halfOpen),
                        new Case("before WELCOME", LifeRules::noWelcome)),
                new Rule("unknown", new Case("frames", LifeRules::unknown)),
                new Rule("renewal", new Case("statuses", LifeRules::renewal)),
                new Rule(
                        "garbage",
                        frames("unknown type", "6f000000"),
                        frames("unknown flags", "03100000"),
                        frames("a length of 4 GB", "05800000ffffffff"),
                        frames("a short frame in the long form", "0380000000000001aa"),
                        new Case("half an object", Carrier.JSON, trial -> {
                            byte[] half = "{\"type\":\"pong\"".getBytes(StandardCharsets.US_ASCII);
                            return nonsense(trial, trial.welcomed(), half);
                        }),
                        new Case("no WELCOME but text", LifeRules::textInsteadOfWelcome)));
    }

    private static String hello(Trial trial) {
        Peer first = trial.greeted(WANTED_MILLIS);
        check(trial, first, 0);
        first.send(trial.welcome(WANTED_MILLIS, EPOCH_BEYOND_DOUBLE, Trial.LIMIT_BYTES));
        trial.stays(first, Limits.SETTLED, "WELCOME");
        Peer second = trial.next("the connection after CLOSE 4000", first.close(4000), Limits.SOON);
        check(trial, second, EPOCH_BEYOND_DOUBLE);
        // without a WELCOME there is no newer epoch
        Peer third = trial.next("the connection after CLOSE 4007", second.close(4007), Limits.SOON);
        check(trial, third, EPOCH_BEYOND_DOUBLE);
        third.send(trial.welcome(WANTED_MILLIS, EPOCH_BEYOND_SIGN, Trial.LIMIT_BYTES));
        trial.stays(third, Limits.SETTLED, "WELCOME");
        Peer fourth = trial.next("the connection after CLOSE 4000", third.close(4000), Limits.SOON);
        check(trial, fourth, EPOCH_BEYOND_SIGN);
        return "4 connections with the right fields" + (trial.carrier() == Carrier.JSON ? "" : " and epochs");
    }

    private static void check(Trial trial, Peer peer, long epoch) {
        Frame.Hello hello = Objects.requireNonNull(peer.hello());
        trial.need(
                hello.deviceId().equals(trial.deviceId()),
                "device id = " + hello.deviceId() + ": need " + trial.deviceId());
        trial.need(hello.token().equals(Trial.TOKEN), "token = " + hello.token() + ": need " + Trial.TOKEN);
        trial.need(
                hello.intervalMillis() == WANTED_MILLIS,
                "wanted interval = " + hello.intervalMillis() + " ms: need " + WANTED_MILLIS);
        trial.need(
                hello.lastEpoch() == epoch || trial.carrier() == Carrier.JSON,
                "last epoch = " + Long.toUnsignedString(hello.lastEpoch()) + ": need " + Long.toUnsignedString(epoch));
    }

    private static String heartbeat(Trial trial) {
        Peer before = trial.greeted(WANTED_MILLIS);
        trial.welcome(before);
        Peer peer = trial.next("the connection after CLOSE 4000", before.close(4000), Limits.SOON);
        trial.client().say("this gets no ACK");
        long from = trial.facts().nanos();
        peer.send(trial.welcome(GRANTED_MILLIS, trial.nextEpoch(), Trial.LIMIT_BYTES));
        for (int i = 0; i < HEARTBEAT_STEPS; i++) {
            // what the gateway sends is no sign of life of the device
            trial.stays(peer, HEARTBEAT_STEP_MILLIS, "WELCOME");
            peer.send(new Frame.Pong(ByteBuffer.allocate(0)));
        }
        long to = trial.facts().nanos();
        List<Long> gaps = new ArrayList<>();
        long last = from;
        for (Received each : peer.received()) {
            if (each.atNanos() > from) {
                gaps.add(gap(trial, last, each.atNanos()));
                last = each.atNanos();
            }
        }
        gap(trial, last, to);
        long most = MOST_FRAMES_AN_INTERVAL * HEARTBEAT_STEPS * HEARTBEAT_STEP_MILLIS / GRANTED_MILLIS;
        trial.need(gaps.size() <= most, gaps.size() + " frames: need at most " + most + ", ten an interval");
        // without the first one and that before the message
        List<Long> between = gaps.subList(2, gaps.size());
        trial.need(
                Trial.spread(between) >= LEAST_JITTER_MILLIS,
                "no jitter: heartbeats after " + Trial.millis(between) + ", which differ by less than "
                        + LEAST_JITTER_MILLIS + " ms");
        return gaps.size() + " frames, at most "
                + gaps.stream().mapToLong(Long::longValue).max().orElse(0) + " ms apart, granted " + GRANTED_MILLIS;
    }

    private static long gap(Trial trial, long from, long to) {
        return trial.facts().between("a heartbeat", from, to, 0, GRANTED_MILLIS, HEARTBEAT_TOLERANCE_MILLIS);
    }

    /** Over TCP all at once; over WebSocket natively, where RFC 6455 allows to answer the latest alone. */
    private static String pong(Trial trial) {
        Peer peer = trial.welcomed();
        long from = trial.facts().nanos();
        int[] lengths = {4, 0, FrameType.MOST_PING, 1};
        for (int i = 0; i < lengths.length; i++) {
            peer.ping(Trial.bytes(lengths[i]));
            if (trial.carrier() == Carrier.JSON) {
                trial.await(peer, Frame.Pong.class, i);
            }
        }
        for (int i = 0; i < lengths.length; i++) {
            Frame.Pong pong = trial.await(peer, Frame.Pong.class, i);
            trial.need(
                    pong.payload().equals(ByteBuffer.wrap(Trial.bytes(lengths[i]))),
                    "PONG of " + pong.payload().remaining() + " bytes: need those of the PING, " + lengths[i]);
        }
        return lengths.length + " PINGs of 0 to 125 bytes answered in "
                + Facts.millis(trial.facts().nanos() - from);
    }

    private static String halfOpen(Trial trial) {
        Peer peer = trial.greeted(SHORT_INTERVAL_MILLIS);
        trial.welcome(peer);
        trial.stays(peer, SHORT_INTERVAL_MILLIS, "WELCOME");
        long from = trial.facts().nanos();
        peer.fallSilent();
        return foundAfter(trial, peer, from);
    }

    private static String noWelcome(Trial trial) {
        Peer peer = trial.greeted(SHORT_INTERVAL_MILLIS);
        peer.fallSilent();
        return foundAfter(trial, peer, peer.openedNanos());
    }

    /** Not before one interval: from a single lost answer nothing follows. */
    private static String foundAfter(Trial trial, Peer silent, long fromNanos) {
        long took = trial.back("silence of the gateway", fromNanos, SHORT_INTERVAL_MILLIS, Limits.FOUND + Limits.LATER)
                .tookMillis();
        trial.left(silent, "the end of the silent connection", trial.facts().nanos(), Limits.ANSWER);
        return "a new connection " + took + " ms after the silence began";
    }

    private static String unknown(Trial trial) {
        Peer peer = trial.welcomed();
        boolean auth = renews(peer);
        peer.send(new Frame.Pong(ByteBuffer.wrap(Trial.bytes(3))), new Frame.Pong(ByteBuffer.allocate(0)));
        peer.send(new Frame.Ack(-7L, 0), new Frame.Ack(EPOCH_BEYOND_DOUBLE, 1));
        if (auth) {
            peer.send(new Frame.AuthAnswer(9, 60_000));
        }
        if (trial.carrier() == Carrier.JSON) {
            peer.sendBytes("{\"type\":\"later\",\"id\":7}".getBytes(StandardCharsets.UTF_8));
        }
        trial.stays(peer, Limits.SETTLED, "an unsolicited PONG and ACKs of unknown ids");
        trial.client().say("after the unknown");
        Frame.Data data = trial.await(peer, Frame.Data.class, 0);
        peer.send(new Frame.Ack(data.id(), 0));
        trial.stays(peer, Limits.SETTLED, "an ACK");
        return "the connection stands" + (auth ? ", AUTH with an unknown status too" : "");
    }

    private static boolean renews(Peer peer) {
        return (Objects.requireNonNull(peer.hello()).features() & FrameType.FEATURE_AUTH) != 0;
    }

    private static String renewal(Trial trial) {
        Peer peer = trial.welcomed();
        if (!renews(peer)) {
            return "HELLO without the feature: it renews nothing";
        }
        trial.token("second");
        peer.send(new Frame.AuthAnswer(EXPIRING, 60_000));
        offered(trial, peer, 0, "second");
        peer.send(new Frame.AuthAnswer(EXPIRING, 50_000));
        trial.stays(peer, Limits.SETTLED, "a second warning");
        trial.need(peer.frames(Frame.Renewal.class).size() == 1, "a second AUTH before the answer to the first");
        peer.send(new Frame.AuthAnswer(NOT_AVAILABLE, 40_000));
        offered(trial, peer, 1, "second");
        peer.send(new Frame.AuthAnswer(ACCEPTED, 60_000));
        trial.token("third");
        peer.send(new Frame.AuthAnswer(EXPIRING, 60_000));
        offered(trial, peer, 2, "third");
        peer.send(new Frame.AuthAnswer(REFUSED, 30_000));
        trial.stays(peer, Limits.SETTLED, "a refusal of its newer token");
        trial.token("fourth");
        Peer second = trial.reconnected(peer, 4008);
        String token = Objects.requireNonNull(second.hello()).token();
        trial.need(token.equals("fourth"), "token = " + token + " after CLOSE 4008: need fourth");
        return "three newer tokens sent, one at a time, and a fourth in HELLO";
    }

    private static void offered(Trial trial, Peer peer, int index, String token) {
        String offered =
                trial.await(peer, Frame.Renewal.class, index, Limits.RENEWAL).token();
        trial.need(offered.equals(token), "AUTH with the token " + offered + ": need " + token);
    }

    private static Case frames(String name, String hexadecimal) {
        byte[] bytes = ByteBufUtil.decodeHexDump(hexadecimal);
        return new Case(name, Carrier.TCP, trial -> nonsense(trial, trial.welcomed(), bytes));
    }

    private static String textInsteadOfWelcome(Trial trial) {
        Peer peer = trial.greeted();
        return nonsense(trial, peer, "HTTP/1.1 502 Bad Gateway\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private static String nonsense(Trial trial, Peer peer, byte[] bytes) {
        long from = trial.facts().nanos();
        peer.sendBytes(bytes);
        trial.left(peer, "the end of the connection after garbage", from, Limits.ANSWER);
        return "left, and " + trial.backText("garbage", from, Limits.LATER_LEAST, Limits.LATER);
    }
}

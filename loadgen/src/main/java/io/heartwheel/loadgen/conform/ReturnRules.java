package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.conform.Rule.Case;
import io.heartwheel.loadgen.conform.Trial.Back;
import io.heartwheel.loadgen.conform.Trial.Listener;
import io.heartwheel.loadgen.wire.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Rules about when a client comes back, and when it does not: GOAWAY, the ranges of codes, broken connections. Stateless. */
final class ReturnRules {

    private static final int NEVER_STATUS = 3;
    /** No exit status. */
    private static final Integer BACK = -1;

    private static final int ROUNDS = 5;
    private static final long WINDOW_MIN_MILLIS = 400;
    private static final long WINDOW_MAX_MILLIS = 2_000;
    /** Five draws at random are closer together than this once in 100,000 runs. */
    private static final long LEAST_WINDOW_SPREAD_MILLIS = (WINDOW_MAX_MILLIS - WINDOW_MIN_MILLIS) * 3 / 100;

    private static final long LEAST_SOON_SPREAD_MILLIS = 20;
    /** In an outage of 20 s; with waits of 0 to 1, 2, 4 ... s it is six or so, with 1 to 2 s each time 13. */
    private static final int MOST_ATTEMPTS = 10;
    /** A newcomer whose id is contended is held for so long before it is sent away. */
    private static final long HELD_MILLIS = 4_000;

    /** Who forgets the window is back earlier, or much later. */
    private static final long HELD_MIN_MILLIS = 5_000;

    private static final long HELD_MAX_MILLIS = 6_000;

    private static final int[] SOON_CODES = {4007, 4001, 4150, 4008, 4199};

    private ReturnRules() {}

    static List<Rule> all() {
        return List.of(
                new Rule(
                        "goaway",
                        new Case("windows", ReturnRules::goaway),
                        new Case("instead of WELCOME", Carrier.TCP, ReturnRules::held)),
                new Rule(
                        "goaway-host",
                        new Case("alive", ReturnRules::otherHost),
                        new Case("dead", ReturnRules::deadHost)),
                new Rule("close-soon", new Case("codes", ReturnRules::closeSoon)),
                new Rule(
                        "close-later",
                        later(null, 4202),
                        later(null, 4300),
                        later("4207 for HELLO", null, Trial::greeted, "CLOSE 4207", peer -> peer.close(4207))),
                new Rule(
                        "close-never",
                        never("4401 for HELLO", null, Trial::greeted, 4401),
                        never("4406", null, Trial::welcomed, 4406),
                        never("4409", null, Trial::welcomed, 4409),
                        never("4599", null, Trial::welcomed, 4599)),
                new Rule(
                        "native-codes",
                        new Case("1000", Carrier.JSON, trial -> {
                            long from = trial.welcomed().close(1000);
                            return trial.backText("CLOSE 1000", from, 0, Limits.SOON);
                        }),
                        later(Carrier.JSON, 1001),
                        later(Carrier.JSON, 1011),
                        never("1002", Carrier.JSON, Trial::welcomed, 1002),
                        never("1009", Carrier.JSON, Trial::welcomed, 1009)),
                new Rule(
                        "broken",
                        later("end of stream", null, Trial::welcomed, "the end of the stream", Peer::breakOff),
                        later("reset", null, Trial::welcomed, "a reset", Peer::reset)),
                new Rule(
                        "backoff",
                        new Case("broken before WELCOME", ReturnRules::backoff),
                        new Case("refused", ReturnRules::refused)));
    }

    private static String goaway(Trial trial) {
        Peer peer = trial.welcomed();
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            long from = trial.facts().nanos();
            peer.send(window(""));
            if (i % 2 == 1) {
                // a gateway that cannot wait: the window holds all the same
                peer.close(4200);
            }
            Back back = trial.back("GOAWAY", from, WINDOW_MIN_MILLIS, WINDOW_MAX_MILLIS);
            trial.left(peer, "the end of the old connection", from, WINDOW_MAX_MILLIS + Limits.ANSWER);
            times.add(back.tookMillis());
            peer = back.peer();
        }
        String seen = Trial.millis(times) + " in windows of " + WINDOW_MIN_MILLIS + ".." + WINDOW_MAX_MILLIS + " ms";
        trial.need(Trial.spread(times) >= LEAST_WINDOW_SPREAD_MILLIS, "not at random: back after " + seen);
        return "back after " + seen;
    }

    private static Frame.Goaway window(String host) {
        return new Frame.Goaway(4200, WINDOW_MIN_MILLIS, WINDOW_MAX_MILLIS, host);
    }

    /** As a newcomer whose id others want too often. */
    private static String held(Trial trial) {
        Peer peer = trial.greeted();
        trial.stays(peer, HELD_MILLIS, "HELLO, while it was held");
        long from = trial.facts().nanos();
        peer.send(new Frame.Goaway(4208, HELD_MIN_MILLIS, HELD_MAX_MILLIS, ""));
        peer.close(4208);
        return "held for " + HELD_MILLIS + " ms, "
                + trial.backText("GOAWAY 4208", from, HELD_MIN_MILLIS, HELD_MAX_MILLIS);
    }

    private static String otherHost(Trial trial) {
        try (Listener other = trial.open(0)) {
            Peer peer = trial.welcomed();
            long from = trial.facts().nanos();
            peer.send(window("127.0.0.1:" + other.port()));
            String what = "the connection to the host of GOAWAY";
            Peer there = trial.nextOf(other, 0, what, from, WINDOW_MAX_MILLIS);
            long took = trial.facts().between(what, from, there.openedNanos(), WINDOW_MIN_MILLIS, WINDOW_MAX_MILLIS);
            trial.welcome(there);
            return "at the other host after " + took + " ms";
        }
    }

    private static String deadHost(Trial trial) {
        int dead;
        try (Listener closed = trial.open(0)) {
            dead = closed.port();
        }
        Peer peer = trial.welcomed();
        long from = trial.facts().nanos();
        peer.send(window("127.0.0.1:" + dead));
        Back back = trial.back("GOAWAY to a dead host", from, WINDOW_MIN_MILLIS, Limits.BACK);
        return "back at the first host after " + back.tookMillis() + " ms";
    }

    private static String closeSoon(Trial trial) {
        Peer peer = trial.welcomed();
        List<Long> times = new ArrayList<>();
        for (int code : SOON_CODES) {
            Back back = trial.back("CLOSE " + code, peer.close(code), 0, Limits.SOON);
            trial.left(peer, "the end of the closed connection", trial.facts().nanos(), Limits.ANSWER);
            times.add(back.tookMillis());
            peer = back.peer();
        }
        trial.need(Trial.spread(times) >= LEAST_SOON_SPREAD_MILLIS, "no jitter: back after " + Trial.millis(times));
        return "back after " + Trial.millis(times);
    }

    private static Case later(@Nullable Carrier only, int code) {
        return later(String.valueOf(code), only, Trial::welcomed, "CLOSE " + code, peer -> peer.close(code));
    }

    /** The client is back later after what the gateway does to its connection. */
    private static Case later(
            String name, @Nullable Carrier only, Function<Trial, Peer> begin, String after, ToLongFunction<Peer> does) {
        return new Case(name, only, trial -> {
            long from = does.applyAsLong(begin.apply(trial));
            return trial.backText(after, from, Limits.LATER_LEAST, Limits.LATER);
        });
    }

    private static Case never(String name, @Nullable Carrier only, Function<Trial, Peer> begin, int code) {
        return new Case(name, only, trial -> {
            Peer peer = begin.apply(trial);
            String what = "the end of the process after CLOSE " + code;
            int status = trial.facts()
                    .await(
                            what,
                            peer.close(code),
                            Limits.EXIT,
                            () -> trial.listener().greeted(1) == null ? trial.status() : BACK,
                            () -> null);
            trial.need(status != BACK.intValue(), "it came back after CLOSE " + code);
            trial.need(status == NEVER_STATUS, "exit status " + status + ": need " + NEVER_STATUS);
            return "stayed away, exit status 3";
        });
    }

    private static String backoff(Trial trial) {
        Peer peer = trial.greeted();
        long began = trial.facts().nanos();
        List<Long> waits = new ArrayList<>();
        while (trial.facts().nanos() - began < Limits.OUTAGE * 1_000_000L) {
            long from = peer.breakOff();
            peer = trial.next("the connection after one that broke before WELCOME", from, Limits.BACK);
            waits.add((peer.openedNanos() - from) / 1_000_000L);
            trial.need(
                    waits.size() <= MOST_ATTEMPTS,
                    "more than " + MOST_ATTEMPTS + " attempts in " + Limits.OUTAGE + " ms: back after "
                            + Trial.millis(waits));
        }
        trial.welcome(peer);
        return "back after " + Trial.millis(waits);
    }

    private static String refused(Trial trial) {
        int port = trial.listener().port();
        trial.listener().stopListening();
        trial.launch(Trial.INTERVAL_MILLIS);
        trial.facts().pause(Limits.OUTAGE / 2);
        long from = trial.facts().nanos();
        try (Listener again = trial.open(port)) {
            Peer peer = trial.nextOf(again, 0, "a connection after refused ones", from, Limits.BACK);
            trial.welcome(peer);
            return "connected " + Facts.millis(peer.openedNanos() - from) + " after the gateway was back";
        }
    }
}

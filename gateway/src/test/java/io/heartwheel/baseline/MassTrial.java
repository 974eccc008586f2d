package io.heartwheel.baseline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * A mass expiry: nearly all connections of a server fall silent at the same instant while the others go on beating. Asked of each side: when the silent
 * ones are closed, and what that costs the others. The sides take turns, each time in the other order.
 */
final class MassTrial {
    private static final int TIMEOUT_MILLIS = 10_000;
    /** With the grace below: the same timeout; a probe goes out in between. */
    private static final int INTERVAL_MILLIS = 8_000;

    private static final List<String> GATEWAY = List.of("-Dheartwheel.heartbeat.grace=1.25");

    private static final int CONNECTS_PER_SECOND = 4_000;
    private static final int WARM_UP_MILLIS = 8_000;
    private static final int REHEARSAL_WARM_UP_MILLIS = 1_000;
    private static final int BEAT_MILLIS = 250;
    /** The breaker takes its patience and closes at its rate. */
    private static final int MOST_MILLIS = 60_000;

    private static final int ASK_SECONDS = 300;
    private static final List<String> CROWD_JVM = List.of("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC");

    private final Stage.Settings settings;
    private final Load load;

    /**
     * How many there are of each, how often each side has its turn, and which sides.
     *
     * @param rehearsal so many die in the same way before, so that no side is measured while it is being compiled; 0: none
     */
    record Load(int silent, int live, int rounds, int rehearsal, List<Rival> rivals) {}

    /** A side of this trial: a server and how it is set. */
    enum Rival {
        BASELINE("baseline, IdleStateHandler", Side.BASELINE_TCP, List.of()),
        GATEWAY_PLAIN("gateway, breaker off", Side.GATEWAY_TCP, List.of("-Dheartwheel.breaker.enabled=false")),
        GATEWAY_BREAKER("gateway, breaker on", Side.GATEWAY_TCP, List.of());

        final String title;
        final Side side;
        private final List<String> more;

        Rival(String title, Side side, List<String> more) {
            this.title = title;
            this.side = side;
            this.more = more;
        }

        private List<String> arguments(Stage.Settings settings, String ports) {
            List<String> all = new ArrayList<>(
                    side.arguments(settings.transport(), settings.loops(), TIMEOUT_MILLIS / 1_000, ports));
            if (side == Side.GATEWAY_TCP) {
                all.addAll(GATEWAY);
                all.addAll(more);
            }
            return all;
        }
    }

    /** One turn of one side. */
    record Turn(Rival rival, int round, MassCrowd.Outcome outcome) {}

    /** All turns. */
    record Result(Load load, List<Turn> turns) {
        /** The middle of this figure over the turns of one side. */
        double median(Rival rival, java.util.function.ToLongFunction<MassCrowd.Outcome> figure) {
            long[] sorted = turns.stream()
                    .filter(turn -> turn.rival() == rival)
                    .mapToLong(turn -> figure.applyAsLong(turn.outcome()))
                    .sorted()
                    .toArray();
            return sorted.length == 0
                    ? Double.NaN
                    : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0;
        }
    }

    MassTrial(Stage.Settings settings, Load load) {
        this.settings = settings;
        this.load = load;
    }

    Result run() throws Exception {
        List<Turn> turns = new ArrayList<>();
        List<Rival> order = new ArrayList<>(load.rivals());
        for (int round = 0; round < load.rounds(); round++) {
            for (Rival rival : order) {
                Turn turn = new Turn(rival, round, turn(rival, "mass-" + round + '-' + rival.ordinal()));
                System.out.println(MassTable.line(turn));
                turns.add(turn);
            }
            Collections.reverse(order);
        }
        return new Result(load, turns);
    }

    private MassCrowd.Outcome turn(Rival rival, String name) throws Exception {
        Path ports = settings.directory().resolve(name + ".ports");
        Files.deleteIfExists(ports);
        List<String> arguments = rival.arguments(settings, ports.toString());
        try (Child server = new Child(settings.jvm(), rival.side.main(), arguments, log(name))) {
            int port = server.ports(ports).get(rival.side.listener).getPort();
            Files.delete(ports);
            return crowd(rival, port, name);
        }
    }

    private MassCrowd.Outcome crowd(Rival rival, int port, String name) throws Exception {
        List<String> arguments =
                List.of(rival.side.wire.name(), Integer.toString(INTERVAL_MILLIS), Integer.toString(port));
        try (Child crowd = new Child(CROWD_JVM, MassCrowdMain.class, arguments, log(name + "-crowd"))) {
            if (load.rehearsal() > 0) {
                gather(crowd, rival, "rehearse", load.rehearsal(), 1);
                crowd.ask(expire(REHEARSAL_WARM_UP_MILLIS), ASK_SECONDS);
            }
            gather(crowd, rival, "gather", load.silent(), load.live());
            return MassCrowd.Outcome.of(crowd.ask(expire(WARM_UP_MILLIS), ASK_SECONDS));
        }
    }

    private static void gather(Child crowd, Rival rival, String command, int silent, int live) throws Exception {
        String line = String.format(Locale.ROOT, "%s %d %d %d", command, silent, live, CONNECTS_PER_SECOND);
        long there = crowd.ask(line, ASK_SECONDS)[0];
        if (there != silent + live) {
            throw new IOException(rival.title + ": only " + there + " connected");
        }
    }

    private static String expire(int warmUpMillis) {
        return String.format(Locale.ROOT, "expire %d %d %d %d", warmUpMillis, BEAT_MILLIS, TIMEOUT_MILLIS, MOST_MILLIS);
    }

    private Path log(String name) {
        return settings.directory().resolve(name + ".log");
    }
}

package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.Trial.Seen;
import io.heartwheel.loadgen.measure.Count;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

/**
 * Plays of a test class, some at once. A play in which the machine
 * stood still proves nothing and is played again; one that never went well is skipped and counted. A play whose test is run
 * again is played again, and no other.
 */
final class Judging {

    private static final int TRIES = 4;

    private final ExecutorService players;
    private final Map<Play, CompletableFuture<Seen>> begun = new EnumMap<>(Play.class);
    private final AtomicInteger again = new AtomicInteger();
    private int judged;
    private int skipped;

    /**
     * Begins these plays, the longest first.
     *
     * @param atOnce as many as the machine plays without standing still; one of two processors: 12
     */
    Judging(Collection<Play> plays, int atOnce) {
        players = Executors.newFixedThreadPool(atOnce, work -> {
            Thread thread = new Thread(work, "trial");
            thread.setDaemon(true);
            return thread;
        });
        Trial.warmUp();
        plays.forEach(play -> begun.put(play, started(play)));
    }

    private CompletableFuture<Seen> started(Play play) {
        return CompletableFuture.supplyAsync(
                () -> {
                    Seen seen = Trial.of(play);
                    for (int more = TRIES - 1; more > 0 && !seen.clear(); more--) {
                        again.incrementAndGet();
                        seen = Trial.of(play);
                    }
                    return seen;
                },
                players);
    }

    /** Holds a play against its row; gives what was seen for more to be held against. */
    Seen judge(Play play) {
        CompletableFuture<Seen> future = begun.remove(play);
        Seen seen = (future == null ? started(play) : future).join();
        skipped += seen.calm() ? 0 : 1;
        Assumptions.assumeTrue(seen.calm(), () -> "the machine stood still each time" + seen);
        judged++;
        if (play.verdict != null) {
            assertEquals(play.verdict, seen.result().verdict(), seen::toString);
        }
        play.counts.forEach(
                (what, wanted) -> assertEquals(wanted.longValue(), seen.of(what), () -> what + " of " + seen));
        if (play.script.contains("downlink")) {
            for (Count what :
                    Play.counts(Scripts.PUSH_COUNTS + ", " + Scripts.ACK_COUNTS).keySet()) {
                assertEquals(play.counts.getOrDefault(what, 0).longValue(), seen.of(what), () -> what + " of " + seen);
            }
        }
        return seen;
    }

    /** A class that could judge nothing has not passed. */
    void assertSomeJudged() {
        System.out.println(judged + " plays judged, played again " + again + " times, " + skipped
                + " skipped because the machine stood still");
        assertTrue(judged > 0, "the machine stood still in each play");
    }
}

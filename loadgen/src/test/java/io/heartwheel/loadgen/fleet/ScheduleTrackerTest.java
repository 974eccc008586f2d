package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.PushedDevice.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.client.Behaviours;
import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.scenario.Acks.Ask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A schedule that goes on to the end, each 10 s from the sixth on, of a device of gw-2, in virtual time: what is right, and each planted fault. A
 * script has seconds since the schedule was asked for, and what comes then: a run with this id, {@code step}, {@code leave}, {@code back} or
 * nothing at the {@code end}. The step lasts 20 s and excuses 4 more.
 */
final class ScheduleTrackerTest {

    private final PushedDevice one = new PushedDevice();

    @AfterEach
    void tidy() {
        one.close();
    }

    private long of(Count count) {
        return one.recorder.ledger().of(count);
    }

    private void play(String step, String script) {
        play("one", step, script);
    }

    private void play(String to, String step, String script) {
        play(to, 0, step, script);
    }

    /** @param answered seconds after the call */
    private void play(String to, int answered, String step, String script) {
        String later = "within = 35s, later { endless = true, after = 6s, every = 10s }, to = " + to + ", ";
        one.ofFleet(Behaviours.steady(), step, later);
        one.holder = "gw-2";
        one.now += SECOND;
        long asked = one.now;
        one.intended = asked;
        one.told(1, Ask.NOTHING, Said.QUEUED, 0, answered * SECOND);
        for (String each : script.split(" ")) {
            String[] what = each.split("=");
            one.now = asked + Integer.parseInt(what[0]) * SECOND;
            one.report();
            switch (what[1]) {
                case "step" -> one.outages.add(one.scenario.timeline().get(0), one.now);
                case "leave" -> one.leaves(0);
                case "back" -> one.connect();
                case "end" -> {}
                default -> one.comes(1, Long.parseLong(what[1]), true);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            each time once                            | do = kill, node = 1   | 6=1 16=2 26=3 36=4                               | 4 | 4 | 0 | 0
            again, a gateway was killed meanwhile     | do = kill, node = 1   | 6=1 16=2 17=step 24=2 26=3 36=4 46=5 56=6        | 6 | 3 | 1 | 0
            again, it was frozen meanwhile            | do = freeze, node = 1 | 6=1 16=2 17=step 34=2 36=4 46=5 56=6             | 5 | 3 | 1 | 0
            again in a rolling restart                | do = rolling-restart  | 6=1 16=2 17=step 26=3 29=3 36=4 46=5 56=6        | 6 | 3 | 1 | 0
            missed while its gateway was away         | do = kill, node = 1   | 6=1 17=step 36=4 46=5 56=6                       | 4 | 3 | 0 | 0
            several of a gateway that stood still     | do = freeze, node = 2 | 6=1 7=step 27=2 27=3 36=4 46=5 56=6              | 6 | 3 | 0 | 0
            while the device was away                 | do = kill, node = 1   | 6=1 15=leave 27=back 36=4 46=5 56=6              | 4 | 2 | 0 | 0
            again on its next connection              | do = kill, node = 1   | 6=1 16=2 17=leave 18=back 18=2 26=3 36=4 46=5    | 5 | 3 | 0 | 1
            """)
    void schedule_whatIsRight_isCountedAndFindsNothing(
            String what, String step, String script, int came, int judged, int excused, int repeated) {
        play(step, script);
        one.assertFound();
        assertEquals(came, of(Count.RUNS_CAME));
        assertEquals(judged, of(Count.RUNS_JUDGED));
        assertEquals(excused, of(Count.RUNS_AGAIN_EXCUSED));
        assertEquals(repeated, of(Count.PUSHES_REPEATED));
        assertEquals(1, of(Count.SCHEDULES_GOING));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            doubled under two ids                     | do = kill, node = 1   | 6=1 16=2 17=22 26=3 36=4                         | RUNS_DOUBLED
            doubled by two that take it over          | do = kill, node = 1   | 6=1 16=2 17=step 31=3 31=33 36=4 46=5 56=6       | RUNS_DOUBLED
            doubled by the one that goes on           | do = freeze, node = 1 | 6=1 16=2 17=step 36=4 37=3 46=5 56=6             | RUNS_DOUBLED
            again, and no gateway was stopped         | do = kill, node = 1   | 6=1 16=2 18=2 26=3 36=4                          | RUNS_DOUBLED
            again, stopped when it had long been over | do = kill, node = 1   | 6=1 16=2 26=3 30=step 32=2 36=4 46=5 56=6 66=7   | RUNS_DOUBLED
            again, stopped after it                   | do = kill, node = 1   | 6=1 16=2 19=2 20=step 26=3 36=4 46=5 56=6        | RUNS_DOUBLED
            again long after, on another connection   | do = kill, node = 1   | 6=1 16=2 17=leave 18=back 26=3 28=2 36=4 46=5    | RUNS_DOUBLED
            again in the excuse of a kill             | do = kill, node = 1   | 6=1 16=2 17=step 27=3 28=3 36=4 46=5 56=6        | RUNS_DOUBLED
            without ids, again in the same time       | do = kill, node = 1   | 6=0 16=0 17=0 26=0 36=0                          | RUNS_DOUBLED
            skipped while all was calm                | do = kill, node = 1   | 6=1 26=3 36=4 46=5                               | RUNS_MISSED
            skipped after the kill                    | do = kill, node = 1   | 6=1 16=2 17=step 26=3 36=4 56=6                  | RUNS_MISSED
            never goes on after the kill              | do = kill, node = 1   | 6=1 16=2 17=step 46=end                          | SCHEDULES_STOPPED
            goes on until the end of the kill         | do = kill, node = 1   | 6=1 16=2 17=step 26=3 36=4 56=end                | SCHEDULES_STOPPED
            before its first time                     | do = kill, node = 1   | 2=1 6=2 16=3 26=4                                | PUSHES_EARLY
            not for a long time                       | do = kill, node = 1   | 6=1 16=2 25=step 66=7                            | RUNS_LATE RUNS_MISSED
            """)
    void schedule_whatIsPlanted_isFound(String what, String step, String script, String found) {
        play(step, script);
        one.assertFound(Stream.of(found.split(" ")).map(Count::valueOf).toArray(Count[]::new));
    }

    /** The schedule counts from some moment of the first two seconds, so its times are within 2 s of those in the script. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            held up until just before the next        | 2 | 8=1 18=2 24=step 37=3 38=4 48=5 58=6             | 6
            held up, and the next comes twice         | 2 | 8=1 18=2 24=step 37=3 38=4 39=44 48=5 58=6       | RUNS_DOUBLED
            not held up                               | 2 | 8=1 18=2 28=3 37=4 38=44 48=5                    | RUNS_DOUBLED
            held up, and the next comes twice later   | 2 | 8=1 18=2 24=step 38=4 39=44 48=5 58=6            | RUNS_DOUBLED
            """)
    void schedule_whoseTimesAreKnownRoughly(String what, int answered, String script, String found) {
        play("one", answered, "do = kill, node = 1", script);
        if (found.equals("6")) {
            one.assertFound();
            assertEquals(6, of(Count.RUNS_CAME));
        } else {
            one.assertFound(Count.valueOf(found));
        }
    }

    @Test
    void toMany_againWhileItsDeviceMayBeInTwoShares_isRight() {
        play("all", "do = kill, node = 1", "6=1 16=2 17=step 27=3 28=3 36=4 46=5 56=6");
        one.assertFound();
        assertEquals(1, of(Count.PUSHES_REPEATED));
    }

    @Test
    void toMany_againWhileAllIsCalm_isFound() {
        play("all", "do = kill, node = 1", "6=1 16=2 17=2 26=3 36=4");
        one.assertFound(Count.RUNS_DOUBLED, "a run of schedule 1 to many came again 1000 ms after it, .*");
    }

    @Test
    void withoutIds_againAfterAKill_isExcused() {
        play("do = kill, node = 1", "6=0 16=0 17=step 24=0 36=0 46=0 56=0");
        one.assertFound();
        assertEquals(1, of(Count.RUNS_AGAIN_EXCUSED));
    }
}

package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The states of a timer, each by each event: where it leads, what is answered, whether the handle is given back once. */
class TimersStateTest {

    private final TimersRig rig = TimersRig.queued();
    private TimerEntry entry;
    /** Set while the rig's executor is to do something else with a run. */
    private Consumer<Runnable> executor = rig.queue::add;

    private int tasksRun;
    private Runnable inTask = () -> {};

    /** A timer that was brought into the state by nothing but its own calls. */
    private void bringTo(String state, boolean last) {
        Schedule schedule = last ? Schedule.once(10) : Schedule.withFixedDelay(10, 10);
        Runnable task = () -> {
            tasksRun++;
            inTask.run();
        };
        entry = (TimerEntry) rig.timers.start(schedule, task, run -> executor.accept(run));
        switch (state) {
            case "WAITING" -> {}
            case "QUEUED", "FIRED" -> rig.advance(10);
            case "RUNNING" -> {
                rig.advance(10);
                assertEquals(1, rig.queue.size());
            }
            case "CANCELLED" -> assertTrue(entry.cancel());
            case "STOPPED" -> assertEquals(1, rig.timers.stop().size());
            default -> throw new AssertionError(state);
        }
    }

    private boolean tell(String event) {
        return switch (event) {
            case "cancel" -> entry.cancel();
            case "stop" -> rig.timers.stop().contains(entry);
            case "expire" -> {
                rig.advance(rig.now + 10);
                yield false;
            }
            case "stray expire" -> {
                entry.expire(rig.now);
                yield false;
            }
            case "run" -> {
                rig.drain();
                yield false;
            }
            case "refused" -> {
                executor = run -> {
                    throw new IllegalStateException("refused");
                };
                rig.advance(rig.now + 10);
                yield false;
            }
            default -> throw new AssertionError(event);
        };
    }

    @ParameterizedTest
    @CsvSource({
        // state, last run, event, state then, answer, tasks run
        "WAITING,   true,  cancel,       CANCELLED, true,  0",
        "WAITING,   true,  stop,         STOPPED,   true,  0",
        "WAITING,   true,  expire,       FIRED,     false, 0",
        "WAITING,   true,  refused,      FIRED,     false, 0",
        "WAITING,   false, cancel,       CANCELLED, true,  0",
        "WAITING,   false, stop,         STOPPED,   true,  0",
        "WAITING,   false, expire,       PENDING,   false, 0",
        "WAITING,   false, refused,      PENDING,   false, 0",
        "QUEUED,    false, cancel,       CANCELLED, true,  0",
        "QUEUED,    false, stop,         STOPPED,   true,  0",
        "QUEUED,    false, stray expire, PENDING,   false, 0",
        "QUEUED,    false, run,          PENDING,   false, 1",
        "FIRED,     true,  cancel,       FIRED,     false, 0",
        "FIRED,     true,  stop,         FIRED,     false, 0",
        "FIRED,     true,  stray expire, FIRED,     false, 0",
        "FIRED,     true,  run,          FIRED,     false, 1",
        "CANCELLED, false, cancel,       CANCELLED, false, 0",
        "CANCELLED, false, stop,         CANCELLED, false, 0",
        "CANCELLED, false, expire,       CANCELLED, false, 0",
        "CANCELLED, false, stray expire, CANCELLED, false, 0",
        "STOPPED,   false, cancel,       STOPPED,   false, 0",
        "STOPPED,   false, stop,         STOPPED,   false, 0",
        "STOPPED,   false, expire,       STOPPED,   false, 0",
        "STOPPED,   false, stray expire, STOPPED,   false, 0",
    })
    void event_inState_leadsOn(String state, boolean last, String event, Timer.State then, boolean answer, int runs) {
        bringTo(state, last);
        assertEquals(answer, tell(event));
        assertEquals(then, entry.state());
        assertEquals(runs, tasksRun);
        settle(then);
    }

    @ParameterizedTest
    @CsvSource({
        "cancel,       CANCELLED, true",
        "stop,         STOPPED,   true",
        "stray expire, PENDING,   false",
    })
    void event_whileRunning_leadsOn(String event, Timer.State then, boolean answer) {
        bringTo("RUNNING", false);
        inTask = () -> assertEquals(answer, tell(event));
        rig.drain();
        inTask = () -> {};
        assertEquals(0, rig.failures.size(), () -> rig.failures.toString());
        assertEquals(1, tasksRun);
        assertEquals(then, entry.state());
        settle(then);
    }

    /** ARMING lasts as long as a call of the wheel's; the waker is called within that. */
    @ParameterizedTest
    @CsvSource({
        "cancel,       CANCELLED, true",
        "stop,         STOPPED,   true",
        "expire,       PENDING,   false",
    })
    void event_whileArming_leadsOn(String event, Timer.State then, boolean answer) {
        rig.advance(0);
        rig.wheel.beginSleep(0);
        boolean[] told = new boolean[1];
        rig.wheel.wokenBy(() -> {
            rig.wheel.forEach(timed -> entry = (TimerEntry) timed);
            told[0] = tell(event);
        });
        Timer timer = rig.timers.once(10, rig.task());
        rig.wheel.wokenBy(() -> {});
        assertEquals(answer, told[0]);
        assertEquals(entry, timer);
        assertEquals(then, entry.state());
        assertEquals(0, rig.queue.size());
        if (then == Timer.State.PENDING) {
            // Armed once more, as the first expiry came while it was being armed.
            rig.advance(20);
            rig.drain();
            assertEquals(1, rig.ran.size());
        }
        assertTrue(rig.isEmpty());
    }

    /** Whatever is left ends, and the wheel's handle has come back. */
    private void settle(Timer.State then) {
        assertEquals(then == Timer.State.PENDING, entry.cancel());
        rig.drain();
        assertTrue(rig.isEmpty());
    }
}

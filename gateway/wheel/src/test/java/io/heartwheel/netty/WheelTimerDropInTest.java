package io.heartwheel.netty;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Netty's own timer and ours give the same answers to the same calls. Nothing here waits for time to pass. */
class WheelTimerDropInTest {

    private static final ThreadFactory THREADS = Executors.defaultThreadFactory();
    private static final Executor DIRECT = Runnable::run;

    /** The longest constructor, of either class. */
    private interface Maker {
        Timer make(
                ThreadFactory threads, long tick, TimeUnit unit, int ticks, boolean leaks, long max, Executor executor);
    }

    private static final List<Maker> BOTH = List.of(HashedWheelTimer::new, WheelTimer::new);

    @Test
    void constructors_everyPublicOneOfNettys_isOurs() {
        for (Constructor<?> theirs : HashedWheelTimer.class.getConstructors()) {
            assertDoesNotThrow(() -> WheelTimer.class.getConstructor(theirs.getParameterTypes()), theirs::toString);
        }
    }

    @Test
    void methods_everyPublicOneOfNettys_isOurs() throws NoSuchMethodException {
        for (Method theirs : HashedWheelTimer.class.getDeclaredMethods()) {
            if (Modifier.isPublic(theirs.getModifiers()) && !theirs.isSynthetic()) {
                Method ours = WheelTimer.class.getMethod(theirs.getName(), theirs.getParameterTypes());
                assertEquals(theirs.getReturnType(), ours.getReturnType(), theirs::toString);
            }
        }
    }

    @Test
    void constructor_anyArguments_isTakenOrRefusedAlike() {
        TimeUnit unit = TimeUnit.MILLISECONDS;
        assertAlike("fine", null, THREADS, 100, unit, 512, DIRECT);
        assertAlike("one tick a turn", null, THREADS, 100, unit, 1, DIRECT);
        assertAlike("no power of two", null, THREADS, 100, unit, 33, DIRECT);
        assertAlike("short tick", null, THREADS, 1, TimeUnit.NANOSECONDS, 512, DIRECT);
        assertAlike("long tick", null, THREADS, 100, TimeUnit.DAYS, 512, DIRECT);
        assertAlike("no factory", NullPointerException.class, null, 100, unit, 512, DIRECT);
        assertAlike("no thread", NullPointerException.class, run -> null, 100, unit, 512, DIRECT);
        assertAlike("no unit", NullPointerException.class, THREADS, 100, null, 512, DIRECT);
        assertAlike("no executor", NullPointerException.class, THREADS, 100, unit, 512, null);
        assertAlike("tick of 0", IllegalArgumentException.class, THREADS, 0, unit, 512, DIRECT);
        assertAlike("tick below 0", IllegalArgumentException.class, THREADS, -1, unit, 512, DIRECT);
        assertAlike("0 ticks", IllegalArgumentException.class, THREADS, 100, unit, 0, DIRECT);
        assertAlike("ticks below 0", IllegalArgumentException.class, THREADS, 100, unit, -1, DIRECT);
        assertAlike("endless tick", IllegalArgumentException.class, THREADS, Long.MAX_VALUE, unit, 1, DIRECT);
        long most = Long.MAX_VALUE / 512;
        assertAlike("longest tick", null, THREADS, most - 1, TimeUnit.NANOSECONDS, 500, DIRECT);
        assertAlike("turn too long", IllegalArgumentException.class, THREADS, most, TimeUnit.NANOSECONDS, 500, DIRECT);
    }

    /** A refusal of null means that the timer is made. */
    private static void assertAlike(
            String what,
            Class<? extends Throwable> refusal,
            ThreadFactory threads,
            long tick,
            TimeUnit unit,
            int ticks,
            Executor executor) {
        for (Maker maker : BOTH) {
            Class<?> thrown = thrownBy(() ->
                    maker.make(threads, tick, unit, ticks, false, 0, executor).stop());
            assertEquals(refusal, thrown, what);
        }
    }

    private static Class<?> thrownBy(Runnable call) {
        try {
            call.run();
            return null;
        } catch (Throwable failure) {
            return failure.getClass();
        }
    }

    @Test
    void life_untilStopped_isAlike() {
        List<List<Object>> lives = new ArrayList<>();
        for (Maker maker : BOTH) {
            lives.add(live(maker.make(THREADS, 1, TimeUnit.HOURS, 512, true, 2, DIRECT)));
        }
        assertEquals(lives.get(0), lives.get(1));
    }

    /** What a timer answers whose first tick never ends. */
    private static List<Object> live(Timer timer) {
        List<Object> answers = new ArrayList<>();
        answers.add(thrownBy(() -> timer.newTimeout(null, 1, TimeUnit.DAYS)));
        answers.add(thrownBy(() -> timer.newTimeout(self -> {}, 1, null)));
        Timeout first = timer.newTimeout(self -> {}, 1, TimeUnit.DAYS);
        Timeout second = timer.newTimeout(self -> {}, Long.MAX_VALUE, TimeUnit.DAYS);
        answers.add(thrownBy(() -> timer.newTimeout(self -> {}, 1, TimeUnit.DAYS)));
        answers.addAll(List.of(first.timer() == timer, first.isExpired(), first.isCancelled()));
        answers.addAll(List.of(first.cancel(), first.cancel(), first.isExpired(), first.isCancelled()));
        Set<Timeout> left = timer.stop();
        answers.addAll(List.of(left.equals(Set.of(second)), second.isCancelled(), second.cancel()));
        answers.add(timer.stop().isEmpty());
        answers.add(thrownBy(() -> timer.newTimeout(self -> {}, 1, TimeUnit.DAYS)));
        return answers;
    }
}

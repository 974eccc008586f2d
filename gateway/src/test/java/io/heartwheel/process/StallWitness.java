package io.heartwheel.process;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Witness of this virtual machine's own stalls, for tests whose devices must keep a pace. A test that fails while we stood still is played again;
 * if we did in each play it is skipped, and never judged.
 */
final class StallWitness implements InvocationInterceptor {
    private static final int PLAYS = 3;
    private static final long STEP_MILLIS = 10;
    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    private volatile long longestNanos;

    private interface Play {
        void play() throws Throwable;
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> first, ReflectiveInvocationContext<Method> test, ExtensionContext context)
            throws Throwable {
        judge(first, test);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> first, ReflectiveInvocationContext<Method> test, ExtensionContext context)
            throws Throwable {
        judge(first, test);
    }

    private static void judge(Invocation<Void> first, ReflectiveInvocationContext<Method> test) throws Throwable {
        Play play = first::proceed;
        for (int i = 1; ; i++) {
            StallWitness witness = new StallWitness();
            Thread watching = new Thread(witness::watch, "stall witness");
            watching.start();
            try {
                play.play();
                return;
            } catch (AssertionError | Exception failed) {
                if (witness.longestNanos < STALL_NANOS) {
                    throw failed;
                }
                String said = "stood still for " + witness.longestNanos / 1_000_000 + " ms, play " + i;
                System.out.println(test.getExecutable().getName() + ": " + said + ": " + failed);
                if (i == PLAYS) {
                    throw new TestAbortedException(said, failed);
                }
            } finally {
                watching.interrupt();
                watching.join();
            }
            play = () -> again(test);
        }
    }

    private static void again(ReflectiveInvocationContext<Method> test) throws Throwable {
        Method method = test.getExecutable();
        method.setAccessible(true);
        try {
            method.invoke(test.getTarget().orElseThrow(), test.getArguments().toArray());
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    private void watch() {
        try {
            for (long beforeNanos = System.nanoTime(); ; ) {
                TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
                long nowNanos = System.nanoTime();
                longestNanos = Math.max(longestNanos, nowNanos - beforeNanos);
                beforeNanos = nowNanos;
            }
        } catch (InterruptedException over) {
            // the play has ended
        }
    }
}

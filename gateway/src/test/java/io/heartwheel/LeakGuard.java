package io.heartwheel;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class after which a buffer was found unreleased. Registered for every test. Each leak fails one class: its own, or where classes
 * run at the same time or it is found late, the next that ends. Gateways in processes of their own are looked at by their tests.
 */
public final class LeakGuard implements AfterAllCallback {
    private static final String OF_PROCESSES = "io.heartwheel.process";
    private static final long COLLECTED_MILLIS = 1_000;
    private static final BlockingQueue<String> LEAKS = new LinkedBlockingQueue<>();

    static {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new ResourceLeakDetectorFactory() {
            @Override
            @SuppressWarnings("deprecation") // the method to override
            public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                    Class<T> resource, int interval, long maxActive) {
                return new Recorder<>(resource, interval);
            }
        });
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        if (!context.getRequiredTestClass().getPackageName().equals(OF_PROCESSES)) {
            collect();
        }
        List<String> found = new ArrayList<>();
        LEAKS.drainTo(found);
        if (!found.isEmpty()) {
            throw new AssertionError(found.size() + " buffers leaked, the first: " + found.get(0));
        }
    }

    private static void collect() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        PhantomReference<Object> garbage = new PhantomReference<>(new Object(), collected);
        System.gc();
        // those of the buffers are told at the same time
        collected.remove(COLLECTED_MILLIS);
        garbage.clear();
        // a new tracked buffer makes the detector look at those that were collected
        PooledByteBufAllocator.DEFAULT.buffer(1).release();
    }

    private static final class Recorder<T> extends ResourceLeakDetector<T> {
        Recorder(Class<?> resource, int interval) {
            super(resource, interval);
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String type, String records) {
            LEAKS.add(type + records);
        }

        @Override
        protected void reportUntracedLeak(String type) {
            LEAKS.add(type);
        }
    }
}

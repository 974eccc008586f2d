package io.heartwheel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class after which a buffer was found unreleased. Registered for every test. */
public final class LeakGuard implements BeforeAllCallback, AfterAllCallback {
    private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

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
    public void beforeAll(ExtensionContext context) {
        LEAKS.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        for (int i = 0; i < 2; i++) {
            System.gc();
            // a new tracked buffer makes the detector look at those that were collected
            ByteBuf probe = PooledByteBufAllocator.DEFAULT.buffer(1);
            probe.release();
        }
        if (!LEAKS.isEmpty()) {
            throw new AssertionError(LEAKS.size() + " buffers leaked, the first: " + LEAKS.get(0));
        }
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

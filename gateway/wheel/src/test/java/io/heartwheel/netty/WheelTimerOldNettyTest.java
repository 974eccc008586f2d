package io.heartwheel.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The timer among libraries that bring an older Netty, in which {@code TimerTask.cancelled} does not exist: what async-http-client 3.0.1 and Lettuce
 * 6.5.5 resolve to, and the oldest supported. The build puts their netty-common into target.
 */
@Timeout(60)
class WheelTimerOldNettyTest {

    @ParameterizedTest
    @ValueSource(strings = {"4.1.115.Final", "4.1.50.Final"})
    void cancelAndRun_nettyBeforeCancelled_worksAndWarnsOfNothing(String version) throws Exception {
        try (RecordedLog log = new RecordedLog();
                URLClassLoader old = old(version)) {
            cancelAndRun(old);
            assertEquals(
                    List.of(), log.lines.stream().map(LogRecord::getMessage).toList());
        }
    }

    private static void cancelAndRun(ClassLoader old) throws Exception {
        Class<?> taskType = old.loadClass("io.netty.util.TimerTask");
        Class<?> timeoutType = old.loadClass("io.netty.util.Timeout");
        Class<?> timerType = old.loadClass("io.netty.util.Timer");
        assertThrows(NoSuchMethodException.class, () -> taskType.getMethod("cancelled", timeoutType));
        Object timer =
                old.loadClass("io.heartwheel.netty.WheelTimer").getConstructor().newInstance();
        CountDownLatch ran = new CountDownLatch(1);
        Object task = Proxy.newProxyInstance(old, new Class<?>[] {taskType}, (proxy, method, arguments) -> {
            if (method.getName().equals("run")) {
                ran.countDown();
            }
            return method.getName().equals("toString") ? "task" : null;
        });
        var newTimeout = timerType.getMethod("newTimeout", taskType, long.class, TimeUnit.class);
        var cancel = timeoutType.getMethod("cancel");
        Object cancelled = newTimeout.invoke(timer, task, 1L, TimeUnit.HOURS);
        assertEquals(true, cancel.invoke(cancelled));
        assertEquals(false, cancel.invoke(cancelled));
        newTimeout.invoke(timer, task, 1L, TimeUnit.MILLISECONDS);
        assertTrue(ran.await(30, TimeUnit.SECONDS), "never ran");
        newTimeout.invoke(timer, task, 1L, TimeUnit.HOURS);
        assertEquals(1, ((Set<?>) timerType.getMethod("stop").invoke(timer)).size());
    }

    /** Sees our classes and that Netty, and of the rest the JDK alone. */
    private static URLClassLoader old(String version) throws IOException {
        Path jar = Path.of("target", "old-netty", "netty-common-" + version + ".jar");
        assertTrue(
                Files.isRegularFile(jar),
                () -> jar.toAbsolutePath() + ": need it, mvn process-test-resources makes it");
        URL ours = WheelTimer.class.getProtectionDomain().getCodeSource().getLocation();
        return new URLClassLoader(new URL[] {url(jar), ours}, ClassLoader.getPlatformClassLoader());
    }

    private static URL url(Path path) throws MalformedURLException {
        return path.toUri().toURL();
    }
}

package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.NotifyListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a real socket of the Unix domain. */
class SupervisorTest {
    private static final long PID = 4711;

    @TempDir
    Path scratch;

    @AutoClose
    private NotifyListener systemd;

    @AutoClose
    private Supervisor supervisor;

    private void open() throws Exception {
        systemd = new NotifyListener(path());
        supervisor = of("NOTIFY_SOCKET", path());
    }

    private String path() {
        return scratch.resolve("notify").toString();
    }

    private static Supervisor of(String... pairs) {
        Map<String, String> environment = new java.util.HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            environment.put(pairs[i], pairs[i + 1]);
        }
        return Supervisor.of(environment, PID);
    }

    @Test
    void everyMethod_withSocket_sendsOneDatagramInOrder() throws Exception {
        open();
        supervisor.status("starting");
        supervisor.ready();
        supervisor.extendTimeout(Duration.ofSeconds(3));
        supervisor.watchdog();
        supervisor.stopping();

        for (String expected :
                List.of("STATUS=starting", "READY=1", "EXTEND_TIMEOUT_USEC=3000000", "WATCHDOG=1", "STOPPING=1")) {
            assertEquals(expected, systemd.next());
        }
        assertEquals(0, supervisor.failures());
    }

    @Test
    void of_abstractName_reachesTheListener() throws Exception {
        String name = "@heartwheel-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
        try (NotifyListener systemd = new NotifyListener(name);
                Supervisor supervisor = of("NOTIFY_SOCKET", name)) {
            supervisor.ready();

            assertEquals("READY=1", systemd.next());
        }
    }

    /** The kernel's clock for CLOCK_MONOTONIC is the one that systemd compares with. */
    @Test
    void reloading_always_carriesTheMonotonicTime() throws Exception {
        open();
        long beforeMicros = System.nanoTime() / 1_000;
        supervisor.reloading();
        String[] lines = systemd.next().split("\n", -1);

        assertEquals("RELOADING=1", lines[0]);
        long micros = Long.parseLong(lines[1].substring("MONOTONIC_USEC=".length()));
        assertTrue(micros >= beforeMicros, () -> micros + " < " + beforeMicros);
        assertEquals(2, lines.length);
    }

    /** A line break would begin another assignment. */
    @Test
    void status_withLineBreakOrTooLong_staysOneLineOfOneDatagram() throws Exception {
        open();
        supervisor.status("one\nREADY=1");
        supervisor.status("x".repeat(10_000));

        assertEquals("STATUS=one READY=1", systemd.next());
        assertEquals("STATUS=" + "x".repeat(500), systemd.next());
    }

    @Test
    void everyMethod_withoutSocket_doesNothing() {
        try (Supervisor supervisor = of("WATCHDOG_USEC", "1000000")) {
            supervisor.ready();
            supervisor.reloading();
            supervisor.stopping();
            supervisor.status("nobody reads this");
            supervisor.extendTimeout(Duration.ofDays(1));

            assertFalse(supervisor.isThere());
            assertEquals(0, supervisor.watchdogPeriodNanos());
            assertEquals(0, supervisor.failures());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "relative",
                "vsock:2:9999",
                "@",
                "/no/such/socket",
                "/123456789/123456789/123456789/123456789"
                        + "/123456789/123456789/123456789/123456789/123456789/123456789/123456789"
            })
    void of_unusableSocket_isNobody(String name) {
        try (Supervisor supervisor = of("NOTIFY_SOCKET", name)) {
            assertFalse(supervisor.isThere());
            supervisor.ready();
        }
    }

    @Test
    void send_listenerGone_countsEachAndFailsNobody() throws Exception {
        Supervisor supervisor;
        try (NotifyListener systemd = new NotifyListener(path())) {
            supervisor = of("NOTIFY_SOCKET", path());
            supervisor.ready();
            assertEquals("READY=1", systemd.next());
        }
        supervisor.watchdog();
        supervisor.watchdog();
        supervisor.close();

        assertEquals(2, supervisor.failures());
    }

    /** systemd's queue may be full for a while: what waits is bounded, and arrives in order when there is room. */
    @Test
    void send_listenerThatDoesNotRead_staysBoundedAndGoesOnLater() throws Exception {
        open();
        systemd.pause();
        int texts = 5_000;
        for (int i = 0; i < texts; i++) {
            supervisor.status("number " + i);
        }
        systemd.resume();
        String last = "";
        int came = 0;
        supervisor.ready();
        for (String text = systemd.next(); !text.equals("READY=1"); text = systemd.next()) {
            assertTrue(came == 0 || number(text) > number(last), text + " after " + last);
            last = text;
            came++;
            if (came + supervisor.failures() >= texts) {
                break;
            }
        }
        assertEquals(texts, came + supervisor.failures());
    }

    private static int number(String text) {
        return Integer.parseInt(text.substring("STATUS=number ".length()));
    }

    @Test
    void watchdogPeriod_ofOurOwn_isAThird() throws Exception {
        try (NotifyListener systemd = new NotifyListener(path())) {
            assertPeriod(10_000_000_000L, "WATCHDOG_USEC", "30000000");
            assertPeriod(10_000_000_000L, "WATCHDOG_USEC", "30000000", "WATCHDOG_PID", Long.toString(PID));
            assertPeriod(0, "WATCHDOG_USEC", "30000000", "WATCHDOG_PID", Long.toString(PID + 1));
            assertPeriod(0, "WATCHDOG_USEC", "soon");
            assertPeriod(0, "WATCHDOG_USEC", "-1");
            assertPeriod(0);
        }
    }

    private void assertPeriod(long nanos, String... pairs) {
        String[] all = java.util.Arrays.copyOf(pairs, pairs.length + 2);
        all[pairs.length] = "NOTIFY_SOCKET";
        all[pairs.length + 1] = path();
        try (Supervisor supervisor = of(all)) {
            assertEquals(nanos, supervisor.watchdogPeriodNanos());
        }
    }
}

package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Causes of pauses; the test is the kernel. */
class ProcessPausesTest {
    @TempDir
    Path proc;

    private long gcMillis = 5_000;
    private long nowNanos = 1_000_000_000L;
    private long lostNanos;

    @BeforeEach
    void boot() throws Exception {
        stat(100, 300);
        uptime(50.25);
    }

    private void stat(long... stealTicks) throws IOException {
        StringBuilder lines = new StringBuilder("cpu  1 2 3 4 5 6 7 999999 9 10\n");
        for (int i = 0; i < stealTicks.length; i++) {
            lines.append("cpu")
                    .append(i)
                    .append(" 1 2 3 4 5 6 7 ")
                    .append(stealTicks[i])
                    .append(" 0 0\n");
        }
        Files.writeString(proc.resolve("stat"), lines.append("intr 1 2 3\nctxt 5\n"));
    }

    private void uptime(double seconds) throws IOException {
        Files.writeString(proc.resolve("uptime"), String.format(Locale.ROOT, "%.2f 12.00\n", seconds));
    }

    private ProcessPauses pauses() {
        return new ProcessPauses(proc, () -> gcMillis, () -> nowNanos, () -> lostNanos);
    }

    private static String told(ProcessPauses pauses) {
        StringBuilder told = new StringBuilder();
        Readings.Family family = new Readings.Family(Metric.PAUSE_SECONDS);
        pauses.fill(family);
        for (Sample sample : family.samples().samples) {
            told.append(String.format(Locale.ROOT, "%s %.2f ", sample.labelValues.get(0), sample.value));
        }
        return told.toString().strip();
    }

    @Test
    void fill_nothingSinceStart_isZero() {
        assertEquals("gc 0.00 steal 0.00 suspend 0.00 unknown 0.00", told(pauses()));
    }

    @Test
    void fill_lossExplained_leavesNothingUnknown() throws Exception {
        ProcessPauses pauses = pauses();
        gcMillis += 1_500;
        stat(200, 500); // 1 s and 2 s of two processors
        lostNanos = 3_000_000_000L;

        assertEquals("gc 1.50 steal 1.50 suspend 0.00 unknown 0.00", told(pauses));
    }

    @Test
    void fill_lossBeyondThat_isUnknownAndStaysSo() {
        ProcessPauses pauses = pauses();
        gcMillis += 500;
        lostNanos = 3_000_000_000L;
        assertEquals("gc 0.50 steal 0.00 suspend 0.00 unknown 2.50", told(pauses));
        // collections too short for a stall take nothing back
        gcMillis += 700;
        assertEquals("gc 1.20 steal 0.00 suspend 0.00 unknown 2.50", told(pauses));
    }

    @Test
    void fill_machineSlept_isToldOnceAndWithoutNoise() throws Exception {
        ProcessPauses pauses = pauses();
        nowNanos += 10_000_000_000L;
        uptime(60.31); // 60 ms too much: the clocks are not read at once
        assertEquals("gc 0.00 steal 0.00 suspend 0.00 unknown 0.00", told(pauses));
        nowNanos += 1_000_000_000L;
        uptime(161.25);
        assertEquals("gc 0.00 steal 0.00 suspend 100.00 unknown 0.00", told(pauses));
        assertEquals("gc 0.00 steal 0.00 suspend 100.00 unknown 0.00", told(pauses));
    }

    @Test
    void fill_noProc_tellsTheRest() throws Exception {
        Files.delete(proc.resolve("stat"));
        Files.delete(proc.resolve("uptime"));
        ProcessPauses pauses = pauses();
        gcMillis += 100;
        nowNanos += 5_000_000_000L;
        assertEquals("gc 0.10 steal 0.00 suspend 0.00 unknown 0.00", told(pauses));
    }

    @Test
    void fill_countsThatFall_takeNothingBack() throws Exception {
        ProcessPauses pauses = pauses();
        stat(200, 400);
        assertEquals("gc 0.00 steal 1.00 suspend 0.00 unknown 0.00", told(pauses));
        stat(0, 0);
        gcMillis = 0;
        assertEquals("gc 0.00 steal 1.00 suspend 0.00 unknown 0.00", told(pauses));
    }
}

package io.heartwheel.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process as the kernel sees it, under the names that every Prometheus client uses. Unlike the Java client's own it opens nothing to tell them, so
 * that they stay on the page when descriptors have run out: that is when they are looked at.
 *
 * <p>Holds one descriptor for as long as the process lives. Any thread.
 */
final class ProcessExports extends Collector {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessExports.class);
    private static final Pattern SIZE = Pattern.compile("(?m)^VmSize:\\s+(\\d+) kB$");
    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB$");
    /** Longer than the file has ever been. */
    private static final int STATUS_BYTES = 8 << 10;

    private final UnixOperatingSystemMXBean process =
            (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final OpenDescriptors descriptors = OpenDescriptors.of(process);
    private final double startSeconds = ManagementFactory.getRuntimeMXBean().getStartTime() / 1e3;
    private final @Nullable RandomAccessFile status = open();

    private static @Nullable RandomAccessFile open() {
        try {
            return new RandomAccessFile("/proc/self/status", "r");
        } catch (IOException noProc) {
            LOG.info("no process_resident_memory_bytes on the page: {}", noProc.getMessage());
            return null;
        }
    }

    @Override
    public List<MetricFamilySamples> collect() {
        List<MetricFamilySamples> page = new ArrayList<>();
        page.add(gauge("process_start_time_seconds", "Start of the process, seconds since 1970.", startSeconds));
        double cpuSeconds = process.getProcessCpuTime() / 1e9;
        page.add(new CounterMetricFamily("process_cpu_seconds_total", "Processor time used.", cpuSeconds));
        page.add(gauge("process_open_fds", "Descriptors in use.", descriptors.count()));
        double most = process.getMaxFileDescriptorCount();
        page.add(gauge("process_max_fds", "Descriptors there may be (RLIMIT_NOFILE).", most));
        String text = status();
        addMemory(page, "process_virtual_memory_bytes", "Address space in use.", SIZE, text);
        addMemory(page, "process_resident_memory_bytes", "Memory of the machine in use.", RESIDENT, text);
        return page;
    }

    private static void addMemory(
            List<MetricFamilySamples> page, String name, String help, Pattern line, String status) {
        Matcher found = line.matcher(status);
        if (found.find()) {
            page.add(gauge(name, help, Long.parseLong(found.group(1)) * 1024.0));
        }
    }

    private static MetricFamilySamples gauge(String name, String help, double value) {
        return new GaugeMetricFamily(name, help, value);
    }

    /** The kernel writes it anew for each reader that begins at its begin. */
    private String status() {
        RandomAccessFile file = status;
        if (file == null) {
            return "";
        }
        byte[] bytes = new byte[STATUS_BYTES];
        synchronized (file) {
            try {
                file.seek(0);
                int length = Math.max(0, file.read(bytes));
                return new String(bytes, 0, length, StandardCharsets.US_ASCII);
            } catch (IOException unreadable) {
                LOG.debug("/proc/self/status: {}", unreadable.getMessage());
                return "";
            }
        }
    }
}

package io.heartwheel.wheel;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/** CPU time of the threads that contenders expire on. */
final class Workers {

    /** What the names of such threads begin with; Kafka and Heartwheel name theirs themselves. */
    static final String PREFIX = "contender-";

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Workers() {}

    /** Nanoseconds, of all such threads that live. */
    static long cpuNanos() {
        long sum = 0;
        for (long id : THREADS.getAllThreadIds()) {
            ThreadInfo info = THREADS.getThreadInfo(id);
            if (info != null && isWorker(info.getThreadName())) {
                sum += Math.max(0, THREADS.getThreadCpuTime(id));
            }
        }
        return sum;
    }

    /** Nanoseconds, of the thread that asks. */
    static long ownCpuNanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    private static boolean isWorker(String name) {
        return name.startsWith(PREFIX) || name.startsWith("executor-" + PREFIX) || "heartwheel-wheel".equals(name);
    }
}

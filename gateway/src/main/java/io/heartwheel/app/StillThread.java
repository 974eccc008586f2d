package io.heartwheel.app;

import io.heartwheel.liveness.ThreadProgress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that has ended or stands still, as the log tells of it: one line, with the place where it stands. If it does not go on, the process ends with {@link
 * #STATUS}, at once and without a drain, which what the thread holds would hold up too. What was not acknowledged is sent again.
 */
final class StillThread {
    /** EX_SOFTWARE of sysexits.h. */
    static final int STATUS = 70;

    private static final Logger LOG = LoggerFactory.getLogger(StillThread.class);

    private StillThread() {}

    /** Does not wait for the log: one that nobody reads must not stop the wheel. */
    static void tellSoon(ThreadProgress progress, String problem) {
        new ThreadProgress("heartwheel-still").start(() -> tell(progress, problem));
    }

    static void tell(ThreadProgress progress, String problem) {
        Thread thread = progress.thread();
        Throwable where = new IllegalStateException("it stands here");
        where.setStackTrace(thread == null ? new StackTraceElement[0] : thread.getStackTrace());
        if (progress.isVital()) {
            LOG.error("{}; if it does not go on, the process ends in 10 s with status {}", problem, STATUS, where);
        } else {
            LOG.warn("{}; what it read before stays in use", problem, where);
        }
    }
}

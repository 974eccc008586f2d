package io.heartwheel.app;

import io.heartwheel.log.LogSettings;
import io.heartwheel.log.ProcessLog;
import org.slf4j.LoggerFactory;

/** Start of the log as configured; a log file of the operator's own wins, which is logged. Any thread. */
final class LogStart {
    private LogStart() {}

    static void apply(LogSettings settings) {
        ProcessLog log = ProcessLog.ofProcess();
        if (!log.apply(settings)) {
            LoggerFactory.getLogger(LogStart.class)
                    .info(
                            "the log is as {} says, not as log of the configuration",
                            log.ownFile().orElse(""));
        }
    }
}

package io.heartwheel.netty;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Log of the timer, kept instead of printed. Without another framework on the class path Netty logs to the JDK's. */
final class RecordedLog extends Handler implements AutoCloseable {
    final List<LogRecord> lines = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(WheelTimer.class.getName());

    RecordedLog() {
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(line);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}

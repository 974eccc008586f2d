package io.heartwheel.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Captures the log of a class instead of printing it. */
public final class LogCapture implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
    private final Level before;

    public LogCapture(Class<?> source) {
        this(source.getName());
    }

    public LogCapture(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        before = logger.getLevel();
        logger.setAdditive(false);
        logger.addAppender(appender);
        appender.start();
    }

    public List<String> messages() {
        return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** Sets how much is logged; null: as its parent. */
    public void level(Level level) {
        logger.setLevel(level);
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(before);
        logger.setAdditive(true);
    }
}

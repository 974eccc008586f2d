package io.heartwheel.backend;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Takes what a class logs instead of the console. */
final class LogCapture implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    LogCapture(Class<?> source) {
        this(source.getName());
    }

    LogCapture(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        logger.setAdditive(false);
        logger.addAppender(appender);
        appender.start();
    }

    List<String> messages() {
        return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** Sets how much is logged; null: as its parent. */
    void level(Level level) {
        logger.setLevel(level);
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
    }
}

package io.heartwheel.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.status.Status;
import java.net.URL;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A Logback context of its own for a test. */
final class LogRig {
    private LogRig() {}

    /** A log configured by this file. Fails if Logback finds anything wrong with it. */
    static LoggerContext configured(URL file) throws JoranException {
        LoggerContext context = new LoggerContext();
        context.setName("rig");
        context.setMDCAdapter(new LogbackMDCAdapter());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(file);
        List<Status> wrong = context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getEffectiveLevel() >= Status.WARN)
                .toList();
        if (!wrong.isEmpty()) {
            throw new AssertionError(file + ": " + wrong);
        }
        return context;
    }

    static LoggingEvent event(Level level, String message, @Nullable Throwable failure, Object... values) {
        Logger logger = new LoggerContext().getLogger("io.heartwheel.some.Where");
        LoggingEvent event = new LoggingEvent("", logger, level, message, failure, values);
        event.setThreadName("device-1");
        event.setTimeStamp(1_767_323_045_678L);
        return event;
    }

    static ListAppender<ILoggingEvent> list() {
        ListAppender<ILoggingEvent> list = new ListAppender<>();
        list.start();
        return list;
    }
}

package io.heartwheel.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * The log of this process, to be set while it runs. Where an operator has brought a Logback file of his own ({@code -Dlogback.configurationFile}),
 * that file rules and nothing here has any effect.
 *
 * <p>Any thread.
 */
public final class ProcessLog {
    private static final String OWN_FILE = "logback.configurationFile";

    private final LoggerContext context;
    private final Optional<String> ownFile;
    /** Levels as they stood before we named them; null in the map's value stands for "as its parent", so it is kept as an Optional. */
    private final Map<String, Optional<Level>> before = new HashMap<>();

    /** The one log there is. */
    private static final ProcessLog OF_PROCESS = new ProcessLog(
            (LoggerContext) LoggerFactory.getILoggerFactory(), Optional.ofNullable(System.getProperty(OWN_FILE)));

    ProcessLog(LoggerContext context, Optional<String> ownFile) {
        this.context = context;
        this.ownFile = ownFile;
    }

    /** The log of this process. A {@code -Dlogback.configurationFile} counts from the first time anybody logs. */
    public static ProcessLog ofProcess() {
        return OF_PROCESS;
    }

    /**
     * Sets form, levels and bounds; what an earlier call named and this one does not is as it was before. Lines under way are written in one form or
     * the other.
     *
     * @return false if a Logback file of the operator's rules, so that nothing was set
     */
    public synchronized boolean apply(LogSettings settings) {
        if (ownFile.isPresent()) {
            return false;
        }
        before.forEach((name, level) -> context.getLogger(name).setLevel(level.orElse(null)));
        before.clear();
        set(org.slf4j.Logger.ROOT_LOGGER_NAME, settings.level());
        settings.levels().forEach(this::set);
        for (BoundedAppender appender : bounded()) {
            appender.setRepeats(settings.repeatLimiter());
            appender.iteratorForAppenders().forEachRemaining(writer -> setFormat(writer, settings.format()));
        }
        return true;
    }

    private void set(String name, LogLevel level) {
        Logger logger = context.getLogger(name);
        before.put(name, Optional.ofNullable(logger.getLevel()));
        logger.setLevel(level.level());
    }

    /** The operator's Logback file that rules instead of the configuration, if there is one. */
    public Optional<String> ownFile() {
        return ownFile;
    }

    /** Tells how many lines were left out, if a second is over. To be called once a second or so. */
    public void tell() {
        bounded().forEach(BoundedAppender::tell);
    }

    private List<BoundedAppender> bounded() {
        List<BoundedAppender> found = new ArrayList<>();
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)
                .iteratorForAppenders()
                .forEachRemaining(appender -> {
                    if (appender instanceof BoundedAppender bounded) {
                        found.add(bounded);
                    }
                });
        return found;
    }

    private static void setFormat(Appender<ILoggingEvent> writer, LogFormat format) {
        if (writer instanceof OutputStreamAppender<ILoggingEvent> out
                && out.getEncoder() instanceof LayoutWrappingEncoder<ILoggingEvent> encoder
                && encoder.getLayout() instanceof LineLayout layout) {
            layout.setFormat(format);
        }
    }
}

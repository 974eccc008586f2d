package io.heartwheel.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import io.heartwheel.log.RepeatLimiter.Kind;
import io.heartwheel.log.RepeatLimiter.LeftOut;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Appender before those that write: of one kind of line only so many a second pass, then one line says how many were left out. Whatever goes
 * wrong a thousand times a second, the log stays readable and the disk has room. DEBUG and TRACE are asked for by hand and pass whole, as
 * do lines with {@link LogSettings#EACH}.
 *
 * <p>May stand in any Logback configuration: {@code <appender class="io.heartwheel.log.BoundedAppender">} with an {@code <appender-ref>} in it.
 *
 * <p>Any thread. What counts is locked for a moment, never while something is written.
 */
public final class BoundedAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
        implements AppenderAttachable<ILoggingEvent> {
    private final AppenderAttachableImpl<ILoggingEvent> writers = new AppenderAttachableImpl<>();
    private final LongSupplier nanoClock;
    private final LogCounts counts;
    private final RepeatLimiter<ILoggingEvent> repeatLimiter;

    /** For Logback's own configuration. */
    public BoundedAppender() {
        this(System::nanoTime, LogCounts.OF_PROCESS);
    }

    BoundedAppender(LongSupplier nanoClock, LogCounts counts) {
        this.nanoClock = nanoClock;
        this.counts = counts;
        repeatLimiter = new RepeatLimiter<>(LogSettings.DEFAULTS.repeatLimiter(), nanoClock.getAsLong());
    }

    /** Lets pass so many lines of a kind a second. Any thread. */
    public void setRepeats(int lines) {
        repeatLimiter.most(lines);
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (!event.getLevel().isGreaterOrEqual(Level.INFO) || isEach(event)) {
            write(event);
            return;
        }
        tell();
        if (repeatLimiter.take(new Kind(event.getLoggerName(), String.valueOf(event.getMessage())), event)) {
            write(event);
        } else {
            counts.suppressed();
        }
    }

    private static boolean isEach(ILoggingEvent event) {
        List<Marker> markers = event.getMarkerList();
        return markers != null && markers.contains(LogSettings.EACH);
    }

    /** Tells what was left out, if a second is over. To be called every second or so, or it is told with the next line. Any thread. */
    public void tell() {
        repeatLimiter.turn(nanoClock.getAsLong()).forEach(this::tell);
    }

    private void tell(LeftOut<ILoggingEvent> leftOut) {
        ILoggingEvent last = leftOut.last();
        LoggingEvent line = new LoggingEvent();
        line.setLoggerName(last.getLoggerName());
        line.setLevel(last.getLevel());
        line.setThreadName(last.getThreadName());
        line.setTimeStamp(last.getTimeStamp());
        line.setMessage("left out " + leftOut.lines()
                + " more lines like the one before within a second, the last of them: " + last.getFormattedMessage());
        write(line);
    }

    private void write(ILoggingEvent event) {
        counts.written(event.getLevel());
        writers.appendLoopOnAppenders(event);
    }

    // ------------------------------------------------------------------ those who write

    @Override
    public void addAppender(Appender<ILoggingEvent> writer) {
        writers.addAppender(writer);
    }

    @Override
    public Iterator<Appender<ILoggingEvent>> iteratorForAppenders() {
        return writers.iteratorForAppenders();
    }

    @Override
    public @Nullable Appender<ILoggingEvent> getAppender(String name) {
        return writers.getAppender(name);
    }

    @Override
    public boolean isAttached(Appender<ILoggingEvent> writer) {
        return writers.isAttached(writer);
    }

    @Override
    public void detachAndStopAllAppenders() {
        writers.detachAndStopAllAppenders();
    }

    @Override
    public boolean detachAppender(Appender<ILoggingEvent> writer) {
        return writers.detachAppender(writer);
    }

    @Override
    public boolean detachAppender(String name) {
        return writers.detachAppender(name);
    }

    @Override
    public void stop() {
        tell();
        super.stop();
        detachAndStopAllAppenders();
    }
}

package io.heartwheel.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.heartwheel.AtOnce;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BoundedAppenderTest {
    private static final long SECOND = 1_000_000_000;

    private final ListAppender<ILoggingEvent> written = LogRig.list();
    private final LogCounts counts = new LogCounts();
    private final AtomicLong clock = new AtomicLong(77);
    private final BoundedAppender appender = new BoundedAppender(clock::get, counts);

    @BeforeEach
    void start() {
        appender.addAppender(written);
        appender.setRepeats(5);
        appender.start();
    }

    private void storm(Level level, int lines) {
        for (int i = 0; i < lines; i++) {
            appender.doAppend(LogRig.event(level, "no room for {}", null, "d" + i));
        }
    }

    private String message(int index) {
        return written.list.get(index).getFormattedMessage();
    }

    @Test
    void append_storm_writesTheFirstAndThenHowManyWereLeftOut() {
        storm(Level.WARN, 1_000);
        assertEquals(5, written.list.size());

        clock.addAndGet(SECOND);
        appender.tell();
        assertEquals(6, written.list.size());
        assertEquals(
                "left out 995 more lines like the one before within a second, the last of them: no room for d999",
                message(5));
        assertEquals(Level.WARN, written.list.get(5).getLevel());
        assertEquals("io.heartwheel.some.Where", written.list.get(5).getLoggerName());
        assertEquals("device-1", written.list.get(5).getThreadName());
    }

    @Test
    void append_afterTheSecond_tellsBeforeTheNextLine() {
        storm(Level.ERROR, 7);
        clock.addAndGet(SECOND);
        storm(Level.ERROR, 1);

        assertEquals(7, written.list.size());
        assertTrue(message(5).startsWith("left out 2 more"), message(5));
        assertEquals("no room for d0", message(6));
    }

    @Test
    void append_stormThatGoesOn_writesSixLinesASecond() {
        for (int second = 0; second < 10; second++) {
            storm(Level.INFO, 100);
            clock.addAndGet(SECOND);
        }
        appender.tell();
        assertEquals(60, written.list.size());
        assertEquals(60, counts.written(LogLevel.INFO));
        assertEquals(950, counts.suppressedLines());
    }

    @Test
    void append_debug_isNotBounded() {
        storm(Level.DEBUG, 1_000);
        assertEquals(1_000, written.list.size());
        assertEquals(1_000, counts.written(LogLevel.DEBUG));
        assertEquals(0, counts.suppressedLines());
    }

    @Test
    void append_markedEach_isNotBounded() {
        for (int i = 0; i < 1_000; i++) {
            LoggingEvent event = LogRig.event(Level.INFO, "{} has drained it", null, "op" + i);
            event.addMarker(LogSettings.EACH);
            appender.doAppend(event);
        }
        assertEquals(1_000, written.list.size());
        assertEquals(0, counts.suppressedLines());
    }

    @Test
    void stop_withLinesLeftOut_tellsThem() {
        storm(Level.WARN, 6);
        clock.addAndGet(SECOND);
        appender.stop();
        assertTrue(message(5).startsWith("left out 1 more"), message(5));
    }

    @Test
    void append_fromManyThreads_losesNoCount() throws Exception {
        AtOnce.run(4, thread -> storm(Level.WARN, 1_000));
        assertEquals(5, counts.written(LogLevel.WARN));
        assertEquals(3_995, counts.suppressedLines());
    }
}

package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** One line in ten seconds, however much is refused. */
class RateLimitedWarningsTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(RateLimitedWarnings.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final RateLimitedWarnings log = new RateLimitedWarnings();
    private long count;

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        log.watch(() -> count, "things happened", 0);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
    }

    @Test
    void tell_underAStorm_logsASumInTenSeconds() {
        for (int second = 0; second < 25; second++) {
            count += 100;
            log.tell(TimeUnit.SECONDS.toNanos(second));
        }
        assertEquals(
                List.of("100 things happened", "1000 things happened", "1000 things happened"),
                lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList());
    }

    @Test
    void tell_nothing_saysNothing() {
        log.tell(0);
        log.tell(TimeUnit.SECONDS.toNanos(60));
        assertEquals(List.of(), lines.list);
    }
}

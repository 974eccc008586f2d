package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.log.LogCapture;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One line in ten seconds, however much is refused. */
class RateLimitedWarningsTest {
    @AutoClose
    private final LogCapture lines = new LogCapture(RateLimitedWarnings.class);

    private final RateLimitedWarnings log = new RateLimitedWarnings();
    private long count;

    @BeforeEach
    void watch() {
        log.watch(() -> count, "things happened", 0);
    }

    @Test
    void tell_underAStorm_logsASumInTenSeconds() {
        for (int second = 0; second < 25; second++) {
            count += 100;
            log.tell(TimeUnit.SECONDS.toNanos(second));
        }
        assertEquals(List.of("100 things happened", "1000 things happened", "1000 things happened"), lines.messages());
    }

    @Test
    void tell_nothing_saysNothing() {
        log.tell(0);
        log.tell(TimeUnit.SECONDS.toNanos(60));
        assertEquals(List.of(), lines.messages());
    }
}

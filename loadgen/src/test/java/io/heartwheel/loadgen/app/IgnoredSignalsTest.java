package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class IgnoredSignalsTest {

    private static Optional<String> notice(String mask) {
        return IgnoredSignals.notice("Name:\tjava\nSigBlk:\t0000000000000000\nSigIgn:\t" + mask + "\nSigCgt:\t0\n", 42);
    }

    @Test
    void notice_nothingOrHangupIgnored_isNone() {
        assertEquals(Optional.empty(), notice("0000000000000000"));
        assertEquals(Optional.empty(), notice("0000000000001001"));
        assertEquals(Optional.empty(), IgnoredSignals.notice("", 42));
    }

    @Test
    void notice_interruptIgnored_namesWhatEndsIt() {
        assertEquals(
                Optional.of("SIGINT is ignored: this process was started so; kill 42 (SIGTERM) ends it early"),
                notice("0000000000000006"));
    }

    @Test
    void notice_terminateIgnored_namesWhatEndsIt() {
        assertEquals(
                Optional.of("SIGTERM is ignored: this process was started so; only kill -KILL 42 ends it early"),
                notice("8000000000004002"));
    }
}

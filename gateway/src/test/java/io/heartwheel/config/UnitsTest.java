package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource({
        "1ns, 1",
        "1us, 1000",
        "3ms, 3000000",
        "1.5s, 1500000000",
        "2 m, 120000000000",
        "1h, 3600000000000",
        "1d, 86400000000000",
        "0s, 0",
        "0.4ns, 0",
        "999999999999d, 9223372036854775807"
    })
    void duration_withUnit_isNanoseconds(String text, long nanos) {
        assertEquals(Optional.of(Duration.ofNanos(nanos)), Units.duration(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "30", "s", "-1s", "1 s s", "1S", "1KiB", "1e3s", ".5s", "1.s", "1sec"})
    void duration_anythingElse_isNone(String text) {
        assertEquals(Optional.empty(), Units.duration(text));
    }

    @ParameterizedTest
    @CsvSource({
        "1B, 1",
        "2KiB, 2048",
        "1.5 MiB, 1572864",
        "1GiB, 1073741824",
        "0.9B, 0",
        "99999999999GiB, 9223372036854775807"
    })
    void bytes_withUnit_areBytes(String text, long bytes) {
        assertEquals(Optional.of(bytes), Units.bytes(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "64", "64k", "64KB", "64kib", "-1B", "1s"})
    void bytes_anythingElse_areNone(String text) {
        assertEquals(Optional.empty(), Units.bytes(text));
    }

    @ParameterizedTest
    @CsvSource({
        "60sec, sec",
        "60 sec, sec",
        "1.5min, min",
        "5M, M",
        "10\u00b5s, \u00b5s",
        "64KiB, KiB",
        "100.000sec, sec",
    })
    void complaint_wrongUnit_namesItAndTheRightOnes(String text, String unit) {
        assertEquals(
                ", with a unit (ns, us, ms, s, m, h, d): wrong unit " + unit, Units.complaint(text, Units.DURATIONS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"30", "-3", "100.000", "100,000", "100 000", "1'000'000"})
    void complaint_noUnit_namesTheRightOnes(String text) {
        assertEquals(", with a unit (B, KiB, MiB, GiB)", Units.complaint(text, Units.SIZES));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plenty", "1s", "1.5 h", "-3s", "1 s s", "0x10"})
    void complaint_otherFault_isNone(String text) {
        assertEquals("", Units.complaint(text, Units.DURATIONS));
    }

    @Test
    void distance_ofWords_countsLetters() {
        assertEquals(0, SpellingHint.distance("tick", "tick"));
        assertEquals(1, SpellingHint.distance("tik", "tick"));
        assertEquals(1, SpellingHint.distance("tcik", "tick"));
        assertEquals(4, SpellingHint.distance("", "tick"));
        assertEquals(3, SpellingHint.distance("kitten", "sitting"));
    }
}

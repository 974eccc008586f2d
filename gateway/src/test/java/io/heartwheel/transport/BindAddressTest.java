package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BindAddressTest {
    @ParameterizedTest
    @CsvSource({
        "0.0.0.0:7070, 0.0.0.0:7070",
        "[::]:7070, [::]:7070",
        "[0:0:0:0:0:0:0:0]:7070, [::]:7070",
        "[0:0:0:0:0:0:0:1]:7070, [::1]:7070",
        "[2001:0DB8::00A:0]:1, [2001:db8::a:0]:1",
        "[fe80::1%eth0]:1, [fe80::1%eth0]:1",
        "[::ffff:192.0.2.1]:1, 192.0.2.1:1",
        "localhost:0, localhost:0"
    })
    void toString_anyWriting_isTheShortest(String written, String shown) {
        assertEquals(shown, BindAddress.parse(written).toString());
    }

    @Test
    void clashesWith_theSameAddressInLong_isTrue() {
        assertTrue(BindAddress.parse("[::1]:7070").clashesWith(BindAddress.parse("[0:0:0:0:0:0:0:1]:7070")));
    }

    @Test
    void isWildcard_writtenInLong_isTrue() {
        assertTrue(BindAddress.parse("[0:0:0:0:0:0:0:0]:7070").isWildcard());
        assertTrue(BindAddress.parse("[0::0]:7070").isWildcard());
    }
}

package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts that are an address with a port, and those that are none. */
final class AddressesTest {

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:7070", "0.0.0.0:0", "[0:0:0:0:0:0:0:1]:65535"})
    void read_anAddress_isToldAgain(String text) {
        assertEquals(text, Addresses.text(Addresses.read("key", text)));
    }

    @Test
    void read_brackets_areOfTheAddress() {
        assertTrue(Addresses.read("key", "[::1]:1").getAddress().isLoopbackAddress());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", ":1", "1:", "127.0.0.1", "1:x", "1:+1", "1:65536", "1:000001", "[::1:1"})
    void read_anythingElse_isRefusedWithKeyValueAndForm(String text) {
        String message = assertThrows(IllegalArgumentException.class, () -> Addresses.read("key", text))
                .getMessage();
        assertEquals("key = " + text + ": need host:port of a host that is known, port 0..65535", message);
    }

    @Test
    void of_portBelowTheLeast_isNone() {
        assertTrue(Addresses.of("127.0.0.1:0", 1).isEmpty());
        assertTrue(Addresses.of("127.0.0.1:1", 1).isPresent());
    }
}

package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Certificates as tools write them; keys are proven by {@link TlsCheckTest}. */
class PemTest {
    @Test
    void certificates_chain_isReadInOrder() {
        String both = new String(Fixtures.bytes("ec.pem"), StandardCharsets.US_ASCII) + "between\n"
                + new String(Fixtures.bytes("ca.pem"), StandardCharsets.US_ASCII);
        var read = Pem.certificates(both.getBytes(StandardCharsets.US_ASCII));
        assertEquals("CN=ec", read.get(0).getSubjectX500Principal().getName());
        assertEquals("CN=ca", read.get(1).getSubjectX500Principal().getName());
    }

    @Test
    void certificates_cutAtAnyByte_areReadWholeOrRefused() {
        byte[] whole = Fixtures.bytes("ec.pem");
        for (int length = 0; length < whole.length - 2; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(IllegalArgumentException.class, () -> Pem.certificates(cut));
        }
    }
}

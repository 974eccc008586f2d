package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heartwheel.net.Pem;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
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

    /** Of two authorities one would be missing, and its devices with it. */
    @Test
    void certificates_oneOfTwoIsCutOff_areRefused() {
        String one = new String(Fixtures.bytes("ec.pem"), StandardCharsets.US_ASCII);
        String cut =
                new String(Fixtures.bytes("ca.pem"), StandardCharsets.US_ASCII).replaceFirst(".{10}\n-----END.*\n", "");
        for (String text : List.of(one + cut, cut + one)) {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            assertThrows(IllegalArgumentException.class, () -> Pem.certificates(bytes));
        }
    }
}

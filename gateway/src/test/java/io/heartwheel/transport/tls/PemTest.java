package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys and certificates in every form that tools write. */
class PemTest {
    @ParameterizedTest
    @CsvSource({"ec,ec.key", "ec,ec-sec1.key", "rsa,rsa.key", "rsa,rsa-pkcs1.key"})
    void key_inEachForm_isReadAndMatches(String certificate, String key) {
        PublicKey certified = publicKey(certificate);

        assertDoesNotThrow(() -> Pem.key(Fixtures.bytes(key), certified));
    }

    @ParameterizedTest
    @CsvSource({"ec,rsa.key", "rsa,ec.key", "rsa,ec-sec1.key", "ec,rsa-pkcs1.key"})
    void key_ofAnotherKind_isRefused(String certificate, String key) {
        PublicKey certified = publicKey(certificate);

        assertThrows(IllegalArgumentException.class, () -> Pem.key(Fixtures.bytes(key), certified));
    }

    @ParameterizedTest
    @CsvSource({"rsa-encrypted.key,encrypted", "rsa-pkcs1-encrypted.key,encrypted", "rsa.pem,no PRIVATE KEY"})
    void key_thatCannotBeRead_isToldWhy(String key, String why) {
        PublicKey certified = publicKey("rsa");

        String said = assertThrows(IllegalArgumentException.class, () -> Pem.key(Fixtures.bytes(key), certified))
                .getMessage();
        assertTrue(said.contains(why), said);
    }

    @Test
    void key_ofAKindThatNobodyTakes_isRefused() {
        PublicKey certified = publicKey("ed25519");

        String said = assertThrows(
                        IllegalArgumentException.class, () -> Pem.key(Fixtures.bytes("ed25519.key"), certified))
                .getMessage();
        assertTrue(said.contains("need RSA or EC"), said);
    }

    @Test
    void certificates_chain_isReadInOrder() {
        String both = new String(Fixtures.bytes("ec.pem"), StandardCharsets.US_ASCII)
                + "between\n"
                + new String(Fixtures.bytes("ca.pem"), StandardCharsets.US_ASCII);

        var read = Pem.certificates(both.getBytes(StandardCharsets.US_ASCII));
        assertEquals("CN=ec", read.get(0).getSubjectX500Principal().getName());
        assertEquals("CN=ca", read.get(1).getSubjectX500Principal().getName());
    }

    @Test
    void certificates_cutAtAnyByte_areReadWholeOrRefused() {
        byte[] whole = Fixtures.bytes("ec.pem");
        for (int length = 0; length < whole.length - 2; length++) {
            byte[] cut = java.util.Arrays.copyOf(whole, length);
            assertThrows(IllegalArgumentException.class, () -> Pem.certificates(cut));
        }
    }

    @Test
    void certificates_brokenInside_areRefused() {
        byte[] broken =
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".getBytes(StandardCharsets.US_ASCII);

        assertThrows(IllegalArgumentException.class, () -> Pem.certificates(broken));
    }

    private static PublicKey publicKey(String certificate) {
        return Pem.certificates(Fixtures.bytes(certificate + ".pem")).get(0).getPublicKey();
    }
}

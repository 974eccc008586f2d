package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.net.Pem;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Date;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of an authority, as openssl wrote them. */
class OcspStapleTest {
    private static final BigInteger SERIAL = BigInteger.valueOf(0xec01);
    private static final byte[] GOOD = Fixtures.bytes("ec-good.ocsp");

    @Test
    void of_answerForAHundredYears_holdsUntilItsEndAndIsKeptAsItIs() {
        OcspStaple staple = OcspStaple.of(GOOD, SERIAL);
        long end = staple.nextUpdateMillis();
        Date begin = Pem.certificates(Fixtures.bytes("ec.pem")).get(0).getNotBefore();
        assertTrue(staple.holds(end - 1));
        assertFalse(staple.holds(end));
        assertEquals(100, (end - begin.getTime()) / (365.0 * 86_400_000), 1);
        assertArrayEquals(GOOD, staple.encoded());
    }

    @ParameterizedTest
    @CsvSource({
        "ec-revoked.ocsp,does not say that the certificate is good",
        "ec-endless.ocsp,how long it holds",
        "try-later.ocsp,only an error",
        "ec.pem,not the DER"
    })
    void of_answerThatWillNotDo_isToldWhy(String file, String why) {
        assertRefused(why, Fixtures.bytes(file), SERIAL);
    }

    @Test
    void of_anotherCertificate_isRefused() {
        assertRefused("another certificate", GOOD, BigInteger.TEN);
    }

    private static void assertRefused(String why, byte[] answer, BigInteger serial) {
        String said = assertThrows(IllegalArgumentException.class, () -> OcspStaple.of(answer, serial))
                .getMessage();
        assertTrue(said.contains(why), said);
    }

    @Test
    void of_cutAtAnyByte_isRefused() {
        for (int length = 0; length < GOOD.length; length++) {
            byte[] cut = Arrays.copyOf(GOOD, length);
            assertThrows(IllegalArgumentException.class, () -> OcspStaple.of(cut, SERIAL));
        }
    }

    @Test
    void of_bytesChangedAtRandom_areReadOrRefused() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] changed = GOOD.clone();
            for (int n = random.nextInt(4); n >= 0; n--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                OcspStaple.of(changed, SERIAL);
            } catch (IllegalArgumentException refused) {
                // as it should be
            } catch (RuntimeException fault) {
                throw new AssertionError("seed " + seed + ", round " + i, fault);
            }
        }
    }
}

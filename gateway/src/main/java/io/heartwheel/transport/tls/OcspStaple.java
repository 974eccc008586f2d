package io.heartwheel.transport.tls;

import io.heartwheel.net.Der;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * An authority's signed word that a certificate is good, to be shown with it (RFC 6960, section 4.2; RFC 6066, section 8). Whether the signature is
 * right is for the tool that fetched it and for the device to see. Immutable; any thread.
 *
 * @param encoded as it goes over the wire; not to be changed
 * @param nextUpdateMillis when it ends to hold, milliseconds since 1970
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record OcspStaple(byte[] encoded, long nextUpdateMillis) {
    private static final int SEQUENCE = 0x30;
    private static final int INTEGER = 0x02;
    private static final int OCTETS = 0x04;
    private static final int OID = 0x06;
    private static final int ENUMERATED = 0x0a;
    private static final int TIME = 0x18;
    private static final int CONTEXT = 0xa0;
    private static final int GOOD = 0x80;

    private static final DateTimeFormatter GENERALIZED = DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'", Locale.ROOT);

    /**
     * Reads an answer.
     *
     * @param encoded DER, as {@code openssl ocsp -respout} writes it
     * @param serial of the certificate it must be about
     * @throws IllegalArgumentException if it is none, about others, has no end, or does not say that the certificate is good
     */
    static OcspStaple of(byte[] encoded, BigInteger serial) {
        Der response = new Der(encoded).next(SEQUENCE);
        byte[] status = response.next(ENUMERATED).content();
        if (status.length != 1 || status[0] != 0) {
            throw new IllegalArgumentException("the authority gave no answer, only an error");
        }
        Der bytes = response.next(CONTEXT).next(SEQUENCE);
        bytes.next(OID);
        Der data = new Der(bytes.next(OCTETS).content()).next(SEQUENCE).next(SEQUENCE);
        if (data.isNext(CONTEXT)) {
            data.step(); // version
        }
        data.step(); // who answers
        data.next(TIME); // produced at
        Der singles = data.next(SEQUENCE);
        while (singles.isNext(SEQUENCE)) {
            Der single = singles.next(SEQUENCE);
            if (serialOf(single.next(SEQUENCE)).equals(serial)) {
                return new OcspStaple(encoded, goodUntilMillis(single));
            }
        }
        throw new IllegalArgumentException("it is about another certificate");
    }

    private static BigInteger serialOf(Der certificateId) {
        certificateId.step(); // hash algorithm
        certificateId.next(OCTETS); // hash of the issuer's name
        certificateId.next(OCTETS); // hash of its key
        return new BigInteger(certificateId.next(INTEGER).content());
    }

    private static long goodUntilMillis(Der single) {
        if (!single.isNext(GOOD)) {
            throw new IllegalArgumentException("it does not say that the certificate is good");
        }
        single.step();
        single.next(TIME); // this update
        if (!single.isNext(CONTEXT)) {
            throw new IllegalArgumentException("it does not say how long it holds");
        }
        byte[] text = single.next(CONTEXT).next(TIME).content();
        try {
            return LocalDateTime.parse(new String(text, StandardCharsets.US_ASCII), GENERALIZED)
                    .toInstant(ZoneOffset.UTC)
                    .toEpochMilli();
        } catch (DateTimeException broken) {
            throw new IllegalArgumentException("its time is not one", broken);
        }
    }

    /**
     * Whether it may still be shown.
     *
     * @param nowMillis since 1970
     */
    boolean holds(long nowMillis) {
        return nowMillis < nextUpdateMillis;
    }
}

package io.heartwheel.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Addresses and networks as texts and as bytes. */
class NetworkTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.0.1, true",
        "10.0.0.0/8, 11.0.0.1, false",
        "127.0.0.1, 127.0.0.1, true",
        "127.0.0.1, 127.0.0.2, false",
        "0.0.0.0/0, 203.0.113.7, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "::/0, 2001:db8::1, true",
        "::/0, 203.0.113.7, false",
        "::/80, 203.0.113.7, false",
        "::ffff:10.0.0.0/8, 10.0.0.1, true",
        "10.0.0.0/8, ::ffff:10.1.2.3, true",
        "fd00::/8, fdff:1::, true",
        "fd00::/8, fe00::, false",
        "2001:db8:0:1::/64, 2001:db8:0:1:ffff::1, true",
        "2001:db8:0:1::/64, 2001:db8:0:2::1, false",
        "2001:db8::1/128, 2001:db8::1, true",
        "2001:db8::/65, 2001:db8::8000:0:0:0, false",
        "192.0.2.128/25, 192.0.2.255, true",
        "192.0.2.128/25, 192.0.2.127, false"
    })
    void contains_address_asItsBitsSay(String network, String address, boolean inside) {
        byte[] bytes = IpAddress.parse(address);
        assertNotNull(bytes);
        assertEquals(inside, Network.parse(network).contains(bytes));
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0/8",
        "0.0.0.0/0, 0.0.0.0/0",
        "255.255.255.255/32, 255.255.255.255",
        "127.0.0.1, 127.0.0.1",
        "::ffff:10.0.0.0/8, 10.0.0.0/8",
        "::/0, ::/0",
        "fd00:0:0:0:0:0:0:0/8, fd00::/8",
        "0::/96, ::/96",
        "2001:db8:0:0:0:0:0:1, 2001:db8::1"
    })
    void text_ofANetwork_canBeReadAgain(String network, String text) {
        assertEquals(text, Network.parse(network).text());
        assertEquals(Network.parse(network), Network.parse(text));
    }

    @Test
    void contains_nowhere_isNowhere() {
        assertFalse(Network.parse("0.0.0.0/0").contains(IpAddress.NOWHERE));
        assertFalse(Network.parse("::/0").contains(IpAddress.NOWHERE));
        assertFalse(Networks.NONE.contains(new byte[4]));
    }

    /** Against arithmetic on whole numbers. */
    @Test
    void contains_random_agreesWithArithmetic() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] base = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(base);
            base[0] |= 0x20; // no IPv4 address in disguise
            int bits = random.nextInt(base.length * 8 + 1);
            BigInteger first =
                    new BigInteger(1, base).shiftRight(base.length * 8 - bits).shiftLeft(base.length * 8 - bits);
            byte[] address = base.clone();
            int flipped = random.nextInt(base.length * 8);
            address[flipped / 8] ^= (byte) (0x80 >>> flipped % 8);
            String text = IpAddress.text(bytes(first, base.length)) + "/" + bits;
            assertEquals(flipped >= bits, Network.parse(text).contains(address), "seed " + seed + " " + text);
        }
    }

    private static byte[] bytes(BigInteger number, int length) {
        byte[] bytes = new byte[length];
        byte[] signed = number.toByteArray();
        int digits = Math.min(length, signed.length);
        System.arraycopy(signed, signed.length - digits, bytes, length - digits, digits);
        return bytes;
    }

    private static final String NO_NETWORKS =
            """
            / | 10.0.0.0/ | /8 | 10.0.0.1/8 | 10.0.0.0/33 | 10.0.0.0/08 | 10.0.0.0/-1 | 10.0.0/8 | 10.0.0.0/8/8
            fd00::1/8 | fd00::/129 | [fd00::]/8 | fe80::1%eth0 | example.com | localhost | 10.0.0.0/+8
            ::ffff:10.0.0.0/104
            """;
    private static final String NO_ADDRESSES =
            """
            1 | 1.2.3 | 1.2.3.4.5 | 1.2.3.256 | 01.2.3.4 | 1.2.3.04 | 1.2.3.4:5 | [::1] | ::1%lo | ::1%1 | :::
            1::2::3 | 12345:: | g:: | 0x7f.0.0.1 | 2130706433 | ::ffff:01.2.3.4 | \uff11.2.3.4
            """;

    static Stream<String> noNetworks() {
        return Stream.concat(Stream.of(""), Stream.of(NO_NETWORKS.split(" \\| |\n")));
    }

    static Stream<String> noAddresses() {
        return Stream.concat(Stream.of("", "1.2.3.4 ", " 1.2.3.4"), Stream.of(NO_ADDRESSES.split(" \\| |\n")));
    }

    @ParameterizedTest
    @MethodSource("noNetworks")
    void parse_whatIsNone_isRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> Network.parse(text));
        assertFalse(Network.isNetwork(text));
    }

    @ParameterizedTest
    @MethodSource("noAddresses")
    void parseAddress_whatIsNone_isNone(String text) {
        assertNull(IpAddress.parse(text));
    }

    @Test
    void networks_tooMany_areRefused() {
        List<Network> most = Collections.nCopies(Networks.MOST, Network.parse("10.0.0.0/8"));
        assertEquals(Networks.MOST, new Networks(most).all().size());
        assertThrows(
                IllegalArgumentException.class,
                () -> new Networks(Collections.nCopies(Networks.MOST + 1, Network.parse("::/0"))));
    }

    @Test
    void text_withPort_isReadable() {
        assertEquals("203.0.113.7:80", IpAddress.text(new byte[] {(byte) 203, 0, 113, 7}, 80));
        assertEquals("203.0.113.7", IpAddress.text(new byte[] {(byte) 203, 0, 113, 7}, 0));
        assertEquals("[::1]:80", IpAddress.text(IpAddress.parse("::1"), 80));
        assertEquals("unknown", IpAddress.text(IpAddress.NOWHERE, 0));
    }

    /** RFC 5952, section 4: the longest run of zeros, of two the first, no run of one; lower case; no leading zeros. */
    @ParameterizedTest
    @CsvSource({
        "0:0:0:0:0:0:0:0, ::",
        "0:0:0:0:0:0:0:1, ::1",
        "2001:0DB8:0000:0000:0000:0000:0002:0001, 2001:db8::2:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "fe80:0:0:0:0:0:0:0, fe80::",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "::ffff:192.0.2.1, 192.0.2.1",
        "0.0.0.0, 0.0.0.0"
    })
    void text_ofAnAddress_isItsShortestForm(String written, String text) throws Exception {
        byte[] address = IpAddress.parse(written);

        assertEquals(text, IpAddress.text(address));
        String socket = (text.contains(":") ? "[" + text + "]" : text) + ":7070";
        assertEquals(socket, IpAddress.text(new InetSocketAddress(InetAddress.getByAddress(address), 7070)));
    }
}

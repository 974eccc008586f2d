package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heartwheel.net.HttpError;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Client addresses from a {@code Forwarded} header. */
class ForwardedHopTest {
    private final ForwardedBench bench = new ForwardedBench("forwarded");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "for=203.0.113.7 | 203.0.113.7",
                "For=203.0.113.7 | 203.0.113.7",
                "FOR=\"203.0.113.7\" | 203.0.113.7",
                "for=\"203.0.113.7:5000\" | 203.0.113.7:5000",
                "for=\"203.0.113.7:_p0rt\" | 203.0.113.7",
                "for=\"[2001:db8::7]\" | [2001:db8::7]",
                "for=\"[2001:DB8::7]:5000\" | [2001:db8::7]:5000",
                "for=\"[::ffff:203.0.113.7]\" | 203.0.113.7",
                "for=203.0.113.7;proto=https;by=10.0.0.1;host=gateway.example | 203.0.113.7",
                "proto=https;by=\"_me\";for=203.0.113.7 | 203.0.113.7",
                "host=\"a, for=1.2.3.4\";for=203.0.113.7 | 203.0.113.7",
                "host=\"\\\", for=1.2.3.4, \\\\\";for=203.0.113.7 | 203.0.113.7",
                "for=203.0.113.7;host=\"\" | 203.0.113.7",
                "for=\"203.0.113\\.7\" | 203.0.113.7",
                ";for=203.0.113.7;; | 203.0.113.7",
                "for=203.0.113.7 ;\tproto=http | 203.0.113.7",
                "for=198.51.100.9, for=203.0.113.7 | 203.0.113.7",
                "for=198.51.100.9,for=203.0.113.7,for=10.0.0.2,for=\"[fd00::1]:80\" | 203.0.113.7",
                "for=unknown, for=203.0.113.7 | 203.0.113.7",
                "nonsense, for=\", for=203.0.113.7, for=10.0.0.2 | 203.0.113.7",
                "for=203.0.113.7, | 203.0.113.7",
                "for=198.51.100.9,for=203.0.113.7,,for=10.0.0.2, | 203.0.113.7",
                "for=10.0.0.9, for=10.0.0.2 | 10.0.0.9"
            })
    void look_fromATrustedBalancer_findsTheFirstThatIsNotTrusted(String list, String origin) throws Exception {
        assertEquals(origin, bench.look("10.0.0.1", list));
        assertEquals(1, bench.counts.count(ForwardedOutcome.TAKEN));
        assertEquals(1, bench.taken.size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "for=unknown",
                "for=Unknown",
                "for=\"unknown:80\"",
                "for=_hidden",
                "for=\"_a.b-c:_d\"",
                "for=203.0.113.7, for=unknown",
                "for=203.0.113.7, for=_gazonk, for=10.0.0.2",
                "for=203.0.113.7, proto=https",
                ";"
            })
    void look_nobodyNamedWhereItMatters_keepsTheSocketsAddress(String list) throws Exception {
        assertEquals("10.0.0.1:4000", bench.look("10.0.0.1", list));
        assertEquals(1, bench.counts.count(ForwardedOutcome.UNKNOWN));
        assertEquals(List.of(), bench.taken);
    }

    private static final String UNREADABLE =
            """
            203.0.113.7 | for | for= | for="" | =203.0.113.7 | for =203.0.113.7 | for= 203.0.113.7
            for=203.0.113.7 proto=https | for=203.0.113.7;for=203.0.113.7 | for=203.0.113.7;For=_b
            for=203.0.113.7;proto | for=203.0.113.7:5000
            for=[2001:db8::7] | for=2001:db8::7 | for="2001:db8::7" | for="[203.0.113.7]" | for="[2001:db8::7"
            for="203.0.113.7 | for=203.0.113.7" | for="203.0.113.7\\ | for="203.0.113.7"x | for="203.0.113.7:"
            for="203.0.113.7:65536" | for="203.0.113.7:123456" | for="203.0.113.7:-1" | for="203.0.113.7:80:80"
            for="_" | for="_hidden/" | for="unknown " | for=localhost | for=203.0.113.07 | for=203.0.113
            for="[fe80::1%eth0]" | for=203.0.113.7;host="\u0001" | for=203.0.113.7;host=a@b
            """;

    static Stream<String> unreadable() {
        return Stream.of(UNREADABLE.split(" \\| |\n"));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void look_unreadableWhereItMatters_isRefused(String list) {
        bench.assertRefused(list);
    }

    @Test
    void look_severalLines_areOneList() throws Exception {
        assertEquals(
                "203.0.113.7",
                bench.look("10.0.0.1", "for=\"198.51.100.9", "for=203.0.113.7, for=10.0.0.3", "For=10.0.0.2"));
    }

    /** The other header is the device's own to write. */
    @Test
    void look_withoutTheHeader_doesNotLookAtTheOther() throws Exception {
        assertEquals("10.0.0.1:4000", bench.look("10.0.0.1"));
        assertEquals(1, bench.counts.count(ForwardedOutcome.ABSENT));
        assertEquals("192.0.2.1:4000", bench.look("192.0.2.1", "for=203.0.113.7"));
        assertEquals(1, bench.counts.count(ForwardedOutcome.UNTRUSTED));
    }

    @Test
    void look_asLongAndAsFarAsItMayBe_isRead() throws Exception {
        String near = ", for=10.0.0.2".repeat(31);
        assertEquals("203.0.113.7", bench.look("10.0.0.1", "for=203.0.113.7" + near));
        assertThrows(HttpError.class, () -> bench.look("10.0.0.1", "for=203.0.113.7, for=10.0.0.2" + near));
        String padded = "for=203.0.113.7;host=";
        String most = padded + "a".repeat(ForwardedHop.MAX_LENGTH - padded.length());
        assertEquals("203.0.113.7", bench.look("10.0.0.1", most));
        assertThrows(HttpError.class, () -> bench.look("10.0.0.1", most + "a"));
    }

    /** Read from the left, with all quotes closed, a list has the same parts. */
    @Test
    void commaBefore_anyListInGoodOrder_findsEveryPart() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            List<String> parts = new ArrayList<>();
            for (int i = 1 + random.nextInt(5); i > 0; i--) {
                parts.add("host=\"" + quoted(random) + "\";by=" + i);
            }
            String list = String.join(",", parts);
            List<String> found = new ArrayList<>();
            for (int end = list.length(); end >= 0; ) {
                int comma = ForwardedHop.commaBefore(list, end);
                found.add(0, list.substring(comma + 1, end));
                end = comma;
            }
            assertArrayEquals(parts.toArray(), found.toArray(), "seed " + seed + ": " + list);
        }
    }

    private static String quoted(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.append(List.of(",", ";", "=", "\\\"", "\\\\", "\\,", "a", " ").get(random.nextInt(8)));
        }
        return text.toString();
    }
}

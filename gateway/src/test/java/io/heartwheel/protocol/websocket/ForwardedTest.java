package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.net.HttpError;
import io.heartwheel.net.IpAddress;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Client addresses from headers, by content and by who wrote them. */
class ForwardedTest {
    private final ForwardedBench bench = new ForwardedBench("x-forwarded-for");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "203.0.113.7 | 203.0.113.7",
                "203.0.113.7:5000 | 203.0.113.7:5000",
                "198.51.100.9, 203.0.113.7 | 203.0.113.7",
                "198.51.100.9, 203.0.113.7, 10.0.0.2 | 203.0.113.7",
                "198.51.100.9,203.0.113.7,10.0.0.2,fd00::1,10.255.0.1 | 203.0.113.7",
                "nonsense, , 203.0.113.7, 10.0.0.2 | 203.0.113.7",
                ", 203.0.113.7 | 203.0.113.7",
                "203.0.113.7, | 203.0.113.7",
                "198.51.100.9, 203.0.113.7,, 10.0.0.2 , | 203.0.113.7",
                ",, 10.0.0.9, 10.0.0.2 | 10.0.0.9",
                "10.0.0.9, 10.0.0.2 | 10.0.0.9",
                "10.0.0.9 | 10.0.0.9",
                "2001:db8::7 | [2001:db8::7]",
                "[2001:db8::7] | [2001:db8::7]",
                "[2001:db8::7]:5000 | [2001:db8::7]:5000",
                "::ffff:203.0.113.7 | 203.0.113.7",
                "  203.0.113.7\t,\t10.0.0.2   | 203.0.113.7"
            })
    void look_fromATrustedBalancer_findsTheFirstThatIsNotTrusted(String list, String origin) throws Exception {
        assertEquals(origin, bench.look("10.0.0.1", list));
        assertEquals(1, bench.counts.count(ForwardedOutcome.TAKEN));
        assertEquals(1, bench.taken.size());
    }

    @Test
    void look_severalLines_areOneList() throws Exception {
        assertEquals("203.0.113.7", bench.look("10.0.0.1", "198.51.100.9", "203.0.113.7, 10.0.0.3", "10.0.0.2"));
    }

    @Test
    void look_fromAnybodyElse_believesNothing() throws Exception {
        assertEquals("192.0.2.1:4000", bench.look("192.0.2.1", "203.0.113.7"));
        assertEquals("192.0.2.1:4000", bench.look("192.0.2.1", "nonsense"));
        assertEquals("192.0.2.1:4000", bench.look("192.0.2.1"));
        assertEquals(2, bench.counts.count(ForwardedOutcome.UNTRUSTED));
        assertEquals(List.of(), bench.taken);
    }

    @Test
    void look_nothingFromATrustedBalancer_keepsItsAddress() throws Exception {
        assertEquals("10.0.0.1:4000", bench.look("10.0.0.1"));
        assertEquals("10.0.0.1:4000", bench.look("10.0.0.1", "", " ", ",", ", ,"));
        assertEquals(2, bench.counts.count(ForwardedOutcome.ABSENT));
        assertEquals(List.of(), bench.taken);
    }

    private static final String UNREADABLE =
            """
            unknown | _hidden | 203.0.113.7, unknown, 10.0.0.2 | 203.0.113.7, x,, 10.0.0.2
            203.0.113.7: | 203.0.113.7:65536 | 203.0.113.7:-1 | 203.0.113.7:80:80 | 2001:db8::7:5000:x | [2001:db8::7
            2001:db8::7] | [203.0.113.7 | localhost | 203.0.113.07 | 203.0.113 | fe80::1%eth0 | "203.0.113.7"
            203.0.113.7 10.0.0.2
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
    void look_endlessHops_isRefused() {
        for (String hop : new String[] {", 10.0.0.2", ","}) {
            String list = "203.0.113.7" + hop.repeat(32);
            assertThrows(HttpError.class, () -> bench.look("10.0.0.1", list));
        }
    }

    @Test
    void request_withRoomForNobody_isAnswered503() {
        WebSocketBench peers = new WebSocketBench();
        peers.forwarded = new Forwarded(
                new ForwardedSettings("x-real-ip", ForwardedBench.TRUSTED), bench.counts, (channel, address) -> {
                    throw new ProtocolViolation(CloseReason.CONNECTION_LIMIT, "full");
                });
        EmbeddedChannel channel = peers.accept(WebSocketBench.PLAIN);
        ClientAddress.tell(channel, IpAddress.parse("10.0.0.1"), 4_000);
        channel.writeInbound(WebSocketBench.request("/ws/d", "X-Real-IP: 203.0.113.7"));
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 503 "));
        assertEquals(CloseReason.CONNECTION_LIMIT, peers.reason());
        assertEquals("203.0.113.7", peers.gateway.evidence.get(0).remote());
        channel.finishAndReleaseAll();
    }

    @Test
    void request_withAMalformedOrigin_isAnswered400() {
        WebSocketBench peers = new WebSocketBench();
        peers.forwarded = bench.forwarded;
        EmbeddedChannel channel = peers.accept(WebSocketBench.PLAIN);
        ClientAddress.tell(channel, IpAddress.parse("10.0.0.1"), 4_000);
        channel.writeInbound(WebSocketBench.request("/ws/d", "X-Forwarded-For: unknown"));
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 400 "));
        assertEquals(CloseReason.BAD_HTTP, peers.reason());
        channel.finishAndReleaseAll();
    }

    @Test
    void isHeader_upperCaseOrSpace_isNot() {
        assertFalse(ForwardedSettings.isHeader("X-Forwarded-For"));
        assertFalse(ForwardedSettings.isHeader("a b"));
    }
}

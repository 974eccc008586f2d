package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.net.HttpError;
import io.heartwheel.net.IpAddress;
import io.heartwheel.net.Networks;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.OutcomeCounts;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Client addresses from headers, by content and by who wrote them. */
class ForwardedTest {
    private static final Networks TRUSTED = Networks.parse(List.of("10.0.0.0/8", "fd00::/8"));

    private final OutcomeCounts<ForwardedOutcome> counts = new OutcomeCounts<>(ForwardedOutcome.class);
    private final List<String> counted = new ArrayList<>();
    private final Forwarded forwarded = new Forwarded(
            new ForwardedSettings("x-forwarded-for", TRUSTED),
            counts,
            (channel, address) -> counted.add(IpAddress.text(address)));

    /** A request over a connection from here. */
    private String look(String from, String... lines) throws ProtocolViolation {
        EmbeddedChannel channel = new EmbeddedChannel();
        ClientAddress.tell(channel, IpAddress.parse(from), 4_000);
        // as the wire brings them
        HttpHeaders headers =
                DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
        for (String line : lines) {
            headers.add("X-Forwarded-For", line);
        }
        forwarded.look(channel, headers);
        return ClientAddress.text(channel);
    }

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
                "10.0.0.9, 10.0.0.2 | 10.0.0.9",
                "10.0.0.9 | 10.0.0.9",
                "2001:db8::7 | [2001:db8::7]",
                "[2001:db8::7] | [2001:db8::7]",
                "[2001:db8::7]:5000 | [2001:db8::7]:5000",
                "::ffff:203.0.113.7 | 203.0.113.7",
                "  203.0.113.7\t,\t10.0.0.2   | 203.0.113.7"
            })
    void look_fromATrustedBalancer_findsTheFirstThatIsNotTrusted(String list, String origin) throws Exception {
        assertEquals(origin, look("10.0.0.1", list));
        assertEquals(1, counts.count(ForwardedOutcome.TAKEN));
        assertEquals(1, counted.size());
    }

    @Test
    void look_severalLines_areOneList() throws Exception {
        assertEquals("203.0.113.7", look("10.0.0.1", "198.51.100.9", "203.0.113.7, 10.0.0.3", "10.0.0.2"));
    }

    @Test
    void look_fromAnybodyElse_believesNothing() throws Exception {
        assertEquals("192.0.2.1:4000", look("192.0.2.1", "203.0.113.7"));
        assertEquals("192.0.2.1:4000", look("192.0.2.1", "nonsense"));
        assertEquals("192.0.2.1:4000", look("192.0.2.1"));
        assertEquals(2, counts.count(ForwardedOutcome.UNTRUSTED));
        assertEquals(List.of(), counted);
    }

    @Test
    void look_nothingFromATrustedBalancer_keepsItsAddress() throws Exception {
        assertEquals("10.0.0.1:4000", look("10.0.0.1"));
        assertEquals(1, counts.count(ForwardedOutcome.ABSENT));
        assertEquals(List.of(), counted);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ",",
                "unknown",
                "_hidden",
                "203.0.113.7,",
                "203.0.113.7,,10.0.0.2",
                "203.0.113.7, unknown, 10.0.0.2",
                "203.0.113.7:",
                "203.0.113.7:65536",
                "203.0.113.7:-1",
                "203.0.113.7:80:80",
                "2001:db8::7:5000:x",
                "[2001:db8::7",
                "2001:db8::7]",
                "[203.0.113.7",
                "localhost",
                "203.0.113.07",
                "203.0.113",
                "fe80::1%eth0",
                "\"203.0.113.7\"",
                "203.0.113.7 10.0.0.2"
            })
    void look_unreadableWhereItMatters_isRefused(String list) {
        HttpError refusal = assertThrows(HttpError.class, () -> look("10.0.0.1", list));
        assertEquals(400, refusal.status());
        assertEquals(1, counts.count(ForwardedOutcome.MALFORMED));
        assertEquals(List.of(), counted);
    }

    @Test
    void look_endlessHops_isRefused() {
        String list = "203.0.113.7" + ", 10.0.0.2".repeat(32);
        assertThrows(HttpError.class, () -> look("10.0.0.1", list));
    }

    /** Whatever a device writes in front: behind its balancers it cannot change what is found. */
    @Test
    void look_whateverTheDeviceWrites_findsTheSame() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        String alphabet = "0123456789abcdef.:,[] \"_-x";
        for (int round = 0; round < 5_000; round++) {
            StringBuilder own = new StringBuilder();
            for (int i = random.nextInt(60); i > 0; i--) {
                own.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String list = own + ",203.0.113.7" + ", 10.0.0.2".repeat(random.nextInt(4));
            assertEquals("203.0.113.7", look("10.0.0.1", list), "seed " + seed + ": " + list);
        }
    }

    @Test
    void request_withRoomForNobody_isAnswered503() {
        WebSocketBench bench = new WebSocketBench();
        bench.forwarded = new Forwarded(new ForwardedSettings("x-real-ip", TRUSTED), counts, (channel, address) -> {
            throw new ProtocolViolation(CloseReason.CONNECTION_LIMIT, "full");
        });
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        ClientAddress.tell(channel, IpAddress.parse("10.0.0.1"), 4_000);
        channel.writeInbound(WebSocketBench.request("/ws/d", "X-Real-IP: 203.0.113.7"));
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 503 "));
        assertEquals(CloseReason.CONNECTION_LIMIT, bench.reason());
        assertEquals("203.0.113.7", bench.gateway.evidence.get(0).remote());
        channel.finishAndReleaseAll();
    }

    @Test
    void request_withAMalformedOrigin_isAnswered400() {
        WebSocketBench bench = new WebSocketBench();
        bench.forwarded = forwarded;
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        ClientAddress.tell(channel, IpAddress.parse("10.0.0.1"), 4_000);
        channel.writeInbound(WebSocketBench.request("/ws/d", "X-Forwarded-For: unknown"));
        assertTrue(WebSocketBench.text(channel).startsWith("HTTP/1.1 400 "));
        assertEquals(CloseReason.BAD_HTTP, bench.reason());
        channel.finishAndReleaseAll();
    }

    @Test
    void isHeader_upperCaseOrSpace_isNot() {
        assertFalse(ForwardedSettings.isHeader("X-Forwarded-For"));
        assertFalse(ForwardedSettings.isHeader("a b"));
    }
}

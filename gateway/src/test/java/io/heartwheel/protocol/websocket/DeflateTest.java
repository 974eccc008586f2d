package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** permessage-deflate against the JDK's own streams, and the examples of RFC 7692. */
class DeflateTest {
    private static final int LIMIT = WebSocketBench.MAX_PAYLOAD;

    // ------------------------------------------------------------------ negotiation

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "permessage-deflate | permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; client_max_window_bits | permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; client_max_window_bits=10 | permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; server_max_window_bits=\"9\" | permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9",
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover | permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "foo, permessage-deflate; x=1, permessage-deflate | permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "permessage-deflate; server_max_window_bits=7 | -",
                "permessage-deflate; server_max_window_bits=16 | -",
                "permessage-deflate; server_max_window_bits=08 | -",
                "permessage-deflate; server_max_window_bits | -",
                "permessage-deflate; client_max_window_bits=7 | -",
                "permessage-deflate; server_no_context_takeover=1 | -",
                "permessage-deflate; server_no_context_takeover; server_no_context_takeover | -",
                "permessage-deflate; unknown | -",
                "x-webkit-deflate-frame | -"
            })
    void offer_any_isAnsweredByTheBook(String offer, String answer) {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.accept(WebSocketBench.COMPRESSED);
        channel.writeInbound(WebSocketBench.request("/ws/d", "Sec-WebSocket-Extensions: " + offer));
        String head = WebSocketBench.text(channel);
        assertTrue(head.startsWith("HTTP/1.1 101 "), head);
        String expected = "\r\nSec-WebSocket-Extensions: " + answer + "\r\n";
        assertEquals(answer != null, head.contains("Sec-WebSocket-Extensions"), head);
        assertTrue(answer == null || head.contains(expected), head);
        channel.finishAndReleaseAll();
    }

    // ------------------------------------------------------------------ in

    static Stream<Arguments> wholeMessages() {
        return Stream.of(
                Arguments.of("Hello, RFC 7692 7.2.3.1", "f248cdc9c90700", "Hello"),
                Arguments.of("Hello in a stored block, 7.2.3.3", "000500faff48656c6c6f00", "Hello"),
                Arguments.of("Hello in a final block, 7.2.3.4", "f348cdc9c9070000", "Hello"),
                Arguments.of("Hello in two blocks, 7.2.3.5", "f248050000 00ffffcac9c90700".replace(" ", ""), "Hello"),
                Arguments.of("a final block and nothing more", "f348cdc9c90700", "Hello"),
                Arguments.of(
                        "several stored blocks",
                        "000100feff61" + "000100feff62" + "000000ffff" + "000100feff63" + "00",
                        "abc"),
                Arguments.of("nothing, the usual way", "00", ""),
                Arguments.of("nothing, in a fixed block", "0200", ""),
                Arguments.of("nothing, in no byte", "", ""));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wholeMessages")
    void message_deflated_isInflated(String name, String hex, String plain) {
        byte[] payload = HexFormat.of().parseHex(hex);
        for (int cut = 0; cut <= payload.length; cut++) {
            WebSocketBench bench = new WebSocketBench();
            EmbeddedChannel channel = compressed(bench);
            channel.writeInbound(
                    ClientFrame.of(0x41, Arrays.copyOf(payload, cut)).bytes());
            channel.writeInbound(ClientFrame.of(0x80, Arrays.copyOfRange(payload, cut, payload.length))
                    .bytes());
            assertEquals(
                    List.of(plain),
                    bench.messages().stream()
                            .map(m -> new String(m.payload(), StandardCharsets.UTF_8))
                            .toList());
            assertTrue(bench.messages().get(0).text());
            channel.finishAndReleaseAll();
        }
    }

    static Stream<Arguments> faults() {
        String big = HexFormat.of().formatHex(deflate(new byte[LIMIT + 1], Deflater.DEFAULT_COMPRESSION));
        return Stream.of(
                Arguments.of("one byte too many", 0xC2, big, 1009),
                Arguments.of("a bomb", 0xC2, HexFormat.of().formatHex(deflate(new byte[1 << 22], 9)), 1009),
                Arguments.of("a block of no kind", 0xC2, "07", 1002),
                Arguments.of("a stored block with a wrong complement", 0xC2, "000500faee48656c6c6f00", 1002),
                Arguments.of("a stored block cut off", 0xC2, "006400 9bff6162".replace(" ", ""), 1002),
                Arguments.of("a distance into nothing", 0xC2, "4a040300", 1002),
                Arguments.of(
                        "text that is not UTF-8",
                        0xC1,
                        HexFormat.of().formatHex(deflate(new byte[] {-1, -2, -3}, 9)),
                        1007),
                Arguments.of("a compressed ping", 0xC9, "00", 1002),
                Arguments.of("RSV2", 0xA2, "00", 1002));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void message_badlyDeflated_isRefused(String name, int first, String hex, int code) {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = compressed(bench);
        channel.writeInbound(ClientFrame.of(first, HexFormat.of().parseHex(hex)).bytes());
        List<ServerFrame> out = ServerFrame.drain(channel);
        assertEquals(1, out.size());
        assertEquals(code, out.get(0).closeCode(), bench.closed().toString());
        assertEquals(List.of(), bench.messages());
        channel.finishAndReleaseAll();
        // and the loop's inflater is none the worse
        message_deflated_isInflated("afterwards", "f248cdc9c90700", "Hello");
    }

    @Test
    void continuation_withRsv1_isRefused() {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = compressed(bench);
        channel.writeInbound(ClientFrame.of(0x42, "x").bytes());
        channel.writeInbound(ClientFrame.of(0xC0, "x").bytes());
        assertEquals(1002, ServerFrame.drain(channel).get(0).closeCode());
        channel.finishAndReleaseAll();
    }

    @Test
    void message_notDeflated_isTakenAllTheSame() {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = compressed(bench);
        channel.writeInbound(ClientFrame.text("plain").bytes());
        assertEquals("plain", new String(bench.messages().get(0).payload(), StandardCharsets.UTF_8));
        channel.finishAndReleaseAll();
    }

    @Test
    void inflate_ofTheLimit_fits() throws Exception {
        byte[] plain = random(LIMIT, 5);
        for (int level = 0; level <= 9; level += 3) {
            byte[] deflated = deflate(plain, level);
            assertArrayEquals(plain, Deflate.ofThisLoop().inflate(deflated, deflated.length, LIMIT));
            ProtocolViolation tooLarge = assertThrows(
                    ProtocolViolation.class, () -> Deflate.ofThisLoop().inflate(deflated, deflated.length, LIMIT - 1));
            assertEquals(CloseReason.TOO_LARGE, tooLarge.reason());
        }
    }

    // ------------------------------------------------------------------ out

    @Test
    void echo_ofAnything_inflatesToTheSame() throws Exception {
        WebSocketBench bench = new WebSocketBench();
        bench.echoes = true;
        EmbeddedChannel channel = compressed(bench);
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            byte[] plain = random(random.nextInt(LIMIT), 1 + random.nextInt(100));
            byte[] deflated = deflate(plain, random.nextInt(10));
            channel.writeInbound(ClientFrame.of(0xC2, deflated).bytes());
            ServerFrame out = ServerFrame.drain(channel).get(0);
            boolean isDeflated = (out.first() & 0x40) != 0;
            assertArrayEquals(plain, isDeflated ? inflate(out.payload()) : out.payload(), "seed " + seed);
            assertTrue(out.payload().length <= plain.length, "seed " + seed);
            assertFalse(isDeflated && plain.length < Deflate.LEAST_DEFLATED_BYTES);
        }
        channel.finishAndReleaseAll();
    }

    @Test
    void echo_longerThanTheWindow_goesOutAsItIs() {
        WebSocketBench bench = new WebSocketBench();
        bench.echoes = true;
        String offer = "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=9";
        EmbeddedChannel channel = bench.upgraded(WebSocketBench.COMPRESSED, "/ws/d", offer);
        channel.writeInbound(ClientFrame.binary(new byte[512]).bytes());
        channel.writeInbound(ClientFrame.binary(new byte[513]).bytes());
        assertEquals(
                List.of(0xC2, 0x82),
                ServerFrame.drain(channel).stream().map(ServerFrame::first).toList());
        channel.finishAndReleaseAll();
    }

    @Test
    void frames_ofHeartwheel_travelDeflated() throws Exception {
        WebSocketBench bench = new WebSocketBench();
        bench.echoes = true;
        EmbeddedChannel channel = bench.upgraded(
                WebSocketBench.COMPRESSED,
                "/ws",
                WebSocketBench.FRAMES,
                "Sec-WebSocket-Extensions: permessage-deflate");
        channel.writeInbound(
                ClientFrame.of(0xC2, deflate(WebSocketBench.HELLO, 9)).bytes());
        byte[] data = new byte[4 + 8 + 500];
        data[0] = 5;
        data[2] = (byte) (508 >> 8);
        data[3] = (byte) 508;
        channel.writeInbound(ClientFrame.of(0xC2, deflate(data, 9)).bytes());
        List<ServerFrame> out = ServerFrame.drain(channel);
        assertEquals(0x82, out.get(0).first());
        assertEquals(0xC2, out.get(1).first());
        assertArrayEquals(data, inflate(out.get(1).payload()));
        channel.finishAndReleaseAll();
    }

    // ------------------------------------------------------------------ the JDK's side

    private static EmbeddedChannel compressed(WebSocketBench bench) {
        return bench.upgraded(WebSocketBench.COMPRESSED, "/ws/d", "Sec-WebSocket-Extensions: permessage-deflate");
    }

    private static byte[] random(int size, int variety) {
        byte[] bytes = new byte[size];
        Random random = new Random(size * 31L + variety);
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) random.nextInt(variety);
        }
        return bytes;
    }

    private static byte[] deflate(byte[] plain, int level) {
        Deflater deflater = new Deflater(level, true);
        deflater.setInput(plain);
        byte[] buffer = new byte[2 * plain.length + 64];
        int length = deflater.deflate(buffer, 0, buffer.length, Deflater.SYNC_FLUSH);
        deflater.end();
        return Arrays.copyOf(buffer, length == 0 ? 0 : length - 4);
    }

    private static byte[] inflate(byte[] deflated) throws DataFormatException {
        var all = new ByteArrayOutputStream();
        all.writeBytes(deflated);
        all.writeBytes(new byte[] {0, 0, -1, -1});
        Inflater inflater = new Inflater(true);
        inflater.setInput(all.toByteArray());
        byte[] plain = new byte[2 * LIMIT];
        int length = inflater.inflate(plain);
        inflater.end();
        return Arrays.copyOf(plain, length);
    }
}

package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 6455 section 5 and 7, each row whole, in pieces and byte by byte. */
class WebSocketFrameDecoderTest {
    private static final String NONE = "";

    private static byte[] join(Object... parts) {
        var all = new ByteArrayOutputStream();
        for (Object part : parts) {
            all.writeBytes(
                    part instanceof ClientFrame frame
                            ? frame.array()
                            : HexFormat.of().parseHex((String) part));
        }
        return all.toByteArray();
    }

    /** First byte, payload. */
    private static ClientFrame f(int first, String payload) {
        return ClientFrame.of(first, payload);
    }

    private static ClientFrame raw(int first, String hex) {
        return ClientFrame.of(first, HexFormat.of().parseHex(hex));
    }

    // ------------------------------------------------------------------ state by event

    /** In the state between messages (-), and inside of a text (T) or binary (B) message: what each first byte does. */
    static Stream<Arguments> states() {
        List<Arguments> rows = new ArrayList<>();
        for (String state : List.of("-", "T", "B")) {
            for (int first = 0; first < 256; first++) {
                rows.add(Arguments.of(state, first, expected(state, first)));
            }
        }
        return rows.stream();
    }

    /** 0: goes on, -1: answered close, else the code of the refusal. */
    private static int expected(String state, int first) {
        boolean fin = (first & 0x80) != 0;
        boolean between = state.equals("-");
        if ((first & 0x70) != 0) {
            return 1002;
        }
        return switch (first & 0xF) {
            case 0 -> between ? 1002 : 0;
            case 1, 2 -> between ? 0 : 1002;
            case 8 -> fin ? -1 : 1002;
            case 9, 10 -> fin ? 0 : 1002;
            default -> 1002;
        };
    }

    @ParameterizedTest(name = "state {0}, first byte {1}")
    @MethodSource("states")
    void frame_inState_isTakenOrRefused(String state, int first, int expected) {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.plain();
        if (!state.equals("-")) {
            channel.writeInbound(f(state.equals("T") ? 0x01 : 0x02, "a").bytes());
        }
        channel.writeInbound(f(first, NONE).bytes());
        List<ServerFrame> out = ServerFrame.drain(channel);
        if (expected == 0) {
            assertTrue(channel.isOpen());
            assertEquals(first == 0x89 ? List.of(ServerFrame.of(0x8A, NONE)) : List.of(), out);
            assertEquals(0, bench.gateway.closed.size());
        } else {
            assertEquals(1, out.size());
            assertEquals(expected, out.get(0).closeCode());
            assertEquals(expected == -1 ? CloseReason.PEER_CLOSED : CloseReason.MALFORMED, bench.reason());
        }
        channel.finishAndReleaseAll();
    }

    // ------------------------------------------------------------------ what is refused

    static Stream<Arguments> violations() {
        String euro = "e282ac";
        return Stream.of(
                Arguments.of("unmasked", join("8100"), 1002),
                Arguments.of("unmasked with payload", join("810161"), 1002),
                Arguments.of("16 bits for a short length", join(f(0x81, "abc").withLengthForm(16)), 1002),
                Arguments.of("64 bits for a short length", join(f(0x81, "abc").withLengthForm(64)), 1002),
                Arguments.of("64 bits for 65535", join("82ff000000000000ffff00000000"), 1002),
                Arguments.of("top bit of 64", join("82ff8000000000000000"), 1002),
                Arguments.of(
                        "over the limit", join(ClientFrame.binary(new byte[WebSocketBench.MAX_PAYLOAD + 1])), 1009),
                Arguments.of("length far over the limit", join("82ff7fffffffffffffff"), 1009),
                Arguments.of(
                        "fragments over the limit",
                        join(
                                ClientFrame.of(0x02, new byte[WebSocketBench.MAX_PAYLOAD]),
                                ClientFrame.of(0x80, new byte[1])),
                        1009),
                Arguments.of("ping of 126 bytes", join("89fe"), 1002),
                Arguments.of("close of 126 bytes", join("88fe"), 1002),
                Arguments.of("close with half a code", join(raw(0x88, "03")), 1002),
                Arguments.of("close with bad text", join(raw(0x88, "03e8ff")), 1007),
                Arguments.of("close with cut text", join(raw(0x88, "03e8e282")), 1007),
                Arguments.of("bad text", join(raw(0x81, "61ff")), 1007),
                Arguments.of("cut text", join(raw(0x81, "e282")), 1007),
                Arguments.of("overlong text", join(raw(0x81, "c080")), 1007),
                Arguments.of("surrogate", join(raw(0x81, "eda080")), 1007),
                Arguments.of("beyond Unicode", join(raw(0x81, "f4908080")), 1007),
                Arguments.of("text cut across fragments", join(raw(0x01, "e2"), raw(0x80, "82")), 1007),
                Arguments.of("bad text in the second fragment", join(raw(0x01, euro), raw(0x00, "e2ff")), 1007),
                Arguments.of("bad text behind 8 good bytes", join(raw(0x81, "6162636465666768" + "ff")), 1007));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("violations")
    void stream_withViolation_isClosedWithItsCode(String name, byte[] stream, int code) {
        for (int piece : new int[] {stream.length, 3, 1}) {
            WebSocketBench bench = new WebSocketBench();
            EmbeddedChannel channel = bench.plain();
            bench.echoes = true;
            deliver(channel, stream, piece);
            // whatever follows is neither read nor answered
            deliver(channel, join(f(0x89, "late"), f(0x81, "late"), ClientFrame.close(1000, NONE)), 64);
            List<ServerFrame> out = ServerFrame.drain(channel);
            assertEquals(1, out.size(), out::toString);
            assertEquals(code, out.get(0).closeCode());
            assertEquals(code, bench.reason().webSocketCode());
            assertEquals(List.of(), bench.messages());
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void badText_isRefusedAtItsByte() {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.plain();
        byte[] frame = raw(0x81, "61626364ff" + "00".repeat(50)).array();
        deliver(channel, java.util.Arrays.copyOf(frame, 6 + 4), 1);
        assertEquals(List.of(), ServerFrame.drain(channel));
        channel.writeInbound(Unpooled.wrappedBuffer(frame, 10, 1));
        assertEquals(1007, ServerFrame.drain(channel).get(0).closeCode());
        channel.finishAndReleaseAll();
    }

    // ------------------------------------------------------------------ what is taken

    static Stream<Arguments> messages() {
        String big = "x".repeat(WebSocketBench.MAX_PAYLOAD);
        return Stream.of(
                Arguments.of("empty text", join(f(0x81, NONE)), List.of("T:")),
                Arguments.of("empty binary", join(f(0x82, NONE)), List.of("B:")),
                Arguments.of(
                        "text", join(f(0x81, "h\u00e4\u20ac\ud83d\ude00")), List.of("T:h\u00e4\u20ac\ud83d\ude00")),
                Arguments.of("125", join(f(0x82, big.substring(0, 125))), List.of("B:" + big.substring(0, 125))),
                Arguments.of("126", join(f(0x82, big.substring(0, 126))), List.of("B:" + big.substring(0, 126))),
                Arguments.of("the limit", join(f(0x82, big)), List.of("B:" + big)),
                Arguments.of("mask of zeros", join(f(0x81, "abc").withMask(0)), List.of("T:abc")),
                Arguments.of("two in one read", join(f(0x81, "a"), f(0x82, "b")), List.of("T:a", "B:b")),
                Arguments.of("two fragments", join(f(0x01, "ab"), f(0x80, "cd")), List.of("T:abcd")),
                Arguments.of("empty fragments", join(f(0x01, NONE), f(0x00, NONE), f(0x80, NONE)), List.of("T:")),
                Arguments.of(
                        "a character across fragments",
                        join(raw(0x01, "e2"), raw(0x00, "82"), raw(0x80, "ac")),
                        List.of("T:\u20ac")),
                Arguments.of(
                        "control frames between fragments",
                        join(f(0x01, "a"), f(0x89, "1"), f(0x00, "b"), f(0x8A, "2"), f(0x80, "c"), f(0x82, "d")),
                        List.of("pong:1", "T:abc", "B:d")),
                Arguments.of(
                        "ping of 125 bytes",
                        join(f(0x89, big.substring(0, 125))),
                        List.of("pong:" + big.substring(0, 125))),
                Arguments.of("an unasked pong", join(f(0x8A, "x")), List.of()),
                Arguments.of(
                        "fragments up to the limit",
                        join(f(0x02, big.substring(1)), f(0x80, "x")),
                        List.of("B:" + big)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("messages")
    void stream_withoutViolation_isTaken(String name, byte[] stream, List<String> expected) {
        for (int piece : new int[] {stream.length, 100, 5, 1}) {
            WebSocketBench bench = new WebSocketBench();
            bench.echoes = true;
            EmbeddedChannel channel = bench.plain();
            deliver(channel, stream, piece);
            assertEquals(
                    expected,
                    ServerFrame.drain(channel).stream()
                            .map(WebSocketFrameDecoderTest::describe)
                            .toList());
            assertEquals(
                    expected.stream().filter(each -> !each.startsWith("pong")).toList(),
                    bench.messages().stream()
                            .map(WebSocketFrameDecoderTest::describe)
                            .toList());
            assertEquals(0, bench.gateway.closed.size());
            channel.finishAndReleaseAll();
        }
    }

    // ------------------------------------------------------------------ close

    static IntStream validCodes() {
        return IntStream.concat(
                IntStream.of(1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014),
                IntStream.of(3000, 3999, 4000, 4999));
    }

    @ParameterizedTest
    @MethodSource("validCodes")
    void close_withValidCode_isAnsweredInKindAndClosed(int code) {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.plain();
        deliver(channel, join(ClientFrame.close(code, "w\u00e4g"), f(0x81, "late")), 200);
        assertEquals(List.of(ServerFrame.close(code, NONE)), ServerFrame.drain(channel));
        assertFalse(channel.isOpen());
        assertEquals(CloseReason.PEER_CLOSED, bench.reason());
        assertEquals(List.of(), bench.messages());
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535})
    void close_withInvalidCode_isAViolation(int code) {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.plain();
        channel.writeInbound(ClientFrame.close(code, NONE).bytes());
        assertEquals(1002, ServerFrame.drain(channel).get(0).closeCode());
        assertEquals(CloseReason.MALFORMED, bench.reason());
        channel.finishAndReleaseAll();
    }

    @Test
    void close_insideAFragmentedMessage_ends() {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.plain();
        deliver(channel, join(f(0x01, "a"), ClientFrame.close(1001, NONE)), 1);
        assertEquals(List.of(ServerFrame.close(1001, NONE)), ServerFrame.drain(channel));
        assertFalse(channel.isOpen());
        channel.finishAndReleaseAll();
    }

    static void deliver(EmbeddedChannel channel, byte[] stream, int piece) {
        for (int at = 0; at < stream.length && channel.isOpen(); at += piece) {
            int end = Math.min(stream.length, at + piece);
            channel.writeInbound(Unpooled.copiedBuffer(stream, at, end - at));
        }
    }

    static String describe(ServerFrame frame) {
        return switch (frame.first()) {
            case 0x81 -> "T:" + frame.text();
            case 0x82 -> "B:" + frame.text();
            case 0x8A -> "pong:" + frame.text();
            default -> frame.toString();
        };
    }

    static String describe(ConnectionEvent.Message message) {
        return (message.text() ? "T:" : "B:") + new String(message.payload(), StandardCharsets.UTF_8);
    }
}

package io.heartwheel.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.session.AuthStatus;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replays the test vectors and the tables of the protocol document against the real codec. */
class ProtocolDocumentTest {
    private static final Path DOCUMENT = Path.of("docs/protocol.md");
    private static final int LIMIT = 65_536;
    private static final ByteBufAllocator ALLOC = UnpooledByteBufAllocator.DEFAULT;

    record Vector(String kind, String name, byte[] bytes, String meaning) {
        @Override
        public String toString() {
            return kind + " " + name;
        }
    }

    static List<Vector> vectors(String kind) throws IOException {
        return Files.readAllLines(DOCUMENT).stream()
                .dropWhile(line -> !line.equals("```vectors"))
                .skip(1)
                .takeWhile(line -> !line.equals("```"))
                .map(line -> line.split(" ", 4))
                .filter(part -> part[0].equals(kind))
                .map(part -> new Vector(part[0], part[1], ByteBufUtil.decodeHexDump(part[2]), part[3]))
                .toList();
    }

    static Stream<Vector> accepted() throws IOException {
        return vectors("accept").stream();
    }

    static Stream<Vector> rejected() throws IOException {
        return vectors("reject").stream();
    }

    @Test
    void vectors_document_hasManyOfBothKinds() throws IOException {
        assertTrue(vectors("accept").size() >= 15);
        assertTrue(vectors("reject").size() >= 20);
    }

    @ParameterizedTest
    @MethodSource("rejected")
    void decode_rejectedVector_closesWithItsCode(Vector vector) {
        for (int piece : new int[] {vector.bytes.length, 1, 3}) {
            assertEquals(Integer.parseInt(vector.meaning), closeCodeOf(vector.bytes, piece), "in pieces of " + piece);
        }
    }

    private static int closeCodeOf(byte[] bytes, int piece) {
        VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
        EmbeddedChannel channel = new EmbeddedChannel();
        FrameConnection connection = new FrameConnection(gateway.sessionContext, LIMIT);
        channel.pipeline().addLast(connection);
        connection.start(1, gateway.now());
        for (int from = 0; from < bytes.length && channel.isOpen(); from += piece) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, from, Math.min(piece, bytes.length - from)));
        }
        int code = -1;
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            if (out.getUnsignedByte(0) == FrameType.CLOSE) {
                assertEquals(-1, code, "one CLOSE only");
                code = out.getUnsignedShort(4);
            }
            out.release();
        }
        assertEquals(1, gateway.closed.size(), "counted once");
        assertEquals(code, gateway.closed.get(0).reason().wireCode());
        channel.finishAndReleaseAll();
        assertEquals(0, gateway.registry.size());
        return code;
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void codec_acceptedVector_meansWhatIsWritten(Vector vector) throws ProtocolViolation {
        String type = vector.meaning.substring(0, vector.meaning.indexOf(' '));
        Map<String, String> fields = fields(vector.meaning.substring(type.length() + 1));
        if (type.equals("HELLO")) {
            checkHello(vector, fields);
        } else {
            ByteBuf encoded = encode(type, fields);
            assertEquals(ByteBufUtil.hexDump(vector.bytes), ByteBufUtil.hexDump(encoded));
            encoded.release();
        }
    }

    private static void checkHello(Vector vector, Map<String, String> fields) throws ProtocolViolation {
        ByteBuf in = Unpooled.wrappedBuffer(vector.bytes);
        assertEquals(FrameType.HELLO, in.getUnsignedByte(0));
        Hello hello = Hello.read(in, 4, in.getUnsignedShort(2));
        assertEquals(fields.get("device"), new String(hello.deviceId(), StandardCharsets.UTF_8));
        assertEquals(fields.get("token"), new String(hello.token(), StandardCharsets.UTF_8));
        assertEquals(fields.get("interval"), Long.toString(hello.wantedMillis()));
        assertEquals(fields.get("epoch"), Long.toString(hello.lastEpoch()));
        assertEquals(fields.get("client"), hello.clientName());
        assertEquals("1".equals(fields.get("features")), hello.understandsAuth());
    }

    private static ByteBuf encode(String type, Map<String, String> f) {
        return switch (type) {
            case "WELCOME" ->
                Frames.welcome(
                        ALLOC,
                        Integer.parseInt(f.get("interval")),
                        Integer.parseInt(f.get("grace")),
                        Long.parseLong(f.get("session")),
                        Long.parseLong(f.get("epoch")),
                        Integer.parseInt(f.get("limit")));
            case "PING" -> ping(ByteBufUtil.decodeHexDump(f.get("payload")));
            case "PONG" -> Frames.pong(ALLOC, Unpooled.wrappedBuffer(hex(f)), 0, hex(f).length);
            case "DATA" ->
                Frames.data(
                        ALLOC,
                        Long.parseLong(f.get("id")),
                        Boolean.parseBoolean(f.get("ack")),
                        Boolean.parseBoolean(f.get("text")),
                        hex(f));
            case "ACK" -> Frames.ack(ALLOC, Long.parseLong(f.get("id")), Integer.parseInt(f.get("status")));
            case "GOAWAY" -> {
                String[] window = f.get("retry").split("\\.\\.");
                yield Frames.goAway(
                        ALLOC,
                        Integer.parseInt(f.get("code")),
                        new GoAway(Long.parseLong(window[0]), Long.parseLong(window[1]), f.get("host")));
            }
            case "AUTH" ->
                Frames.auth(
                        ALLOC,
                        AuthStatus.values()[Integer.parseInt(f.get("status"))],
                        Long.parseLong(f.get("remaining")));
            case "CLOSE" -> Frames.close(ALLOC, Integer.parseInt(f.get("code")), f.get("text"));
            default -> throw new AssertionError("unknown type in the document: " + type);
        };
    }

    /** A device's PING comes back as the PONG of the same bytes: both ends of the vector. */
    private static ByteBuf ping(byte[] payload) {
        ByteBuf pong = Frames.pong(ALLOC, Unpooled.wrappedBuffer(payload), 0, payload.length);
        return pong.setByte(0, FrameType.PING);
    }

    private static byte[] hex(Map<String, String> fields) {
        return ByteBufUtil.decodeHexDump(fields.get("payload"));
    }

    /** {@code key=value} pairs; the last value may hold spaces. */
    private static Map<String, String> fields(String text) {
        Map<String, String> fields = new HashMap<>();
        String rest = text;
        while (!rest.isEmpty()) {
            int equals = rest.indexOf('=');
            String key = rest.substring(0, equals);
            String after = rest.substring(equals + 1);
            int end = key.equals("text") && !after.startsWith("true") && !after.startsWith("false")
                    ? after.length()
                    : (after + " ").indexOf(' ');
            fields.put(key, after.substring(0, end));
            rest = after.substring(Math.min(after.length(), end + 1));
        }
        return fields;
    }

    @Test
    void closeCodes_documentTable_isTheEnum() throws IOException {
        String document = Files.readString(DOCUMENT);
        for (CloseReason reason : CloseReason.all()) {
            if (reason.onWire()) {
                String row = "| " + reason.wireCode() + " | " + reason.name() + " | `" + reason.label() + "` |";
                assertTrue(document.contains(row), row);
            } else {
                assertTrue(document.contains("`" + reason.label() + "`"), reason.label());
            }
        }
        long rows = document.lines()
                .filter(line -> line.matches("\\| 4\\d{3} \\|.*"))
                .count();
        assertEquals(CloseReason.all().stream().filter(CloseReason::onWire).count(), rows);
        assertFalse(
                CloseReason.all().stream().anyMatch(r -> r.onWire() && (r.wireCode() < 4000 || r.wireCode() > 4599)));
    }
}

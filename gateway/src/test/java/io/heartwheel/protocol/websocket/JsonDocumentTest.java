package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.session.AuthStatus;
import io.heartwheel.session.GoAway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replays the vectors of section 8 of the protocol document against the real codec. */
class JsonDocumentTest {
    private static final Path DOCUMENT = Path.of("docs/protocol.md");
    private static final ByteBufAllocator ALLOC = UnpooledByteBufAllocator.DEFAULT;

    record Vector(String kind, String name, String meaning, String json) {
        @Override
        public String toString() {
            return kind + " " + name;
        }
    }

    private static Stream<Vector> vectors(String kind) throws IOException {
        return Files.readAllLines(DOCUMENT).stream()
                .dropWhile(line -> !line.equals("```json-vectors"))
                .skip(1)
                .takeWhile(line -> !line.equals("```"))
                .map(line -> (line + " ").split(" \\| ?", 4))
                .map(part -> new Vector(part[0], part[1], part[2], part[3].strip()))
                .filter(vector -> vector.kind.equals(kind));
    }

    static Stream<Vector> gateway() throws IOException {
        return vectors("gateway");
    }

    static Stream<Vector> device() throws IOException {
        return vectors("device");
    }

    static Stream<Vector> refuse() throws IOException {
        return vectors("refuse");
    }

    @Test
    void vectors_document_hasManyOfEachKind() throws IOException {
        assertTrue(gateway().count() >= 11);
        assertTrue(device().count() >= 10);
        assertTrue(refuse().count() >= 25);
    }

    @ParameterizedTest
    @MethodSource("gateway")
    void write_gatewayVector_isThatToTheByte(Vector vector) {
        ByteBuf written = written(vector.meaning);
        assertEquals(vector.json, written.toString(StandardCharsets.UTF_8));
        written.release();
    }

    private static ByteBuf written(String meaning) {
        String type = meaning.split(" ", 2)[0];
        Map<String, String> f = Pattern.compile("(\\w+)=(\\S*)")
                .matcher(meaning)
                .results()
                .collect(Collectors.toMap(pair -> pair.group(1), pair -> pair.group(2)));
        return switch (type) {
            case "WELCOME" ->
                JsonWriter.welcome(
                        ALLOC,
                        number(f, "interval"),
                        number(f, "grace"),
                        number(f, "session"),
                        id(f, "epoch"),
                        number(f, "limit"));
            case "PONG" -> JsonWriter.pong(ALLOC);
            case "DATA" -> {
                byte[] payload = HexFormat.of().parseHex(f.get("payload"));
                yield JsonWriter.data(ALLOC, id(f, "id"), is(f, "ack"), is(f, "text"), payload);
            }
            case "ACK" -> JsonWriter.ack(ALLOC, id(f, "id"), number(f, "status"));
            case "GOAWAY" -> {
                String[] window = f.get("retry").split("\\.\\.");
                long min = Long.parseLong(window[0]);
                long max = Long.parseLong(window[1]);
                yield JsonWriter.goAway(ALLOC, number(f, "code"), new GoAway(min, max, f.get("host")));
            }
            case "AUTH" -> JsonWriter.auth(ALLOC, AuthStatus.values()[number(f, "status")], id(f, "remaining"));
            default -> throw new AssertionError("unknown type in the document: " + type);
        };
    }

    private static int number(Map<String, String> fields, String name) {
        return Integer.parseInt(fields.get(name));
    }

    private static long id(Map<String, String> fields, String name) {
        return Long.parseUnsignedLong(fields.get(name));
    }

    private static boolean is(Map<String, String> fields, String name) {
        return Boolean.parseBoolean(fields.get(name));
    }

    @ParameterizedTest
    @MethodSource("device")
    void read_deviceVector_meansWhatIsWritten(Vector vector) throws ProtocolViolation {
        JsonMessage message = JsonMessage.read(vector.json);
        assertEquals(vector.meaning, meaning(message));
    }

    private static String meaning(JsonMessage message) throws ProtocolViolation {
        String id = Long.toUnsignedString(message.id());
        return switch (message.type()) {
            case "data" ->
                "DATA id=" + id + " ack=" + message.ackWanted() + " text=" + message.isText() + " payload="
                        + HexFormat.of().formatHex(message.payload(100));
            case "ack" -> "ACK id=" + id + " status=" + message.status();
            case "ping" -> "PING";
            case "auth" -> "AUTH token=" + new String(message.token(), StandardCharsets.UTF_8);
            default -> throw new AssertionError(message.type());
        };
    }

    @ParameterizedTest
    @MethodSource("device")
    void connection_deviceVector_staysOpen(Vector vector) {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.json();
        channel.writeInbound(ClientFrame.text(vector.json).bytes());
        assertTrue(channel.isOpen());
        assertEquals(List.of(), bench.gateway.closed);
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @MethodSource("refuse")
    void connection_refusedVector_closesWithItsCode(Vector vector) {
        for (int piece : new int[] {1 << 20, 1, 3}) {
            WebSocketBench bench = new WebSocketBench();
            EmbeddedChannel channel = bench.json();
            byte[] bytes = ClientFrame.text(vector.json).array();
            for (int at = 0; at < bytes.length; at += piece) {
                channel.writeInbound(Unpooled.copiedBuffer(bytes, at, Math.min(piece, bytes.length - at)));
            }
            CloseReason reason = bench.reason();
            assertEquals(
                    Integer.parseInt(vector.meaning),
                    reason.wireCode(),
                    bench.closed().toString());
            List<ServerFrame> out = ServerFrame.drain(channel);
            assertEquals(1, out.size());
            assertEquals(reason.webSocketCode(), out.get(0).closeCode());
            channel.finishAndReleaseAll();
            assertEquals(0, bench.sessionContext.stats().unfinishedBytes());
        }
    }
}

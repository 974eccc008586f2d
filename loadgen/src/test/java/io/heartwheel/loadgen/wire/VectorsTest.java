package io.heartwheel.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.wire.Vectors.Vector;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The vectors of the wire document against this reading of it. */
final class VectorsTest {

    private static final int DATA_LIMIT = 65_536;

    @TestFactory
    Stream<DynamicTest> accept_vector_decodesAsWritten() {
        return Vectors.of("accept").stream()
                .map(vector -> DynamicTest.dynamicTest(vector.name(), () -> assertDecodes(vector)));
    }

    @TestFactory
    Stream<DynamicTest> accept_vectorByteByByte_isWholeOnlyAtTheEnd() {
        return Vectors.of("accept").stream()
                .map(vector -> DynamicTest.dynamicTest(vector.name(), () -> assertWholeAtTheEnd(vector)));
    }

    @TestFactory
    Stream<DynamicTest> accept_vectorDecoded_encodesToTheSameBytes() {
        return Vectors.of("accept").stream()
                .filter(vector -> !vector.name().contains("extension"))
                .map(vector -> DynamicTest.dynamicTest(vector.name(), () -> assertEncodes(vector)));
    }

    @TestFactory
    Stream<DynamicTest> reject_vector_isRefusedWithItsCode() {
        return Vectors.of("reject").stream()
                .map(vector -> DynamicTest.dynamicTest(vector.name(), () -> assertRefused(vector)));
    }

    private static ByteBuf bytes(Vector vector) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(vector.hex()));
    }

    private static Frame decode(ByteBuf in) {
        FrameCursor cursor = new FrameCursor();
        assertTrue(cursor.next(in, DATA_LIMIT));
        return FrameCodec.decode(cursor, in);
    }

    /** Read by its direction: HELLO and an AUTH with a token are a device's. */
    private static Frame decode(Vector vector) {
        ByteBuf in = bytes(vector);
        if (!vector.meaning().strip().matches("(HELLO|AUTH token=).*")) {
            return decode(in);
        }
        FrameCursor cursor = new FrameCursor();
        assertTrue(cursor.next(in, DATA_LIMIT));
        return GatewayCodec.decode(cursor, in);
    }

    private static void assertDecodes(Vector vector) {
        String meaning = vector.meaning().strip();
        assertEquals(
                meaning,
                describe(decode(vector), meaning.contains(" features=")).strip());
    }

    private static void assertWholeAtTheEnd(Vector vector) {
        ByteBuf all = bytes(vector);
        FrameCursor cursor = new FrameCursor();
        for (int length = 0; length < all.readableBytes(); length++) {
            ByteBuf part = all.slice(0, length);
            assertFalse(cursor.next(part, DATA_LIMIT), "whole after " + length + " bytes");
            assertEquals(0, part.readerIndex());
        }
        assertTrue(cursor.next(all, DATA_LIMIT));
    }

    private static void assertEncodes(Vector vector) {
        ByteBuf out = Unpooled.buffer();
        Frame frame = decode(vector);
        if (frame instanceof Frame.Hello hello) {
            FrameCodec.hello(hello, out);
        } else if (frame instanceof Frame.Renewal renewal) {
            FrameCodec.renewal(renewal.token(), out);
        } else {
            GatewayCodec.encode(frame, new byte[0], out);
        }
        assertEquals(vector.hex(), ByteBufUtil.hexDump(out));
    }

    private static void assertRefused(Vector vector) {
        WireException refused = assertThrows(WireException.class, () -> receive(bytes(vector)));
        assertEquals(Integer.parseInt(vector.meaning().strip()), refused.code(), refused.getMessage());
    }

    /** A gateway's side of sections 1 and 2, as this reading has it. */
    private static void receive(ByteBuf in) {
        FrameCursor cursor = new FrameCursor();
        boolean greeted = false;
        while (cursor.next(in, DATA_LIMIT)) {
            boolean hello = cursor.type() == FrameType.HELLO;
            if (hello == greeted) {
                throw new WireException(greeted ? 4407 : 4408, "HELLO first, and once");
            }
            GatewayCodec.decode(cursor, in);
            greeted = true;
        }
    }

    private static String describe(Frame frame, boolean withFeatures) {
        if (frame instanceof Frame.Renewal renewal) {
            return "AUTH token=" + renewal.token();
        } else if (frame instanceof Frame.AuthAnswer answer) {
            return "AUTH status=" + answer.status() + " remaining=" + answer.remainingMillis();
        } else if (frame instanceof Frame.Hello hello) {
            return String.format(
                            Locale.ROOT,
                            "HELLO device=%s token=%s interval=%d epoch=%d client=%s",
                            hello.deviceId(),
                            hello.token(),
                            hello.intervalMillis(),
                            hello.lastEpoch(),
                            hello.clientName())
                    + (withFeatures ? " features=" + hello.features() : "");
        } else if (frame instanceof Frame.Welcome welcome) {
            return String.format(
                    Locale.ROOT,
                    "WELCOME interval=%d grace=%d session=%d epoch=%d limit=%d",
                    welcome.intervalMillis(),
                    welcome.graceHundredths(),
                    welcome.sessionId(),
                    welcome.epoch(),
                    welcome.payloadLimit());
        } else if (frame instanceof Frame.Ping ping) {
            return "PING payload=" + hex(ping.payload());
        } else if (frame instanceof Frame.Pong pong) {
            return "PONG payload=" + hex(pong.payload());
        } else if (frame instanceof Frame.Data data) {
            return String.format(
                    Locale.ROOT,
                    "DATA id=%d ack=%s text=%s payload=%s",
                    data.id(),
                    data.ackWanted(),
                    data.text(),
                    hex(data.payload()));
        } else if (frame instanceof Frame.Ack ack) {
            return "ACK id=" + ack.id() + " status=" + ack.status();
        } else if (frame instanceof Frame.Goaway away) {
            return String.format(
                    Locale.ROOT,
                    "GOAWAY code=%d retry=%d..%d host=%s",
                    away.code(),
                    away.retryMinMillis(),
                    away.retryMaxMillis(),
                    away.host());
        }
        Frame.Close close = (Frame.Close) frame;
        return "CLOSE code=" + close.code() + " text=" + close.text();
    }

    private static String hex(ByteBuffer payload) {
        return ByteBufUtil.hexDump(Unpooled.wrappedBuffer(payload));
    }
}

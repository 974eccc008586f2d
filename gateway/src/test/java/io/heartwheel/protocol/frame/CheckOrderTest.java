package io.heartwheel.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Section 2 of the protocol document, "Order of checks": of two faults the one whose byte comes first decides, and no byte is waited for in vain. */
class CheckOrderTest {
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final FrameDevice device = new FrameDevice(gateway, "a");

    @AfterEach
    void releaseAll() {
        device.channel.finishAndReleaseAll();
    }

    private CloseReason reasonFor(String hex) {
        device.send(ByteBufUtil.decodeHexDump(hex));
        assertEquals(1, gateway.closed.size(), hex);
        return gateway.closed.get(0).reason();
    }

    @ParameterizedTest
    @CsvSource({
        // a byte that decides alone
        "00, BAD_MAGIC",
        "0a, BAD_MAGIC",
        "47, BAD_MAGIC",
        "02, HELLO_EXPECTED",
        "03, HELLO_EXPECTED",
        "05, HELLO_EXPECTED",
        "09, HELLO_EXPECTED",
        // type before flags, and before length
        "02ff0000, HELLO_EXPECTED",
        "0810ffff, HELLO_EXPECTED",
        "6fffffff, BAD_MAGIC",
        // flags before length
        "0110ffff, MALFORMED",
        // the form of the length before the length
        "0180ffff, MALFORMED",
        "018000000000ffff, MALFORMED",
        // the greatest length before the payload
        "01001201, TOO_LARGE",
        "018000007fffffff, TOO_LARGE"
    })
    void beginning_beforeHello_isRefusedForTheFirstFault(String hex, CloseReason reason) {
        assertEquals(reason, reasonFor(hex));
    }

    @ParameterizedTest
    @CsvSource({
        "00, UNKNOWN_TYPE",
        "0a, UNKNOWN_TYPE",
        "ff, UNKNOWN_TYPE",
        "01, DUPLICATE_HELLO",
        "02, MALFORMED",
        "07, MALFORMED",
        "6fff0000, UNKNOWN_TYPE",
        "01ff0000, DUPLICATE_HELLO",
        "0200ffff, MALFORMED",
        "0310ffff, MALFORMED",
        "0380ffff, MALFORMED",
        "038000000000007f, MALFORMED",
        "0580000000000001, MALFORMED",
        "0300007e, TOO_LARGE",
        "06000041, TOO_LARGE",
        "0600000800, MALFORMED",
        "05000007, MALFORMED",
        "0502000700, MALFORMED",
        "08000001, MALFORMED",
        "0800007e0fa0, TOO_LARGE"
    })
    void beginning_afterHello_isRefusedForTheFirstFault(String hex, CloseReason reason) {
        device.hello();
        assertEquals(reason, reasonFor(hex));
    }

    /** Payloads of HELLO; what stands behind the first fault is as wrong as can be. */
    @ParameterizedTest
    @CsvSource({
        "'', BAD_MAGIC",
        "48, BAD_MAGIC",
        "58, BAD_MAGIC",
        "5857ff, BAD_MAGIC",
        "4857, MALFORMED",
        "485702, BAD_VERSION",
        "485702ff, BAD_VERSION",
        "485701, MALFORMED",
        "4857010000000000000000000000000000, BAD_IDENTITY",
        "48570100000000000000000000000000ff, BAD_IDENTITY",
        "485701000000000000000000000000000361ff, MALFORMED",
        "4857010000000000000000000000000002ff0affff, BAD_UTF8",
        "48570100000000000000000000000000020a41ffff, BAD_IDENTITY",
        "485701000000000000000000000000000161ffff, MALFORMED",
        "4857010000000000000000000000000001610001ffff, BAD_UTF8",
        "485701000000000000000000000000000161000041, MALFORMED",
        "48570100000000000000000000000000016100000241, MALFORMED",
        "485701000000000000000000000000000161000002ff0a, BAD_UTF8",
        "4857010000000000000000000000000001610000020aff, BAD_UTF8",
        "4857010000000000000000000000000001610000010aff, MALFORMED"
    })
    void hello_withTwoFaults_isRefusedForTheFirst(String payload, CloseReason reason) {
        assertEquals(reason, reasonFor(String.format("0100%04x%s", payload.length() / 2, payload)));
    }

    @Test
    void hello_tokenOfAnyCharacters_isTaken() throws ProtocolViolation {
        byte[] token = "t\u0000\n\u0085\u202E!".getBytes(StandardCharsets.UTF_8);
        byte[] payload = Unpooled.buffer()
                .writeBytes(ByteBufUtil.decodeHexDump("485701000000000000000000000000000161"))
                .writeShort(token.length)
                .writeBytes(token)
                .writeByte(0)
                .array();

        assertArrayEquals(
                token,
                Hello.read(Unpooled.wrappedBuffer(payload), 0, 18 + 2 + token.length + 1)
                        .token());
    }

    @Test
    void close_withTextThatIsNotUtf8_isRefused() {
        device.hello();
        assertEquals(CloseReason.BAD_UTF8, reasonFor("080000030fa0ff"));
        assertTrue(device.lastHexOut().startsWith("0800"), "told in a CLOSE");
    }
}

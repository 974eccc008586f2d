package io.heartwheel.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heartwheel.event.CloseReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Characters of a device's name, each one of them. */
class DeviceIdsTest {
    /** The JDK's tables: controls by their category, separators likewise, Bidi_Control by hand, for it has no name there. */
    private static boolean isTrouble(int point) {
        int type = Character.getType(point);
        return type == Character.CONTROL
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || "\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069".indexOf(point) >= 0;
    }

    @Test
    void deviceId_everyCodePoint_isRefusedIfItBreaksOrReordersALine() throws ProtocolViolation {
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                continue;
            }
            // at the front, in the middle and at the end
            for (String text : new String[] {Character.toString(point), "a" + Character.toString(point) + "b"}) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                ByteBuf in = Unpooled.wrappedBuffer(bytes);
                if (isTrouble(point)) {
                    ProtocolViolation violation = assertThrows(
                            ProtocolViolation.class,
                            () -> DeviceIds.deviceId(in, 0, bytes.length),
                            () -> Integer.toHexString(text.codePointAt(0)));
                    assertEquals(CloseReason.BAD_IDENTITY, violation.reason());
                } else {
                    assertArrayEquals(bytes, DeviceIds.deviceId(in, 0, bytes.length));
                }
            }
        }
    }

    @Test
    void clientName_thatReordersALine_isMalformed() throws ProtocolViolation {
        for (String bad : new String[] {"a\n", "\u0085", "fw\u2028", "\u202Etxt.exe", "\u2066"}) {
            ByteBuf in = Unpooled.copiedBuffer(bad, StandardCharsets.UTF_8);
            ProtocolViolation violation =
                    assertThrows(ProtocolViolation.class, () -> DeviceIds.clientName(in, 0, in.readableBytes()));
            assertEquals(CloseReason.MALFORMED, violation.reason());
        }
        ByteBuf good = Unpooled.copiedBuffer("acme-fw/2.1 \u00A0é\u2027\u202F", StandardCharsets.UTF_8);
        assertEquals(good.toString(StandardCharsets.UTF_8), DeviceIds.clientName(good, 0, good.readableBytes()));
    }
}

package io.heartwheel.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class NodeStatusTest {
    private static final NodeId GW = new NodeId("gw-1", 77);
    private static final NodeStatus STATUS = new NodeStatus(GW, 1_234_567, 800, "gw-1.example:7070");

    /** As the release before says it: nothing stands behind the devices. */
    private static byte[] earlier() {
        return ByteBuffer.allocate(1 + 8 + 1 + 4 + 8)
                .put((byte) 1)
                .putLong(77)
                .put((byte) 4)
                .put("gw-1".getBytes(StandardCharsets.US_ASCII))
                .putLong(1_234_567)
                .array();
    }

    @Test
    void decode_whatWasEncoded_isTheSame() {
        assertEquals(STATUS, NodeStatus.decode(STATUS.encode()));
    }

    @Test
    void decode_wordOfAnEarlierRelease_saysNoMore() {
        assertEquals(new NodeStatus(GW, 1_234_567), NodeStatus.decode(earlier()));
    }

    @Test
    void encode_forAnEarlierRelease_beginsAsItKnowsIt() {
        assertArrayEquals(earlier(), Arrays.copyOf(STATUS.encode(), earlier().length));
    }

    @Test
    void decode_wordOfALaterRelease_isReadAsFarAsItIsKnown() {
        byte[] word = STATUS.encode();
        assertEquals(STATUS, NodeStatus.decode(Arrays.copyOf(word, word.length + 9)));
    }

    @Test
    void decode_whatNoDeviceCanBeTold_isNotSaid() {
        NodeStatus odd = new NodeStatus(GW, 1, -5, "h".repeat(251) + ":7070");
        assertEquals(new NodeStatus(GW, 1, NodeStatus.ENDS, ""), NodeStatus.decode(odd.encode()));
    }

    @Test
    void decode_cutShortAnywhere_isNone() {
        byte[] word = STATUS.encode();
        for (int length = 0; length < word.length; length++) {
            if (length != earlier().length) {
                byte[] cut = Arrays.copyOf(word, length);
                assertThrows(IllegalArgumentException.class, () -> NodeStatus.decode(cut), () -> cut.length + " bytes");
            }
        }
    }
}

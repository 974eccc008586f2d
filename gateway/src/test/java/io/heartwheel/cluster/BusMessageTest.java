package io.heartwheel.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.cluster.BusMessage.Command;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BusMessageTest {
    private static final NodeId FROM = new NodeId("a", 7);
    private static final byte[] ID = "eu1-42".getBytes(StandardCharsets.UTF_8);

    private static BusMessage arrived(byte[] bytes) {
        List<BusMessage> arrived = new ArrayList<>();
        BusMessage.answer(bytes, message -> {
            arrived.add(message);
            return BusMessage.Answer.ABSENT;
        });
        return arrived.get(0);
    }

    /** Else a gateway of an earlier release reads another device id. */
    @Test
    void kick_withoutAWait_isAsInTheFirstRelease() {
        ByteBuffer first = ByteBuffer.allocate(18 + FROM.length() + ID.length)
                .put((byte) 1)
                .put((byte) 1)
                .putLong(5)
                .putLong(6);
        FROM.write(first);
        first.put(ID);
        assertArrayEquals(first.array(), new BusMessage(Command.KICK, 5, 6, FROM, 0, ID).encode());
        assertArrayEquals(ID, arrived(first.array()).deviceId());
        assertEquals(0, arrived(first.array()).waitMillis());
    }

    @Test
    void kick_withAWait_bringsIt() {
        BusMessage arrived = arrived(new BusMessage(Command.KICK, 5, 6, FROM, 4_000, ID).encode());
        assertEquals(Command.KICK, arrived.command());
        assertEquals(4_000, arrived.waitMillis());
        assertEquals(FROM, arrived.from());
        assertArrayEquals(ID, arrived.deviceId());
    }
}

package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.AtOnce;
import io.heartwheel.event.CloseReason;
import io.heartwheel.net.IpAddress;
import io.heartwheel.net.Networks;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections by source: neither more nor less than allowed, in bounded memory. */
class SourceCountsTest {
    private static final long START = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(10);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long nowNanos = START;

    private SourceCounts sources(int connections, int rate, int burst, String... exempt) {
        Networks spared = Networks.parse(List.of(exempt));
        return new SourceCounts(new SourceSettings(connections, rate, burst, spared, 64, 1_024), () -> nowNanos);
    }

    private static byte[] address(String text) {
        return IpAddress.parse(text);
    }

    private static EmbeddedChannel enter(SourceCounts sources, byte[] address) throws ProtocolViolation {
        EmbeddedChannel channel = new EmbeddedChannel();
        sources.enter(channel, address);
        return channel;
    }

    private static CloseReason refusal(SourceCounts sources, String address) {
        return assertThrows(ProtocolViolation.class, () -> enter(sources, address(address)))
                .reason();
    }

    @Test
    void enter_beyondTheConnections_isRefusedUntilOneLeaves() throws Exception {
        SourceCounts sources = sources(2, 1_000, 1_000);
        EmbeddedChannel first = enter(sources, address("203.0.113.7"));
        enter(sources, address("203.0.113.7"));
        assertEquals(CloseReason.CONNECTION_LIMIT, refusal(sources, "203.0.113.7"));
        assertEquals(CloseReason.CONNECTION_LIMIT, refusal(sources, "::ffff:203.0.113.7"));
        enter(sources, address("203.0.113.8"));
        assertEquals(2, sources.connected());
        first.close();
        enter(sources, address("203.0.113.7"));
        assertEquals(2, sources.tooMany());
        assertEquals(0, sources.tooFast());
    }

    @Test
    void enter_tooFast_isRefusedUntilTimePasses() throws Exception {
        SourceCounts sources = sources(1_000, 10, 5);
        for (int i = 0; i < 5; i++) {
            enter(sources, address("203.0.113.7")).close();
        }
        assertEquals(CloseReason.OVERLOADED, refusal(sources, "203.0.113.7"));
        nowNanos += SECOND / 10;
        enter(sources, address("203.0.113.7"));
        assertEquals(CloseReason.OVERLOADED, refusal(sources, "203.0.113.7"));
        // over the end of the clock's range, and long enough for a whole burst but no more
        nowNanos += 100 * SECOND;
        for (int i = 0; i < 5; i++) {
            enter(sources, address("203.0.113.7"));
        }
        assertEquals(CloseReason.OVERLOADED, refusal(sources, "203.0.113.7"));
        assertEquals(3, sources.tooFast());
    }

    @Test
    void enter_ofOnePrefix_isOneSource() throws Exception {
        SourceCounts sources = sources(1, 1_000, 1_000);
        enter(sources, address("2001:db8:0:1::1"));
        assertEquals(CloseReason.CONNECTION_LIMIT, refusal(sources, "2001:db8:0:1:ffff::9"));
        enter(sources, address("2001:db8:0:2::1"));
        enter(sources, address("::1"));
        assertEquals(CloseReason.CONNECTION_LIMIT, refusal(sources, "::"));
    }

    @Test
    void enter_exemptOrUnknown_isNotCounted() throws Exception {
        SourceCounts sources = sources(1, 1, 1, "127.0.0.0/8", "fd00::/8");
        for (int i = 0; i < 10; i++) {
            enter(sources, address("127.0.0.9"));
            enter(sources, address("fd00::1"));
            enter(sources, new byte[0]);
        }
        assertEquals(0, sources.connected());
    }

    @Test
    void enter_moreSourcesThanPlaces_letsTheRestInUncounted() throws Exception {
        SourceCounts sources = sources(1, 1_000, 1_000);
        List<EmbeddedChannel> channels = new ArrayList<>();
        int many = 5_000;
        for (int i = 0; i < many; i++) {
            channels.add(
                    enter(sources, ByteBuffer.allocate(4).putInt(0x0B000000 + i).array()));
        }
        assertTrue(sources.uncounted() > 0);
        assertEquals(many, sources.connected() + sources.uncounted());
        assertTrue(sources.connected() >= 1_024, "as many as were promised: " + sources.connected());
        channels.forEach(EmbeddedChannel::close);
        assertEquals(0, sources.connected());
        for (int i = 0; i < 1_000; i++) {
            enter(sources, ByteBuffer.allocate(4).putInt(0x0C000000 + i).array());
        }
    }

    /** Against a map that forgets nothing, with few enough sources that no place is missing. */
    @Test
    void enter_random_agreesWithAModel() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        SourceCounts sources = sources(3, 100, 4);
        Map<Integer, Queue<EmbeddedChannel>> open = new HashMap<>();
        Map<Integer, Long> next = new HashMap<>();
        long interval = SECOND / 100;
        for (int round = 0; round < 20_000; round++) {
            nowNanos += random.nextInt(3_000_000);
            int source = random.nextInt(50);
            Queue<EmbeddedChannel> mine = open.computeIfAbsent(source, s -> new ArrayDeque<>());
            if (random.nextInt(3) == 0 && !mine.isEmpty()) {
                mine.remove().close();
                continue;
            }
            long at = nowNanos - START;
            long due = next.getOrDefault(source, 0L);
            CloseReason expected = mine.size() >= 3
                    ? CloseReason.CONNECTION_LIMIT
                    : due - at > 3 * interval ? CloseReason.OVERLOADED : null;
            CloseReason found = null;
            try {
                mine.add(enter(sources, new byte[] {10, 0, 0, (byte) source}));
                next.put(source, Math.max(due, at) + interval);
            } catch (ProtocolViolation violation) {
                found = violation.reason();
            }
            assertEquals(expected, found, "seed " + seed + ", round " + round);
        }
    }

    @Test
    void enter_byManyThreads_neverExceedsTheLimit() throws Exception {
        SourceCounts sources = sources(10, 1_000_000, 1_000_000);
        AtOnce.run(4, thread -> {
            for (int i = 0; i < 2_000; i++) {
                enter(sources, new byte[] {10, 0, 0, (byte) (i & 3)}).close();
            }
        });
        assertEquals(0, sources.connected());
        assertEquals(0, sources.tooMany());
    }

    @Test
    void refuses_asksWithoutTakingPart() throws Exception {
        byte[] address = address("203.0.113.7");
        SourceCounts sources = sources(2, 1_000, 1_000);
        for (int i = 0; i < 10_000; i++) {
            assertFalse(sources.refuses(address));
        }
        enter(sources, address);
        EmbeddedChannel second = enter(sources, address);
        assertTrue(sources.refuses(address));
        assertFalse(sources.refuses(address("203.0.113.8")));
        assertEquals(1, sources.connected());
        assertEquals(1, sources.tooMany());
        second.close();
        assertFalse(sources.refuses(address));

        SourceCounts slow = sources(100, 1, 3);
        for (int i = 0; i < 3; i++) {
            assertFalse(slow.refuses(address));
            enter(slow, address);
        }
        assertTrue(slow.refuses(address));
        assertEquals(1, slow.tooFast());
        nowNanos += SECOND;
        assertFalse(slow.refuses(address));
    }

    @Test
    void reconfigure_afterABurstAtALowRate_theNewRateIsInForceAtOnce() throws Exception {
        SourceCounts sources = sources(10_000, 1, 1_000);
        for (int i = 0; i < 1_000; i++) {
            enter(sources, address("203.0.113.7"));
        }
        sources.reconfigure(new SourceSettings(10_000, 100, 10, Networks.NONE, 64, 1_024));
        assertEquals(CloseReason.OVERLOADED, refusal(sources, "203.0.113.7"));
        nowNanos += SECOND / 100;
        enter(sources, address("203.0.113.7"));
        assertEquals(CloseReason.OVERLOADED, refusal(sources, "203.0.113.7"));
    }
}

package io.heartwheel.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Turning away at accept, on a clock that stands still. */
class AcceptShedderTest {
    private static final AcceptLimitSettings FIVE =
            new AcceptLimitSettings(1, 5, Duration.ofMillis(4_500), Duration.ofMinutes(2));

    private final AcceptLimit limit = new AcceptLimit(FIVE, () -> 77);
    private final Set<Channel> greedy = new HashSet<>();
    private final EmbeddedChannel acceptor =
            new EmbeddedChannel(new AcceptShedder(listener(ListenerProtocol.AUTO), limit, greedy::contains, () -> 77));

    private static ListenerSettings listener(ListenerProtocol protocol) {
        return new ListenerSettings("any", new BindAddress("127.0.0.1", 0), protocol, 16, false, null, null);
    }

    /** Whether one more comes in. */
    private boolean accepted(boolean isGreedy) {
        EmbeddedChannel newcomer = new EmbeddedChannel();
        if (isGreedy) {
            greedy.add(newcomer);
        }
        acceptor.writeInbound(newcomer);
        boolean in = acceptor.readInbound() == newcomer;
        assertEquals(in, newcomer.isOpen());
        return in;
    }

    @Test
    void newcomers_beyondTheLimitOfAll_areTurnedAwayAndCounted() {
        for (int i = 0; i < 10; i++) {
            assertEquals(i < 5, accepted(false));
        }
        assertEquals(5, limit.shed());
    }

    @Test
    void newcomers_refusedForTheirOrigin_takeNoRoomOfOthers() {
        for (int i = 0; i < 1_000; i++) {
            assertFalse(accepted(true));
        }
        for (int i = 0; i < 5; i++) {
            assertTrue(accepted(false));
        }
        assertEquals(1_000, limit.shed());
    }

    @Test
    void reconfigure_offAndOnAgain_goesByItFromTheNextNewcomerOn() {
        limit.reconfigure(null);
        for (int i = 0; i < 100; i++) {
            assertTrue(accepted(i % 2 == 0), "without a limit all is left to the pipeline");
        }
        limit.reconfigure(FIVE);
        for (int i = 0; i < 6; i++) {
            assertEquals(i < 5, accepted(false));
        }
    }

    @Test
    void hint_webSocket_spreadsOverTheWholeWindow() {
        RetryHint hint = RetryHint.of(listener(ListenerProtocol.WEBSOCKET), FIVE);
        Set<Long> after = new TreeSet<>();
        long before = 0;
        for (int i = 0; i < RetryHint.SPREAD; i++) {
            ByteBuffer bytes = hint.next();
            String text = StandardCharsets.US_ASCII.decode(bytes.duplicate()).toString();
            assertTrue(text.matches("HTTP/1.1 503 [ -~\r\n]+\r\nRetry-After: [0-9]+\r\n\r\n"), text);
            long seconds = Long.parseLong(text.replaceAll("(?s).*Retry-After: |\r\n\r\n", ""));
            assertTrue(Math.abs(seconds - before) >= 30, "neighbours are far apart");
            before = seconds;
            after.add(seconds);
        }
        assertEquals(RetryHint.SPREAD, after.size());
        assertTrue(after.contains(5L) && after.contains(120L), after::toString);
    }
}

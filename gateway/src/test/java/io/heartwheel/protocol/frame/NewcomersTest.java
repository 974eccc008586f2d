package io.heartwheel.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.NewcomerQueue;
import io.heartwheel.session.Rounds;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A HELLO waits while its loop has no time for newcomers; established devices do not wait, and nobody is closed for it. */
class NewcomersTest {
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final Rounds rounds = new Rounds();
    private final NewcomerQueue queue = new NewcomerQueue(rounds, gateway::now);
    private final FrameDevice live = new FrameDevice(gateway, "live").hello();
    private final FrameDevice newcomer = new FrameDevice(gateway, "newcomer");

    NewcomersTest() {
        gateway.sessionContext.stats().newcomers(queue);
    }

    @AfterEach
    void release() {
        live.channel.finishAndReleaseAll();
        newcomer.channel.finishAndReleaseAll();
    }

    private void useTheSliceUp() {
        queue.add(() -> gateway.stall(Duration.ofMillis(5)));
    }

    @Test
    void hello_loopHasTime_isAnsweredAtOnce() {
        newcomer.hello();
        assertEquals(FrameType.WELCOME, newcomer.lastTypeOut());
    }

    @Test
    void hello_sliceIsOver_waitsAndTheEstablishedAreServed() {
        useTheSliceUp();
        newcomer.hello();
        assertEquals("", newcomer.lastHexOut());
        live.ping();
        assertEquals(FrameType.PONG, live.lastTypeOut());
        rounds.next();
        assertEquals(FrameType.WELCOME, newcomer.lastTypeOut());
        assertTrue(newcomer.channel.config().isAutoRead());
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
    }

    @Test
    void hello_sliceIsOver_readingStopsWhenMoreComes() {
        useTheSliceUp();
        newcomer.hello();
        assertTrue(newcomer.channel.config().isAutoRead(), "one read costs no system call to stop the next");
        newcomer.ping();
        assertFalse(newcomer.channel.config().isAutoRead(), "nothing more is read meanwhile");
        rounds.next();
        assertEquals(FrameType.PONG, newcomer.lastTypeOut());
        assertTrue(newcomer.channel.config().isAutoRead());
    }

    /** Its PINGs wait with it, and the holder is not touched. */
    @Test
    void hello_ofAnIdTakenOverTooOften_isToldWhenToComeBack() {
        List<FrameDevice> all = Stream.generate(() -> new FrameDevice(gateway, "newcomer").hello())
                .limit(5)
                .collect(Collectors.toCollection(ArrayList::new));
        for (int waitMillis = 2_000; waitMillis <= 4_000; waitMillis *= 2) {
            all.add(new FrameDevice(gateway, "newcomer").hello());
            gateway.pass(Duration.ofMillis(waitMillis + 100));
        }
        FrameDevice holder = all.get(6);
        FrameDevice rival = new FrameDevice(gateway, "newcomer").hello();
        all.add(rival);
        rival.ping();
        gateway.pass(Duration.ofMillis(3_900));
        assertEquals("", rival.lastHexOut());
        gateway.pass(Duration.ofMillis(200));
        ByteBuf goAway = rival.channel.readOutbound();
        assertEquals("0700000b1070", ByteBufUtil.hexDump(goAway, 0, 6));
        long retryMinMillis = goAway.getUnsignedInt(6);
        assertTrue(retryMinMillis > 3_900 && retryMinMillis <= 4_001, () -> "from " + retryMinMillis);
        assertEquals(retryMinMillis * 3 / 2, goAway.getUnsignedInt(10));
        goAway.release();
        assertTrue(rival.lastHexOut().startsWith("080000391070"), "CLOSE 4208");
        holder.ping();
        assertEquals(FrameType.PONG, holder.lastTypeOut());
        all.forEach(each -> each.channel.finishAndReleaseAll());
    }

    @Test
    void handshakeDeadline_helloWaits_isHeardFirst() {
        useTheSliceUp();
        newcomer.hello();
        gateway.reads = rounds::next;
        gateway.pass(Duration.ofSeconds(11));
        assertEquals(List.of(), gateway.closed);
        assertTrue(newcomer.connection.isEstablished());
    }

    @Test
    void hello_peerGoneMeanwhile_isDoneWithOnce() {
        useTheSliceUp();
        newcomer.hello();
        newcomer.channel.close();
        rounds.next();
        assertEquals(1, gateway.closed.size());
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
        assertEquals(0, gateway.sessionContext.stats().handshakesPending());
    }
}

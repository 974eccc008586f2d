package io.heartwheel.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The frames of a device while it is asked who it is, and AUTH in both directions. */
class AuthFrameTest {
    private static final String HELLO = "01000019485701%02x000000000000000000000000056465762d31000000";
    private static final String AUTH = "0900000568656c6c6f";

    private final Queue<Consumer<AuthResult>> waiting = new ArrayDeque<>();
    private AuthRequest latest;
    private final VirtualGateway gateway = new VirtualGateway(
            0,
            LivenessSettings.defaults(),
            new AuthPolicy(
                    new Authenticator() {
                        @Override
                        public String name() {
                            return "held";
                        }

                        @Override
                        public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
                            latest = request;
                            waiting.add(answer);
                        }
                    },
                    cause -> false,
                    Duration.ofSeconds(60).toNanos()),
            BreakerSettings.DEFAULTS,
            null);
    private final FrameDevice device = new FrameDevice(gateway, "a");

    @AfterEach
    void end() {
        device.channel.finishAndReleaseAll();
        assertEquals(0, gateway.sessionContext.stats().unfinishedBytes());
    }

    private void say(String... hex) {
        device.channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(String.join("", hex))));
    }

    private void answer(AuthResult result) {
        waiting.remove().accept(result);
        device.channel.runPendingTasks();
    }

    private static AuthResult admittedFor(long seconds) {
        return new AuthResult.Admitted(null, VirtualGateway.WALL_MILLIS + seconds * 1_000);
    }

    private static String hello(int features) {
        return String.format(HELLO, features);
    }

    @Test
    void frames_behindHello_waitForTheAnswer() {
        say(hello(0), "03000000");
        assertFalse(device.channel.config().isAutoRead(), "what is here is not taken, so nothing more is read");
        answer(AuthResult.ADMITTED);
        assertEquals("04000000", device.lastHexOut());
        assertTrue(device.channel.config().isAutoRead());
    }

    @Test
    void frames_behindHello_answerWhatWaitsForTheDevice() {
        say(hello(0));
        answer(AuthResult.ADMITTED);
        CompletableFuture<PushResult> result = gateway.pushes
                .send(new Push("dev-1", 9, true, new byte[] {'?'}, Push.Ack.DEVICE, true, 10_000_000_000L, false))
                .toCompletableFuture();
        say(FrameDevice.ack(9, 0));
        device.connection.closeSoon(CloseReason.ADMIN_CLOSED, "");
        FrameDevice again = new FrameDevice(gateway, "a");
        again.send(ByteBufUtil.decodeHexDump(hello(0) + "05020009" + "0000000000000009" + "79"));
        waiting.remove().accept(AuthResult.ADMITTED);
        again.channel.runPendingTasks();
        assertTrue(result.isDone(), "the answer came behind HELLO");
        assertEquals(PushResult.Outcome.REPLIED, result.join().outcome());
        again.channel.finishAndReleaseAll();
    }

    @Test
    void frames_behindAHelloThatIsRefused_areDropped() {
        say(hello(0), "03000000");
        device.connection.closeSoon(CloseReason.ADMIN_CLOSED, "");
        answer(AuthResult.ADMITTED);
        assertEquals(1, gateway.closed.size());
        assertTrue(gateway.events.isEmpty());
    }

    @Test
    void auth_ofADevice_isAnsweredWithWhatIsLeft() {
        say(hello(1));
        answer(admittedFor(600));
        say(AUTH);
        assertEquals("hello", new String(latest.token(), StandardCharsets.US_ASCII));
        assertTrue(latest.renewal());
        answer(admittedFor(3_600));
        assertEquals("09000005000036ee80", device.lastHexOut());
    }

    @Test
    void auth_beforeTheAnswerToTheLast_isMalformed() {
        say(hello(1));
        answer(AuthResult.ADMITTED);
        say(AUTH, AUTH);
        assertEquals(CloseReason.MALFORMED, gateway.closed.get(0).reason());
    }

    @Test
    void expiry_warnsWhoUnderstandsIt() {
        say(hello(1));
        answer(admittedFor(3));
        gateway.pass(Duration.ofMillis(2_010));
        device.channel.runPendingTasks();
        assertTrue(device.lastHexOut().startsWith("0900000501"), device.lastHexOut());
    }

    @Test
    void expiry_warnsNobodyElse() {
        say(hello(0));
        answer(admittedFor(3));
        String welcome = device.lastHexOut();
        gateway.pass(Duration.ofMillis(2_010));
        device.channel.runPendingTasks();
        assertEquals(welcome, device.lastHexOut());
    }
}

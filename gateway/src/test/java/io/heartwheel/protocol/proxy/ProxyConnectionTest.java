package io.heartwheel.protocol.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.OutcomeCounts;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The pipeline until the header has come. */
class ProxyConnectionTest {
    private static final String LINE = "PROXY TCP4 203.0.113.7 192.0.2.1 5000 443\r\n";

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final OutcomeCounts<ProxyOutcome> counts = new OutcomeCounts<>(ProxyOutcome.class);
    private final List<String> proceeded = new ArrayList<>();
    private final Recorder listener = new Recorder();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    /** A listener that takes whoever is not from 192.0.2.0/24. */
    private final class Recorder implements ProxyConnection.Listener {
        @Override
        public void admit(Channel from) throws ProtocolViolation {
            if (ClientAddress.text(from).startsWith("192.0.2.")) {
                throw new ProtocolViolation(CloseReason.CONNECTION_LIMIT, "full");
            }
        }

        @Override
        public void install(Channel from, long sessionId, long acceptedNanos) {
            proceeded.add(sessionId + " " + acceptedNanos + " " + ClientAddress.text(from));
        }

        @Override
        public ByteBuf lastWords(Channel to, CloseReason reason, String text) {
            return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
        }
    }

    private ProxyConnection open() {
        ProxyConnection connection = new ProxyConnection(gateway.sessionContext, listener, counts);
        channel.pipeline().addLast(connection);
        connection.start(7, gateway.now());
        return connection;
    }

    private void send(String text) {
        channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
    }

    private String passedOn() {
        StringBuilder all = new StringBuilder();
        for (ByteBuf each = channel.readInbound(); each != null; each = channel.readInbound()) {
            all.append(each.toString(StandardCharsets.ISO_8859_1));
            each.release();
        }
        return all.toString();
    }

    @Test
    void header_good_tellsTheOriginAndLeavesNothingBehind() {
        for (int piece : new int[] {100, 1}) {
            EmbeddedChannel each = new EmbeddedChannel();
            ProxyConnection connection = new ProxyConnection(gateway.sessionContext, listener, counts);
            each.pipeline().addLast(connection);
            connection.start(7, gateway.now());
            byte[] bytes = (LINE + "rest").getBytes(StandardCharsets.US_ASCII);
            for (int at = 0; at < bytes.length; at += piece) {
                each.writeInbound(Unpooled.copiedBuffer(bytes, at, Math.min(piece, bytes.length - at)));
            }
            StringBuilder rest = new StringBuilder();
            for (ByteBuf in = each.readInbound(); in != null; in = each.readInbound()) {
                rest.append(in.toString(StandardCharsets.US_ASCII));
                in.release();
            }
            assertEquals("rest", rest.toString());
            assertEquals("203.0.113.7:5000", ClientAddress.text(each));
            assertEquals("unknown", ClientAddress.via(each), "a channel without a socket has no end");
            assertTrue(each.pipeline().toMap().isEmpty());
            each.finishAndReleaseAll();
        }
        assertEquals(List.of("7 0 203.0.113.7:5000", "7 0 203.0.113.7:5000"), proceeded);
        assertEquals(2, counts.count(ProxyOutcome.V1));
        assertEquals(List.of(), gateway.closed, "giving way is no close");
    }

    @Test
    void header_ofAHealthCheck_keepsTheSocketsEnd() {
        open();
        channel.writeInbound(
                Unpooled.wrappedBuffer(new byte[] {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10, 0x20, 0, 0, 0}));
        assertEquals("", ClientAddress.via(channel));
        assertEquals(1, proceeded.size());
        assertEquals(1, counts.count(ProxyOutcome.LOCAL));
    }

    @Test
    void header_missing_closesUnheard() {
        open();
        send("\u0001\u0000\u0000\u0019");
        assertFalse(channel.isOpen());
        assertEquals(CloseReason.PROXY_FAILED, gateway.closed.get(0).reason());
        assertEquals("handshake", gateway.closed.get(0).protocol());
        assertEquals(1, counts.count(ProxyOutcome.MALFORMED));
        assertEquals(List.of(), proceeded);
        assertNull(channel.<Object>readOutbound(), "a reason that is never on the wire");
    }

    @Test
    void header_withAWrongChecksum_closesWithACountOfItsOwn() {
        open();
        channel.writeInbound(Unpooled.wrappedBuffer(
                ByteBufUtil.decodeHexDump("0d0a0d0a000d0a515549540a21110013cb007107c0000201138801bb03000400000000")));
        assertFalse(channel.isOpen());
        assertEquals(CloseReason.PROXY_FAILED, gateway.closed.get(0).reason());
        assertEquals(
                "PROXY header whose CRC32C is wrong", gateway.evidence.get(0).cause());
        assertEquals(1, counts.count(ProxyOutcome.CHECKSUM));
        assertEquals(0, counts.count(ProxyOutcome.MALFORMED));
        assertEquals(List.of(), proceeded);
    }

    @Test
    void header_inPieces_waitsUnderTheHandshakeDeadline() {
        open();
        send(LINE.substring(0, 20));
        gateway.pass(Duration.ofSeconds(9));
        assertTrue(channel.isOpen());
        gateway.pass(Duration.ofSeconds(2));
        assertEquals(CloseReason.HANDSHAKE_TIMEOUT, gateway.closed.get(0).reason());
        assertEquals("", passedOn());
        channel.finishAndReleaseAll();
    }

    @Test
    void header_ofASourceWithoutRoom_isRefusedInTheListenersWords() {
        open();
        send("PROXY TCP4 192.0.2.9 192.0.2.1 5000 443\r\n");
        assertEquals(CloseReason.CONNECTION_LIMIT, gateway.closed.get(0).reason());
        assertEquals("192.0.2.9:5000", gateway.evidence.get(0).remote());
        ByteBuf last = channel.readOutbound();
        assertEquals("full", last.toString(StandardCharsets.US_ASCII));
        last.release();
        assertEquals(List.of(), proceeded);
        channel.finishAndReleaseAll();
    }
}

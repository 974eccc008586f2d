package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A socket goes dark and hears again, between two real ends over loopback. */
final class PacketDropTest {

    private Wires wires;

    @BeforeEach
    void connect() throws Exception {
        wires = new Wires();
    }

    @AfterEach
    void close() {
        wires.close();
    }

    @Test
    void fall_peerWrites_staysUnacknowledgedUntilLifted() throws Exception {
        wires.peerWrites("before");
        wires.awaitHeard("before");

        assertTrue(wires.onLoop(() -> PacketDrop.fall(wires.device())));
        wires.peerWrites("while dark");
        wires.awaitPeer("it sends again", info -> info.retransmits() > 0);
        assertTrue(wires.peerInfo().unacked() > 0);
        assertEquals("before", wires.heard());
        assertTrue(wires.device().isActive());

        assertTrue(wires.onLoop(() -> PacketDrop.lift(wires.device())));
        wires.awaitHeard("before" + "while dark");
        wires.awaitPeer("all is acknowledged", info -> info.unacked() == 0);
    }

    @Test
    void fall_peerEndsItsStream_reachesNobodyUntilLifted() throws Exception {
        assertTrue(wires.onLoop(() -> PacketDrop.fall(wires.device())));
        wires.peer().shutdownOutput().sync();
        wires.awaitPeer("its FIN goes out again", info -> info.retransmits() > 0);
        assertTrue(wires.device().isActive());

        assertTrue(wires.onLoop(() -> PacketDrop.lift(wires.device())));
        wires.awaitDeviceGone();
        assertNull(wires.failure());
    }

    @Test
    void fall_deviceWrites_stillReachesThePeer() throws Exception {
        assertTrue(wires.onLoop(() -> PacketDrop.fall(wires.device())));
        wires.deviceWrites("last words");
        wires.awaitPeerHeard("last words");
    }

    @Test
    void fallAndLift_repeated_areSaidAndChangeNothing() throws Exception {
        assertFalse(wires.onLoop(() -> PacketDrop.lift(wires.device())));
        assertTrue(wires.onLoop(() -> PacketDrop.fall(wires.device())));
        assertTrue(wires.onLoop(() -> PacketDrop.fall(wires.device())));
        assertTrue(wires.onLoop(() -> PacketDrop.lift(wires.device())));
        assertFalse(wires.onLoop(() -> PacketDrop.lift(wires.device())));
        wires.peerWrites("heard");
        wires.awaitHeard("heard");
    }

    @Test
    void fall_notEpollOrClosed_cannotBeHad() throws Exception {
        EmbeddedChannel embedded = new EmbeddedChannel();
        assertFalse(PacketDrop.fall(embedded));
        assertFalse(PacketDrop.lift(embedded));
        embedded.finishAndReleaseAll();
        NioSocketChannel nio = new NioSocketChannel();
        assertFalse(PacketDrop.fall(nio));
        nio.unsafe().closeForcibly();
        wires.device().close().sync();
        assertFalse(wires.onLoop(() -> PacketDrop.fall(wires.device())));
    }

    @Test
    void reset_open_reachesThePeerAsReset() throws Exception {
        wires.onLoop(() -> {
            DeviceConnection.abort(wires.device());
            DeviceConnection.abort(wires.device());
            return true;
        });
        wires.awaitDeviceGone();
        wires.awaitPeerGone();
        assertInstanceOf(IOException.class, wires.peerFailure());
    }

    @Test
    void reset_dark_reachesThePeerToo() throws Exception {
        assertTrue(wires.onLoop(() -> {
            boolean fell = PacketDrop.fall(wires.device());
            DeviceConnection.abort(wires.device());
            return fell;
        }));
        wires.awaitPeerGone();
        assertInstanceOf(IOException.class, wires.peerFailure());
    }
}

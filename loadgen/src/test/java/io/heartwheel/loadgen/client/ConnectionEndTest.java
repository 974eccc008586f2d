package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.ChannelException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;

/** Ends of connections: what the generator's own machine did is never the server's. */
final class ConnectionEndTest {

    @Test
    void ofConnectFailure_limitsOfThisMachine_areItsOwnAndHaveARemedy() {
        for (String message : new String[] {
            "connect(..) failed with error(-99): Cannot assign requested address: /127.0.0.1:7070",
            "bind(..) failed with error(-98): Address already in use",
            "newSocketStream(..) failed with error(-24): Too many open files",
            "accept: Too many open files in system",
            "connect(..) failed with error(-105): No buffer space available",
        }) {
            assertEquals(ConnectionEnd.OWN_FAILURE, ConnectionEnd.ofConnectFailure(new IOException(message)), message);
            assertFalse(ConnectionEnd.remedy(message).isEmpty(), message);
        }
        assertEquals(ConnectionEnd.OWN_FAILURE, ConnectionEnd.ofConnectFailure(new BindException()));
        assertEquals(ConnectionEnd.OWN_FAILURE, ConnectionEnd.ofConnectFailure(new ChannelException("no socket")));
        assertTrue(ConnectionEnd.remedy("Too many open files").contains("ulimit -n"));
        assertTrue(ConnectionEnd.remedy("Cannot assign requested address").contains("ip_local_port_range"));
    }

    @Test
    void ofConnectFailure_whatTheServerDid_isNotOurs() {
        for (String message : new String[] {"Connection refused", "Connection reset by peer", "timed out"}) {
            assertEquals(
                    ConnectionEnd.NOT_ACCEPTED, ConnectionEnd.ofConnectFailure(new ConnectException(message)), message);
        }
    }

    /** Seen: with close = any a second connection for which no port was left was a takeover gone wrong. */
    @Test
    void accepts_ownFailure_isNoWayInWhichAServerEndsAConnection() {
        for (AllowedEnds ends : new AllowedEnds[] {AllowedEnds.ANY, AllowedEnds.WORDLESS, AllowedEnds.NONE}) {
            assertFalse(ends.accepts(ConnectionEnd.OWN_FAILURE, 0), ends::text);
        }
        assertTrue(AllowedEnds.ANY.accepts(ConnectionEnd.VIOLATION, 0));
        assertTrue(AllowedEnds.ANY.accepts(ConnectionEnd.NOT_ACCEPTED, 0));
    }
}

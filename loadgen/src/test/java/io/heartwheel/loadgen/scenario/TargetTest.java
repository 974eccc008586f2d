package io.heartwheel.loadgen.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heartwheel.loadgen.client.Tls;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels of targets, and TLS in them. */
final class TargetTest {

    private static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 7070);

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "ws", "plain", "raw", "raw-ws", "tcp+tls", "ws+tls", "plain+tls"})
    void labelled_everyLabel_isToldAgain(String label) {
        Target target = Target.labelled(label, Tls.DEFAULT, ADDRESS, "/ws", 1);
        assertEquals(label + "=127.0.0.1:7070", target.label());
    }

    @Test
    void labelled_withTls_keepsItThroughOtherChanges() {
        Target target = Target.labelled("ws+tls", Tls.DEFAULT, ADDRESS, "/ws", 1);
        assertEquals(Protocol.WS, target.protocol());
        assertSame(Tls.DEFAULT, target.withScript(target.script()).tls());
        assertNull(Target.labelled("ws", Tls.DEFAULT, ADDRESS, "/ws", 1).tls());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp", "+tls", "tcp+ssl", "tcp+tls+tls", ""})
    void labelled_unknown_isRefused(String label) {
        assertThrows(IllegalArgumentException.class, () -> Target.labelled(label, Tls.DEFAULT, ADDRESS, "/ws", 1));
    }
}

package io.heartwheel.protocol.websocket;

import io.heartwheel.fuzz.Delivery;
import io.heartwheel.fuzz.Octets;
import java.nio.charset.StandardCharsets;

/** Any bytes instead of an upgrade request: answered at most once, with a status that the gateway uses, and nothing is left behind. */
public final class UpgradeFuzz {
    private UpgradeFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        Octets octets = new Octets(input);
        int choice = octets.next();
        byte[] stream = octets.rest();
        WebSocketBench bench = new WebSocketBench();
        Delivery delivery = new Delivery();
        UpgradeConnection.install(
                delivery.channel(),
                bench.sessionContext,
                WebSocketBench.MAX_PAYLOAD,
                (choice & 1) == 0 ? WebSocketBench.PLAIN : WebSocketBench.COMPRESSED,
                WebSocketBench.notForwarded(),
                new PlainRequests(bench.gateway::now),
                1,
                bench.gateway.now());
        if (choice < 2) {
            delivery.whole(stream);
        } else {
            delivery.split(stream, choice >>> 1);
        }
        String out = new String(delivery.end(), StandardCharsets.ISO_8859_1);
        int answers = out.split("HTTP/1\\.1 (?=[0-9]{3} )", -1).length - 1;
        boolean known = out.isEmpty() || out.matches("(?s)HTTP/1\\.1 (101|200|400|401|403|404|408|414|426|431|503) .*");
        if (answers > 1 || !known) {
            throw new AssertionError(out);
        }
        if (bench.gateway.closed.size() != 1 || bench.sessionContext.stats().unfinishedBytes() != 0) {
            throw new AssertionError(
                    bench.gateway.closed + ", " + bench.sessionContext.stats().unfinishedBytes() + " bytes held");
        }
    }
}

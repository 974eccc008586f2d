package io.heartwheel.protocol.websocket;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.fuzz.Delivery;
import io.heartwheel.fuzz.Octets;
import io.heartwheel.session.VirtualGateway;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Any bytes behind an upgrade, plain, JSON or with frames in it, compressed or not: bytes as they are, or a list of frames so that the mask does not hide
 * everything. However it is cut it means the same, ends once, and leaves nothing behind.
 */
public final class WebSocketFuzz {
    private static final int COMPRESSED = 1;
    private static final int FRAMES = 2;
    private static final int RAW = 4;
    private static final int JSON = 8;

    private WebSocketFuzz() {}

    private record Outcome(List<String> messages, List<VirtualGateway.Closed> closed, String out) {}

    public static void fuzzerTestOneInput(byte[] input) {
        Octets octets = new Octets(input);
        int choice = octets.next();
        int seed = octets.next();
        byte[] stream = (choice & RAW) != 0 ? octets.rest() : frames(octets);
        Outcome whole = outcome(choice, stream, -1);
        Outcome split = outcome(choice, stream, seed);
        if (!whole.equals(split)) {
            throw new AssertionError("whole: " + whole + "\nsplit: " + split);
        }
    }

    /** First byte, a length, the payload; and so on. */
    private static byte[] frames(Octets octets) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        while (octets.hasMore()) {
            int first = octets.next();
            stream.writeBytes(ClientFrame.of(first, octets.take(octets.next())).array());
        }
        return stream.toByteArray();
    }

    private static Outcome outcome(int choice, byte[] stream, int seed) {
        WebSocketBench bench = new WebSocketBench();
        bench.echoes = true;
        boolean frames = (choice & FRAMES) != 0;
        Delivery delivery = new Delivery();
        UpgradeConnection.install(
                delivery.channel(),
                bench.sessionContext,
                WebSocketBench.MAX_PAYLOAD,
                (choice & COMPRESSED) != 0 ? WebSocketBench.COMPRESSED : WebSocketBench.PLAIN,
                WebSocketBench.notForwarded(),
                new PlainRequests(bench.gateway::now),
                1,
                bench.gateway.now());
        delivery.whole(request(choice));
        if ((frames && (seed & 1) == 0 && seed >= 0) || (frames && seed < 0)) {
            delivery.whole(ClientFrame.binary(WebSocketBench.HELLO).array());
        } else if (frames) {
            delivery.split(ClientFrame.binary(WebSocketBench.HELLO).array(), seed);
        }
        if (seed < 0) {
            delivery.whole(stream);
        } else {
            delivery.split(stream, seed);
        }
        long held = bench.sessionContext.stats().unfinishedBytes();
        if (held > 4L * Deflate.maxDeflatedBytes(WebSocketBench.MAX_PAYLOAD) + stream.length) {
            throw new AssertionError(held + " bytes held");
        }
        byte[] out = delivery.end();
        if (bench.gateway.closed.size() != 1 || bench.sessionContext.stats().unfinishedBytes() != 0) {
            throw new AssertionError(
                    bench.gateway.closed + ", " + bench.sessionContext.stats().unfinishedBytes() + " bytes held");
        }
        return new Outcome(
                bench.messages().stream().map(WebSocketFuzz::told).toList(),
                bench.gateway.closed,
                HexFormat.of().formatHex(out));
    }

    private static byte[] request(int choice) {
        String extension = "Sec-WebSocket-Extensions: permessage-deflate";
        String json = (choice & JSON) != 0 ? WebSocketBench.JSON : "Sec-WebSocket-Protocol: heartwheel.plain";
        var request = (choice & FRAMES) != 0
                ? WebSocketBench.request("/ws", extension, WebSocketBench.FRAMES)
                : WebSocketBench.request("/ws/dev-1", extension, json);
        byte[] bytes = new byte[request.readableBytes()];
        request.readBytes(bytes).release();
        return bytes;
    }

    private static String told(ConnectionEvent.Message message) {
        if (message.payload().length > WebSocketBench.MAX_PAYLOAD) {
            throw new AssertionError("a message of " + message.payload().length + " bytes");
        }
        return message.messageId() + " " + message.text() + " " + Arrays.hashCode(message.payload());
    }
}

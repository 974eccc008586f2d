package io.heartwheel.protocol.frame;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.fuzz.Delivery;
import io.heartwheel.fuzz.Octets;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A stream of frames over TCP: the same result however it is cut, one end, and nothing left behind. */
public final class FramesFuzz {
    private static final int MAX_PAYLOAD = 1_024;
    private static final byte[] HELLO =
            HexFormat.of().parseHex("0100001948570100000000000000000000000000056465762d31000000");

    private FramesFuzz() {}

    /** Result of a stream. */
    private record Outcome(List<String> events, List<VirtualGateway.Closed> closed, String out) {}

    public static void fuzzerTestOneInput(byte[] input) {
        Octets octets = new Octets(input);
        boolean welcome = (octets.next() & 1) == 0;
        int seed = octets.next();
        byte[] stream = octets.rest();
        Outcome whole = outcome(welcome, stream, -1);
        Outcome split = outcome(welcome, stream, seed);
        if (!whole.equals(split)) {
            throw new AssertionError("whole: " + whole + "\nsplit: " + split);
        }
    }

    private static Outcome outcome(boolean welcome, byte[] stream, int seed) {
        VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
        SessionContext sessionContext = gateway.sessionContext;
        FrameConnection connection = new FrameConnection(sessionContext, MAX_PAYLOAD);
        Delivery delivery = new Delivery();
        delivery.channel().pipeline().addLast(connection);
        connection.start(1, gateway.now());
        if (welcome) {
            delivery.whole(HELLO);
        }
        if (seed < 0) {
            delivery.whole(stream);
        } else {
            delivery.split(stream, seed);
        }
        long held = sessionContext.stats().unfinishedBytes();
        if (held > 2L * FrameType.maxFrameBytes(MAX_PAYLOAD) + stream.length) {
            throw new AssertionError(held + " bytes held");
        }
        byte[] out = delivery.end();
        if (gateway.closed.size() != 1 || sessionContext.stats().unfinishedBytes() != 0) {
            throw new AssertionError(
                    gateway.closed + ", " + sessionContext.stats().unfinishedBytes() + " bytes held");
        }
        List<String> events = gateway.events.stream().map(FramesFuzz::told).toList();
        return new Outcome(events, gateway.closed, HexFormat.of().formatHex(out));
    }

    private static String told(ConnectionEvent event) {
        return event instanceof ConnectionEvent.Message message
                ? message.messageId() + " " + message.text() + " " + Arrays.hashCode(message.payload())
                : event.getClass().getSimpleName();
    }
}

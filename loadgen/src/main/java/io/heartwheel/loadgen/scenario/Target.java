package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.FrameDialect;
import io.heartwheel.loadgen.client.PlainDialect;
import io.heartwheel.loadgen.client.RawDialect;
import io.heartwheel.loadgen.client.RawWsDialect;
import io.heartwheel.loadgen.client.Script;
import io.heartwheel.loadgen.client.WsFrameDialect;
import java.net.InetSocketAddress;

/**
 * Where some of the devices connect, and how they speak there.
 *
 * @param path request path for the WebSocket protocols
 * @param weight share of the devices, against the other targets' weights
 * @param script for the raw protocols
 */
public record Target(Protocol protocol, InetSocketAddress address, String path, double weight, Script script) {

    private static final Script NOTHING = new Script(new byte[0], 0, new byte[0], 0);

    /** A target that speaks Heartwheel. */
    public static Target of(Protocol protocol, InetSocketAddress address, String path, double weight) {
        return new Target(protocol, address, path, weight, NOTHING);
    }

    /** The same target with another weight. */
    public Target withWeight(double other) {
        return new Target(protocol, address, path, other, script);
    }

    /** The same target with a script. */
    public Target withScript(Script other) {
        return new Target(protocol, address, path, weight, other);
    }

    /** Protocol and address, for example {@code tcp=127.0.0.1:7070}. */
    public String label() {
        return protocol.label() + "=" + address.getHostString() + ":" + address.getPort();
    }

    /** A dialect for it; one serves all devices. */
    public Dialect dialect() {
        String host = address.getHostString() + ":" + address.getPort();
        switch (protocol) {
            case TCP:
                return new FrameDialect();
            case WS:
                return new WsFrameDialect(host, path);
            case PLAIN:
                return new PlainDialect(host, path);
            case RAW:
                return new RawDialect(script);
            default:
                return new RawWsDialect(host, path, script);
        }
    }
}

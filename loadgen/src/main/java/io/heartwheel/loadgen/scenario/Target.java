package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.FrameDialect;
import io.heartwheel.loadgen.client.PlainDialect;
import io.heartwheel.loadgen.client.RawDialect;
import io.heartwheel.loadgen.client.RawWsDialect;
import io.heartwheel.loadgen.client.Script;
import io.heartwheel.loadgen.client.Tls;
import io.heartwheel.loadgen.client.WsFrameDialect;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where some of the devices connect, and how they speak there.
 *
 * @param tls how it is secured; null: not at all
 * @param path request path for the WebSocket protocols
 * @param weight share of the devices, against the other targets' weights
 * @param script for the raw protocols
 */
public record Target(
        Protocol protocol, @Nullable Tls tls, InetSocketAddress address, String path, double weight, Script script) {

    private static final String OVER_TLS = "+tls";

    private static final Script NOTHING = new Script(new byte[0], 0, new byte[0], 0);

    /** A target that speaks Heartwheel. */
    public static Target of(Protocol protocol, InetSocketAddress address, String path, double weight) {
        return new Target(protocol, null, address, path, weight, NOTHING);
    }

    /**
     * A target with a protocol label that may end in {@code +tls}.
     *
     * @param tls used if it does
     * @throws IllegalArgumentException naming the accepted labels
     */
    public static Target labelled(String label, Tls tls, InetSocketAddress address, String path, double weight) {
        boolean secured = label.endsWith(OVER_TLS);
        String protocol = secured ? label.substring(0, label.length() - OVER_TLS.length()) : label;
        Target target = of(Protocol.of(protocol), address, path, weight);
        return secured ? target.withTls(tls) : target;
    }

    /** The same target over TLS. */
    public Target withTls(Tls other) {
        return new Target(protocol, other, address, path, weight, script);
    }

    /** The same target with a script. */
    public Target withScript(Script other) {
        return new Target(protocol, tls, address, path, weight, other);
    }

    /** Protocol and address, for example {@code tcp=127.0.0.1:7070} or {@code ws+tls=localhost:7443}. */
    public String label() {
        return protocol.label() + (tls == null ? "" : OVER_TLS) + "=" + Addresses.text(address);
    }

    /** A dialect for it; one serves all devices. */
    public Dialect dialect() {
        String host = Addresses.text(address);
        return switch (protocol) {
            case TCP -> new FrameDialect();
            case WS -> new WsFrameDialect(host, path);
            case PLAIN -> new PlainDialect(host, path);
            case RAW -> new RawDialect(script);
            default -> new RawWsDialect(host, path, script);
        };
    }
}

package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.AllowedEnds;
import io.heartwheel.loadgen.client.HeartwheelDialect;
import io.heartwheel.loadgen.client.RawDialect;
import io.heartwheel.loadgen.client.RawScript;
import io.heartwheel.loadgen.client.ServerContract;
import io.heartwheel.loadgen.client.Timeouts;
import io.heartwheel.loadgen.client.Tls;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the targets of one scenario: where each is, how devices speak there, and what its server is held to.
 *
 * @param general what the scenario's {@code contract} says of all servers
 * @param defaultAddress of targets that name none; may be empty
 * @param echo whether devices expect their own messages back
 */
record TargetReader(UnaryOperator<ServerContract> general, String defaultAddress, boolean echo) {

    private static final String OVER_TLS = "+tls";

    Target target(Block block) {
        String label = block.text("protocol", Protocol.TCP.label());
        boolean secured = label.endsWith(OVER_TLS);
        Protocol protocol = protocol(block, secured ? label.substring(0, label.length() - OVER_TLS.length()) : label);
        InetSocketAddress address = address(block);
        double weight = block.number("weight", 1, 0, 1e9);
        Tls tls = tls(block.in("tls"));
        ServerContract usual = promised(protocol, block.has("messages"));
        ServerContract contract = ContractReader.changes(block.in("contract")).apply(general.apply(usual));
        boolean assumed = contract.equals(usual) && !protocol.promises();
        return new Target(protocol, secured ? tls : null, address, weight, speech(protocol, block), contract, assumed);
    }

    private static Protocol protocol(Block block, String label) {
        return Protocol.of(label).orElseGet(() -> {
            block.wrong("protocol", Protocol.need(label));
            return Protocol.TCP;
        });
    }

    private InetSocketAddress address(Block block) {
        return Addresses.of(block.text("address", defaultAddress), 1).orElseGet(() -> {
            block.wrong("address", Addresses.need(1));
            return new InetSocketAddress("127.0.0.1", 1);
        });
    }

    /** What the servers of a protocol do of which the scenario says nothing. */
    private static ServerContract promised(Protocol protocol, boolean described) {
        ServerContract heartwheel = ServerContract.heartwheel(ContractReader.TIMEOUTS);
        return switch (protocol) {
            case TCP, WS -> heartwheel;
            case PLAIN -> described ? unknown().closingBy(AllowedEnds.ANY) : heartwheel;
            case RAW -> heartwheel.closingBy(AllowedEnds.WORDLESS);
            case FRAMED -> unknown().closingBy(AllowedEnds.WORDLESS);
            case RAW_WS -> heartwheel.closingBy(AllowedEnds.ANY);
            case MQTT, MQTT5 ->
                ServerContract.mqtt(protocol == Protocol.MQTT5, ContractReader.TIMEOUTS.handshakeNanos());
        };
    }

    /** A server of which nobody said what other deadlines it has. */
    private static ServerContract unknown() {
        return ServerContract.heartwheel(new Timeouts(Timeouts.NEVER, Timeouts.NEVER, 128, Timeouts.NEVER));
    }

    /** How devices speak there. Each protocol reads its own keys of the target. */
    private Target.Speech speech(Protocol protocol, Block block) {
        String path = block.text("path", "/ws");
        return switch (protocol) {
            case TCP -> host -> new HeartwheelDialect();
            case WS -> host -> new HeartwheelDialect(host, path);
            case PLAIN -> WsRequestReader.speech(block, path);
            case FRAMED -> FramedReader.speech(block.in("framed"));
            case RAW, RAW_WS -> {
                RawScript script = script(block.in("script"));
                yield host -> protocol == Protocol.RAW ? new RawDialect(script) : new RawDialect(script, host, path);
            }
            case MQTT, MQTT5 -> MqttReader.speech(block, protocol == Protocol.MQTT5, echo);
        };
    }

    private static Tls tls(Block block) {
        Path trust = file(block, "trust-file");
        boolean insecure = block.flag("insecure", false);
        Path certificate = file(block, "certificate-file");
        Path key = file(block, "key-file");
        String serverName = block.text("server-name", "");
        return block.made("insecure", () -> new Tls(trust, insecure, certificate, key, serverName), Tls.DEFAULT);
    }

    private static @Nullable Path file(Block block, String key) {
        String name = block.text(key, "");
        return name.isEmpty() ? null : Path.of(name).toAbsolutePath();
    }

    private static RawScript script(Block block) {
        String hello = block.text("hello", "");
        String ping = block.text("ping", "");
        int helloReply = block.integer("hello-reply", 0, 0, 1 << 20);
        int pingReply = block.integer("ping-reply", 0, 0, 1 << 20);
        try {
            return RawScript.hex(hello, helloReply, ping, pingReply);
        } catch (IllegalArgumentException e) {
            block.wrong("hello", "need pairs of hexadecimal digits, here and in ping");
            return RawScript.hex("", 0, "", 0);
        }
    }
}

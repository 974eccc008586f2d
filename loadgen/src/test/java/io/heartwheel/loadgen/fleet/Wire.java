package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.fake.BrokerFault;
import io.heartwheel.loadgen.fake.Certificates;
import io.heartwheel.loadgen.fake.FakeBroker;
import io.heartwheel.loadgen.fake.FakeGateway;
import io.heartwheel.loadgen.fake.FakeServer;
import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.fake.FramedFault;
import io.heartwheel.loadgen.fake.FramedServer;
import io.heartwheel.loadgen.fake.FramedWire;
import java.util.List;
import java.util.function.Supplier;

/** Protocols of trials: how a toy server of each is started, and a scenario's target for it. */
enum Wire {
    /** Heartwheel over TCP and WebSocket. */
    HEARTWHEEL,
    /** Heartwheel over TCP alone. */
    TCP,
    /** Plain WebSocket. */
    PLAIN,
    MQTT,
    MQTT5,
    /** MQTT 5 through TLS. */
    MQTT5_TLS,
    JT808(
            "id = \"0139{number:8}\"",
            """
            framing { delimiter = "7e", escape { "7e" = "7d02", "7d" = "7d01" } }
            frame = "{type} {length:u16:body} {id:bcd:6} {counter:u16} {body} {xor}"
            answer-frame = "{type} {length:u16:body} {id:bcd:6} {any:2} {body} {xor}"
            hello = [
              { send = "0100 | 0000 0000 'HWHW1' {any:20} '0000001' 00", expect = "8100 | {counter:u16} 00 {auth=any}" }
              { send = "0102 | {auth}", expect = "8001 | {counter:u16} 0102 00", refused = "8001 | {counter:u16} 0102 {code:u8}" }
            ]
            heartbeat { send = "0002 |", expect = "8001 | {counter:u16} 0002 00" }
            message {
              send = "0900 | {payload}", expect = "8001 | {counter:u16} 0900 00", refused = "8001 | {counter:u16} 0900 01"
              echo = "8900 | {counter:u16} {payload}"
            }
            leave = "0003 |"
            """),
    LENGTH(
            "id = \"dev{number:5}\", counter = 1",
            """
            framing { length { bytes = 4, little-endian = true, adjust = -4 }, most = 32KiB }
            frame = "{length:u32le:frame} {type} {counter:u32le} {id:text:8} {body} {crc32:le}"
            hello = [{ send = "01 |", expect = "81 |", refused = "c1 |" }]
            heartbeat { send = "02 |", expect = "82 |" }
            message { send = "03 | {payload}", expect = "83 |", refused = "c3 |", echo = "a0 | {payload}" }
            leave = "04 |"
            """),
    LINES(
            "counter = 1",
            """
            framing { lines = crlf, most = 32KiB }
            hello = [{ send = "'LOGIN '{id}", expect = "'WELCOME '{id}' every '{interval-s:text}", refused = "'DENIED '{code:text}" }]
            heartbeat { send = "'PING'", expect = "'PONG'" }
            message { send = "'MSG '{counter:text}' '{payload:hex}", expect = "'ACK '{counter:text}", refused = "'NAK '{counter:text}"
              echo = "'MSG '{counter:text}' '{payload:hex}" }
            leave = "'QUIT'"
            """),
    /** The same lines, in text messages of a plain WebSocket. */
    WEB(
            "counter = 1",
            """
            hello = [{ send = "'LOGIN '{id}", expect = "'WELCOME '{id}' every '{interval-s:text}", refused = "'DENIED '{code:text}" }]
            heartbeat { send = "'PING'", expect = "'PONG'" }
            message { send = "'MSG '{counter:text}' '{payload:hex}", expect = "'ACK '{counter:text}", refused = "'NAK '{counter:text}"
              echo = "'MSG '{counter:text}' '{payload:hex}" }
            """);

    /** Of framed protocols, and of described messages of a WebSocket. */
    private final String description;

    Wire() {
        description = "";
    }

    Wire(String id, String description) {
        this.description = id + "\n" + description;
    }

    boolean mqtt() {
        return name().startsWith("MQTT");
    }

    /** A server of the protocol, whose connections take the faults in turn; those of others are none. */
    FakeServer start(List<? extends Enum<?>> faults) throws Exception {
        return switch (this) {
            case HEARTWHEEL, TCP, PLAIN -> new FakeGateway(only(Fault.NONE, faults), null);
            case MQTT, MQTT5 -> new FakeBroker(only(BrokerFault.NONE, faults), null);
            case MQTT5_TLS -> new FakeBroker(only(BrokerFault.NONE, faults), Certificates.ofServer());
            case JT808 -> framed(FramedWire.Jt808::new, faults);
            case LENGTH -> framed(FramedWire.LengthField::new, faults);
            case LINES, WEB -> framed(FramedWire.Lines::new, faults);
        };
    }

    private FakeServer framed(Supplier<FramedWire> wire, List<? extends Enum<?>> faults) throws InterruptedException {
        return new FramedServer(wire, only(FramedFault.NONE, faults), 0, FramedServer.SILENCE_MILLIS, this == WEB);
    }

    /** These faults, if they are of that kind. */
    static <F extends Enum<F>> List<F> only(F none, List<? extends Enum<?>> faults) {
        Class<F> type = none.getDeclaringClass();
        return !faults.isEmpty() && faults.stream().allMatch(type::isInstance)
                ? faults.stream().map(type::cast).toList()
                : List.of(none);
    }

    /** The scenario's targets. */
    String targets(FakeServer server, String more) {
        if (server instanceof FakeGateway gateway) {
            String tcp = target("tcp", gateway.tcp().getPort(), more);
            return "targets = ["
                    + switch (this) {
                        case TCP -> tcp;
                        case PLAIN -> target("plain", gateway.plain().getPort(), more);
                        default -> tcp + ", " + target("ws", gateway.webSocket().getPort(), more);
                    }
                    + "]\n";
        }
        if (server instanceof FakeBroker broker) {
            return "targets = ["
                    + target(
                            this == MQTT ? "mqtt" : this == MQTT5 ? "mqtt5" : "\"mqtt5+tls\"",
                            broker.address().getPort(),
                            more + ", tls.insecure = " + (this == MQTT5_TLS))
                    + "]\n";
        }
        String keys = this == WEB
                ? "protocol = plain, path = \"/devices/{id}?key=k-{id}\", headers { X-Device = \"{id}\" }, subprotocol = lines.v2, messages {"
                : "protocol = framed, framed {";
        return "targets = [{ address = \"127.0.0.1:" + ((FramedServer) server).port() + "\"\n"
                + "contract { interval = 1s, grace = 1.5, close = " + (this == WEB ? "4321" : "fin")
                + ", handshake = 2s, read-progress { timeout = 1s, min-rate = 1MiB } }\n"
                + keys + "\n" + description + "}\n}]\n";
    }

    /** How pushes are published to a broker. */
    String publishing(FakeServer server) {
        return server instanceof FakeBroker broker
                ? "downlink.mqtt { address = \"127.0.0.1:" + broker.address().getPort()
                        + "\", topic = \"push/{id}\" }\n"
                : "";
    }

    private static String target(String protocol, int port, String more) {
        return "{ protocol = " + protocol + ", address = \"127.0.0.1:" + port + "\" " + more + " }";
    }
}

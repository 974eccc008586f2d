package io.heartwheel.baseline;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * What TLS costs the gateway, by provider and beside a listener in the clear: memory of an idle connection, processor time and rate of full
 * handshakes. Each rival is a gateway of its own with the same virtual machine; for the handshakes all of them stand ready and take turns, A B C A B C.
 *
 * <p>TLS 1.3, a P-256 certificate, no session resumed. A handshake here is all that it takes to come in: accept, TLS, HELLO, WELCOME.
 */
final class TlsTrial {
    private static final int DAY_MILLIS = 86_400_000;
    private static final int WARM_UP_TIMES = 12;
    private static final int WARM_UP_CONNECTIONS = 500;
    private static final int AS_FAST_AS_CAN_BE = 1_000_000;
    private static final String CLIENTS = "TLSv1.3";

    private final Stage.Settings settings;
    private final Load load;

    /** Who is measured. */
    enum Rival {
        CLEAR("in the clear"),
        BORINGSSL("BoringSSL"),
        JDK("the JDK's provider");

        final String title;

        Rival(String title) {
            this.title = title;
        }
    }

    /**
     * How much is asked.
     *
     * @param connections idle ones of the memory trial
     * @param handshakes of one turn
     * @param rounds turns of each rival
     */
    record Load(int connections, int handshakes, int rounds) {}

    /** Bytes of an idle connection: live heap, and what of resident memory grew beside a heap that was resident before. */
    record Memory(double heapBytes, double outsideBytes) {}

    /** One turn. */
    record Turn(Rival rival, int handshakes, double cpuMicrosEach, double perSecond) {}

    /** All that was seen. */
    record Result(Load load, Map<Rival, Memory> memory, List<Turn> turns) {
        double median(Rival rival, ToDoubleFunction<Turn> figure) {
            double[] sorted = turns.stream()
                    .filter(turn -> turn.rival() == rival)
                    .mapToDouble(figure)
                    .sorted()
                    .toArray();
            int half = sorted.length / 2;
            return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        }

        String text() {
            StringBuilder text = new StringBuilder(String.format(
                    Locale.ROOT,
                    "%nTLS 1.3, P-256: %,d idle connections; %d turns of %,d full handshakes each, medians%n%-22s %14s %12s %18s %14s %12s%n",
                    load.connections(),
                    load.rounds(),
                    load.handshakes(),
                    "a connection",
                    "live heap B",
                    "outside B",
                    "CPU us to come in",
                    "of it TLS",
                    "a second"));
            double clearMicros = median(Rival.CLEAR, Turn::cpuMicrosEach);
            for (Rival rival : Rival.values()) {
                double micros = median(rival, Turn::cpuMicrosEach);
                text.append(String.format(
                        Locale.ROOT,
                        "%-22s %14.0f %12.0f %18.0f %14.0f %12.0f%n",
                        rival.title,
                        memory.get(rival).heapBytes(),
                        memory.get(rival).outsideBytes(),
                        micros,
                        micros - clearMicros,
                        median(rival, Turn::perSecond)));
            }
            return text.append(
                            "Clients and gateways share the processors: \"a second\" is what both together come to.\n")
                    .toString();
        }
    }

    TlsTrial(Stage.Settings settings, Load load) {
        this.settings = settings;
        this.load = load;
    }

    Result run() throws Exception {
        Map<Rival, Memory> memory = new EnumMap<>(Rival.class);
        for (Rival rival : Rival.values()) {
            try (Stage stage = open(rival, "memory")) {
                memory.put(rival, memory(stage));
            }
        }
        return new Result(load, memory, turns());
    }

    private Memory memory(Stage stage) throws Exception {
        int descriptors = stage.server().descriptors();
        warmUp(stage, descriptors);
        ClassHistogram empty = stage.server().histogram();
        long emptyResident = stage.server().residentBytes();
        stage.gather(load.connections(), AS_FAST_AS_CAN_BE);
        TimeUnit.MILLISECONDS.sleep(500);
        long resident = stage.server().residentBytes();
        ClassHistogram full = stage.server().histogram();
        return new Memory(
                (double) (full.bytes() - empty.bytes()) / load.connections(),
                (double) (resident - emptyResident) / load.connections());
    }

    private void warmUp(Stage stage, int descriptors) throws Exception {
        for (int i = 0; i < WARM_UP_TIMES; i++) {
            stage.gather(Math.min(WARM_UP_CONNECTIONS, load.handshakes()), AS_FAST_AS_CAN_BE);
            stage.scatter(descriptors);
        }
    }

    private List<Turn> turns() throws Exception {
        List<Turn> turns = new ArrayList<>();
        Map<Rival, Stage> stages = new EnumMap<>(Rival.class);
        try {
            for (Rival rival : Rival.values()) {
                Stage stage = open(rival, "handshakes");
                stages.put(rival, stage);
                warmUp(stage, stage.server().descriptors());
            }
            for (int round = 0; round < load.rounds(); round++) {
                for (Rival rival : Rival.values()) {
                    turns.add(turn(rival, stages.get(rival)));
                }
            }
        } finally {
            stages.values().forEach(Stage::close);
        }
        return turns;
    }

    private Turn turn(Rival rival, Stage stage) throws Exception {
        int descriptors = stage.server().descriptors();
        Child.Cpu before = stage.server().cpu();
        long startNanos = System.nanoTime();
        stage.gather(load.handshakes(), AS_FAST_AS_CAN_BE);
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        Child.Cpu used = stage.server().cpu().since(before);
        stage.scatter(descriptors);
        return new Turn(
                rival, load.handshakes(), (double) used.micros() / load.handshakes(), load.handshakes() / seconds);
    }

    private Stage open(Rival rival, String what) throws Exception {
        String name = "tls-" + what + "-" + rival.name().toLowerCase(Locale.ROOT);
        Path ports = settings.directory().resolve(name + ".ports");
        Files.deleteIfExists(ports);
        List<String> arguments = new ArrayList<>(
                Side.GATEWAY_TCP.arguments(settings.transport(), settings.loops(), 0, ports.toString()));
        // a cold virtual machine on a busy processor is slow, not gone
        arguments.add("-Dheartwheel.handshake.timeout=60s");
        if (rival != Rival.CLEAR) {
            String tls = "-Dheartwheel.listeners.tcp.tls.";
            arguments.addAll(List.of(
                    tls + "enabled=true",
                    tls + "provider=" + rival.name().toLowerCase(Locale.ROOT),
                    tls + "certificate-file=" + fixture("ec.pem"),
                    tls + "key-file=" + fixture("ec.key")));
        }
        Child server = new Child(settings.jvm(), Side.GATEWAY_TCP.main(), arguments, log(name));
        try {
            Map<String, InetSocketAddress> addresses = server.ports(ports);
            Files.delete(ports);
            List<String> crowd = new ArrayList<>(List.of(
                    Side.GATEWAY_TCP.wire.name(),
                    Integer.toString(DAY_MILLIS),
                    Integer.toString(addresses.get(Side.GATEWAY_TCP.listener).getPort())));
            crowd.addAll(rival == Rival.CLEAR ? List.of() : List.of(CLIENTS));
            return new Stage(
                    Side.GATEWAY_TCP, server, new Child(Stage.CROWD_JVM, CrowdMain.class, crowd, log(name + "-crowd")));
        } catch (Exception failed) {
            server.close();
            throw failed;
        }
    }

    private Path log(String name) {
        return settings.directory().resolve(name + ".log");
    }

    private static Path fixture(String name) throws IOException {
        try {
            return Path.of(TlsTrial.class
                    .getResource("/io/heartwheel/transport/tls/" + name)
                    .toURI());
        } catch (java.net.URISyntaxException impossible) {
            throw new IOException(impossible);
        }
    }
}

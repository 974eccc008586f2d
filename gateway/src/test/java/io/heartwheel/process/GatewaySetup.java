package io.heartwheel.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Settings with which a {@link GatewayProcess} is started. Without more: one listener of each protocol, two event loops, no sink, a short drain. */
final class GatewaySetup {
    /** Quick to start on a busy machine; assertions on. */
    private static final List<String> QUICK =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-Xshare:auto", "-ea");

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final List<String> jvm = new ArrayList<>();
    private final List<String> command = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private String signals = "--default-signal=HUP,INT,TERM";
    private int descriptors;
    private int fileKibibytes;

    GatewaySetup() {
        set("listeners.tcp.bind", "127.0.0.1:0", "listeners.websocket.bind", "127.0.0.1:0");
        set("admin.bind", "127.0.0.1:0", "transport.event-loops", "2", "sink.kind", "none");
        set("shutdown.drain", "2s", "heartbeat.min", "100ms");
        jvm.addAll(QUICK);
        jvm("-Dio.netty.leakDetection.level=paranoid");
    }

    /** Key and value, one after the other, below {@code heartwheel}. */
    GatewaySetup set(Object... pairs) {
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put(pairs[i].toString(), pairs[i + 1].toString());
        }
        return this;
    }

    /** A listener with TLS, on a free port. */
    GatewaySetup tls(String listener, TestCertificates certificates) throws Exception {
        String key = "listeners." + listener;
        set(key + ".bind", "127.0.0.1:0", key + ".tls.enabled", "true");
        return set(key + ".tls.certificate-file", certificates.certificate("gateway"))
                .set(key + ".tls.key-file", certificates.key("gateway"));
    }

    /** More for the Java virtual machine. */
    GatewaySetup jvm(String... options) {
        jvm.addAll(List.of(options));
        return this;
    }

    /** More for the gateway. */
    GatewaySetup arguments(String... more) {
        arguments.addAll(List.of(more));
        return this;
    }

    /** A command of the gateway, for example {@code doctor}. */
    GatewaySetup command(String word) {
        command.add(word);
        return this;
    }

    /** A variable of its environment. */
    GatewaySetup environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** What {@code env} is to do with signals, whatever they are in this process. */
    GatewaySetup signals(String option) {
        signals = option;
        return this;
    }

    /** The process may have so many descriptors open. */
    GatewaySetup descriptors(int limit) {
        descriptors = limit;
        return this;
    }

    /** No file of the process may grow beyond this, as if the disk were full: the sink's, its log. */
    GatewaySetup filesOfAtMost(int kibibytes) {
        fileKibibytes = kibibytes;
        return this;
    }

    /** A gateway that listens. */
    GatewayProcess start() throws Exception {
        GatewayProcess gateway = launch();
        try {
            gateway.awaitPorts();
            return gateway;
        } catch (Exception | Error failed) {
            try (gateway) {
                throw failed;
            }
        }
    }

    /** A gateway that is expected to end by itself. */
    GatewayProcess.Outcome run() throws Exception {
        try (GatewayProcess gateway = launch()) {
            return gateway.outcome();
        }
    }

    private GatewayProcess launch() throws IOException {
        Path directory = Files.createTempDirectory("heartwheel-it-");
        Path config = Files.writeString(directory.resolve("gateway.conf"), config(directory.resolve("ports")));
        // whoever runs the tests by nohup or in the background of a shell has signals ignored, and hands that down
        List<String> line = new ArrayList<>(List.of("env", signals));
        if (descriptors > 0) {
            line.addAll(List.of("bash", "-c", "ulimit -n " + descriptors + "; exec \"$@\"", "bash"));
        }
        if (fileKibibytes > 0) {
            line.addAll(List.of("bash", "-c", "ulimit -f " + fileKibibytes + "; exec \"$@\"", "bash"));
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        line.add(java);
        // as heartwheel-gateway does; one that is not there or does not fit is passed over
        line.addAll(List.of(
                "-XX:SharedArchiveFile=" + jar().replaceFirst("\\.jar$", ".jsa"),
                "-Xlog:cds=off",
                "-Xlog:cds+dynamic=off"));
        // a killed process leaves its temporary files
        line.add("-Djava.io.tmpdir=" + directory);
        line.addAll(jvm);
        line.addAll(List.of("-jar", jar()));
        line.addAll(command);
        line.addAll(List.of("--config", config.toString()));
        line.addAll(arguments);
        return GatewayProcess.launch(line, environment, directory);
    }

    private static String jar() {
        String jar = System.getProperty("heartwheel.gateway.jar");
        if (jar == null || !Files.isRegularFile(Path.of(jar))) {
            throw new AssertionError("heartwheel.gateway.jar = " + jar + ": need the runnable jar, built by package");
        }
        return jar;
    }

    private String config(Path ports) {
        StringBuilder text = new StringBuilder();
        settings.forEach((key, value) -> text.append("heartwheel.")
                .append(key)
                .append(" = ")
                .append(inHocon(value))
                .append('\n'));
        return text.append("heartwheel.ports-file = ")
                .append(inHocon(ports.toString()))
                .append('\n')
                .toString();
    }

    /** Numbers, switches, lists and durations as they stand, the rest quoted. */
    private static String inHocon(String value) {
        return value.matches("[A-Za-z0-9_.]+|\\[.*]") ? value : '"' + value + '"';
    }
}

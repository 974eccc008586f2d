package io.heartwheel.loadgen.fuzz;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** One decoder under fire. The name is that of its class without the ending. */
public enum Target {
    WIRE("wire.WireFuzz"),
    WEB_SOCKET("wire.WebSocketFuzz"),
    MQTT("wire.MqttFuzz"),
    HANDSHAKE("wire.HandshakeFuzz"),
    PROMETHEUS_TEXT("measure.PrometheusTextFuzz"),
    SCENARIO("scenario.ScenarioFuzz"),
    RECORDING("scenario.RecordingFuzz"),
    LINE_CHANNEL("workers.LineChannelFuzz");

    private static final Path SEEDS = Path.of("src", "test", "resources", "fuzz");
    private static final String METHOD = "fuzzerTestOneInput";

    private final String className;

    Target(String name) {
        className = "io.heartwheel.loadgen." + name;
    }

    /** The class that Jazzer calls. */
    public String className() {
        return className;
    }

    /** Where its inputs are kept. */
    public Path seeds() {
        return SEEDS.resolve(className.substring(className.lastIndexOf('.') + 1).replace("Fuzz", ""));
    }

    /** All inputs that are kept, in order of their names. */
    public List<byte[]> inputs() throws IOException {
        List<byte[]> inputs = new ArrayList<>();
        try (Stream<Path> files = Files.list(seeds())) {
            for (Path file : files.sorted().toList()) {
                inputs.add(Files.readAllBytes(file));
            }
        }
        return inputs;
    }

    /**
     * Feeds it.
     *
     * @throws Throwable what it throws: a finding
     */
    public void feed(byte[] input) throws Throwable {
        handle().invoke(input);
    }

    private MethodHandle handle() throws ReflectiveOperationException {
        Method method = Class.forName(className).getDeclaredMethod(METHOD, byte[].class);
        return MethodHandles.lookup().unreflect(method);
    }
}

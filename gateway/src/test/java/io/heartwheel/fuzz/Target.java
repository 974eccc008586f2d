package io.heartwheel.fuzz;

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
    FRAMES("protocol.frame.FramesFuzz"),
    HELLO("protocol.frame.HelloFuzz"),
    UTF8("protocol.Utf8Fuzz"),
    PROXY("protocol.proxy.ProxyFuzz"),
    WEB_SOCKET("protocol.websocket.WebSocketFuzz"),
    DEFLATE("protocol.websocket.DeflateFuzz"),
    UPGRADE("protocol.websocket.UpgradeFuzz"),
    EXTENSION("protocol.websocket.ExtensionFuzz"),
    FORWARDED("protocol.websocket.ForwardedFuzz"),
    PROXY_HEADER("protocol.proxy.ProxyHeaderFuzz"),
    REQUEST_TARGET("protocol.websocket.RequestTargetFuzz"),
    ADMIN("admin.AdminFuzz"),
    CONFIG("config.ConfigFuzz"),
    UNITS("config.UnitsFuzz"),
    TOKEN_FILE("config.TokenFileFuzz"),
    BIND("transport.BindFuzz");

    private static final Path SEEDS = Path.of("src", "test", "resources", "fuzz");
    private static final String METHOD = "fuzzerTestOneInput";

    private final String className;

    Target(String name) {
        className = "io.heartwheel." + name;
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

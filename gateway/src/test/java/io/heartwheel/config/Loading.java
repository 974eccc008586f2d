package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.function.Executable;

/** Settings of a file and overrides that a test hands in, and the mistakes in them. */
final class Loading {
    private Loading() {}

    static GatewaySettings load(Path file, Map<String, String> properties, Map<String, String> environment)
            throws ConfigException {
        return ConfigLoader.read(file, properties, environment).settings();
    }

    static GatewaySettings load(Path file) throws ConfigException {
        return load(file, Map.of(), Map.of());
    }

    static GatewaySettings load(Map<String, String> properties) throws ConfigException {
        return load(null, properties, Map.of());
    }

    /** As a check does. */
    static GatewaySettings check(Path file) throws ConfigException {
        return ConfigLoader.check(file, Map.of(), Map.of()).settings();
    }

    /** The mistakes for which a configuration is refused. */
    static List<String> problems(Executable load) {
        return assertThrows(ConfigException.class, load).problems();
    }

    /** Writes the file gateway.conf. */
    static Path file(Path directory, String text) throws IOException {
        return Files.writeString(directory.resolve("gateway.conf"), text);
    }
}

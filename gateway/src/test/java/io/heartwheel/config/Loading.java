package io.heartwheel.config;

import java.nio.file.Path;
import java.util.Map;

/** Settings of a file and overrides that a test hands in. */
final class Loading {
    private Loading() {}

    static GatewaySettings load(Path file, Map<String, String> properties, Map<String, String> environment)
            throws ConfigException {
        return ConfigLoader.read(file, properties, environment).settings();
    }
}

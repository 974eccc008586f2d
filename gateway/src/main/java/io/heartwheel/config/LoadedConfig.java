package io.heartwheel.config;

import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.MethodSettings;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Configuration without mistakes: the settings, and the values by key that they were made from, so that two configurations can be compared key by key.
 * Immutable; any thread.
 */
public final class LoadedConfig {
    /** Source of the configuration: the same file, the same overrides each time. */
    @FunctionalInterface
    public interface Source {
        /**
         * Reads it anew.
         *
         * @throws ConfigException with everything that is wrong
         */
        LoadedConfig read() throws ConfigException;
    }

    private final GatewaySettings settings;
    private final SortedMap<String, ConfigValue> values;
    private final List<Path> files;

    /**
     * @param values by path below {@code heartwheel}
     * @param files that were read, the last of which has the last word
     */
    LoadedConfig(GatewaySettings settings, Map<String, ConfigValue> values, List<Path> files) {
        this.settings = settings;
        this.files = List.copyOf(files);
        SortedMap<String, ConfigValue> all = new TreeMap<>(values);
        // an address without a host means one that depends on another key, so it changes with that
        settings.listeners()
                .forEach(listener -> all.computeIfPresent(
                        FlatConfig.LISTENERS + "." + listener.name() + ".bind",
                        (key, value) -> ConfigValueFactory.fromAnyRef(
                                listener.bind().toString(), value.origin().description())));
        this.values = Collections.unmodifiableSortedMap(all);
    }

    /** All that it says, by owner. */
    public GatewaySettings settings() {
        return settings;
    }

    /** Files that were read, then variables and options that set a key, by their names; none for the built-in defaults alone. */
    public List<String> sources() {
        Stream<String> overrides = values.values().stream()
                .filter(Overrides::isOverride)
                .map(value -> value.origin().description())
                .distinct();
        return Stream.concat(files.stream().map(Path::toString), overrides).toList();
    }

    /** Where the shared token is read from; empty if there is none, or if it stands in the configuration itself. */
    private Optional<Path> tokenFile() {
        ConfigValue file = values.get("auth.token-file");
        boolean asked = settings.auth().mode() == AuthSettings.Mode.SHARED_TOKEN;
        return Optional.ofNullable(file)
                .map(value -> String.valueOf(value.unwrapped()))
                .filter(path -> asked && !path.isEmpty())
                .map(Path::of);
    }

    /**
     * Files that authentication reads, by their keys: that of the shared token, or those of the methods in use. Empty where none is named.
     */
    public SortedMap<String, Path> authFiles() {
        SortedMap<String, Path> files = new TreeMap<>();
        tokenFile().ifPresent(file -> files.put("auth.token-file", file));
        for (MethodSettings method : settings.auth().methods()) {
            String block = "auth." + method.method() + ".";
            values.forEach((key, value) -> {
                String path = String.valueOf(value.unwrapped());
                if (key.startsWith(block) && key.matches(".*[.-]file") && !path.isEmpty()) {
                    files.put(key, Path.of(path));
                }
            });
        }
        return files;
    }

    SortedMap<String, ConfigValue> values() {
        return values;
    }

    List<Path> files() {
        return files;
    }
}

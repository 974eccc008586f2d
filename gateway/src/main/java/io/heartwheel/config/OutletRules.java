package io.heartwheel.config;

import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.outlet.kafka.KafkaSettings;
import io.heartwheel.sink.SinkKind;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Rules between the keys of outlets, and for the files that they name. Notes every contradiction; one thread, once. */
final class OutletRules {
    private static final int MIN_SECRET = 16;
    private static final int MAX_SECRET = 1_024;

    private final Block root;
    /** Files that are written, by the path of the key that names them. */
    private final Map<String, Path> taken = new LinkedHashMap<>();

    OutletRules(Block root) {
        this.root = root;
        if (root.get("sink.kind") == SinkKind.FILE) {
            root.path("sink.file")
                    .ifPresent(
                            file -> taken.put("sink.file", file.toAbsolutePath().normalize()));
        }
        if (root.flag("trace.enabled")) {
            root.path("trace.file")
                    .ifPresent(file ->
                            taken.put("trace.file", file.toAbsolutePath().normalize()));
        }
    }

    /** @param names of all outlets, good or not */
    void check(Set<String> names) {
        if (names.size() > OutletSettings.MOST) {
            root.note("outlets: need at most " + OutletSettings.MOST + ", not " + names.size());
        }
        for (String name : names) {
            if (!OutletSettings.isName(name)) {
                root.note("outlets." + name + ": need a name of 1..32 characters of [a-z0-9-]");
            } else if (root.flag("outlets." + name + ".enabled")) {
                outlet("outlets." + name, root.in("outlets." + name));
            }
        }
    }

    private void outlet(String path, Block at) {
        if (at.texts("events").isEmpty()) {
            at.problem("events", "need at least one kind of events, or * for all");
        }
        switch ((OutletKind) at.get("kind")) {
            case CONSOLE -> {}
            case FILE -> file(path, at, "file", true);
            case WEBHOOK -> webhook(path, at);
            case KAFKA -> kafka(at);
        }
    }

    private void file(String path, Block at, String key, boolean required) {
        Optional<Path> file = at.path(key).map(each -> each.toAbsolutePath().normalize());
        if (file.isEmpty()) {
            if (required) {
                at.problem(key, "need a file with kind = file");
            }
            return;
        }
        at.needWritable(key);
        taken.entrySet().stream()
                .filter(other -> other.getValue().equals(file.get()))
                .findFirst()
                .ifPresent(
                        other -> at.problem(key, "need a file of its own, heartwheel." + other.getKey() + " has it"));
        taken.put(path + "." + key, file.get());
    }

    private void webhook(String path, Block at) {
        if (at.areGood("url") && at.written("url").isEmpty()) {
            at.problem("url", "need a URL with kind = webhook");
        }
        secret(at, "secret-file");
        secret(at, "old-secret-file");
        if (at.path("old-secret-file").isPresent() && at.path("secret-file").isEmpty()) {
            at.problem("secret-file", "need the new secret where old-secret-file is set");
        }
        Rules.authorities(at);
        file(path, at, "dead-letter.file", false);
    }

    /** No error shows it. */
    private static void secret(Block at, String key) {
        Optional<Path> file = at.readable(key, false);
        if (file.isPresent()) {
            int bytes = Rules.firstLine(file.get(), MAX_SECRET).length;
            if (bytes < MIN_SECRET || bytes > MAX_SECRET) {
                at.problem(key, "need a first line of 16..1024 bytes, not of " + bytes);
            }
        }
    }

    private static void kafka(Block at) {
        if (at.areGood("kafka.bootstrap") && !KafkaSettings.isBootstrap(at.text("kafka.bootstrap"))) {
            at.problem("kafka.bootstrap", "need host:port, port 1..65535, several with commas between");
        }
        if (at.areGood("kafka.topic") && !KafkaSettings.isTopic(at.text("kafka.topic"))) {
            at.problem("kafka.topic", "need 1..249 of A-Z a-z 0-9 . _ -, not . or ..");
        }
        if (at.areGood("timeout") && at.duration("timeout").compareTo(KafkaSettings.SHORTEST_TIMEOUT) < 0) {
            at.problem("timeout", "need at least 1s with kind = kafka");
        }
        at.readable("kafka.properties-file", false);
    }
}

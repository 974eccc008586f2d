package io.heartwheel.config;

import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.outlet.webhook.RequestHeaders;
import io.heartwheel.sink.SinkKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Rules between the keys of outlets, and for the files that they name. Notes every contradiction; one thread, once. A file that is missing or unusable is
 * noted only by a check: a gateway starts without it, and the outlet waits for it.
 */
final class OutletRules {
    private final Block root;
    private final boolean looks;
    /** Files that are written, by the path of the key that names them. */
    private final Map<String, Path> taken = new LinkedHashMap<>();

    /** @param looks whether the files are looked for */
    OutletRules(Block root, boolean looks) {
        this.root = root;
        this.looks = looks;
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
            case NATS -> NatsRules.check(at.in("nats"), "kind = nats", looks);
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
        if (looks) {
            at.needWritable(key);
        }
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
        content(at, "secret-file", RequestHeaders::secret);
        content(at, "old-secret-file", RequestHeaders::oldSecret);
        content(at, "headers-file", RequestHeaders::read);
        if (at.path("old-secret-file").isPresent() && at.path("secret-file").isEmpty()) {
            at.problem("secret-file", "need the new secret where old-secret-file is set");
        }
        if (looks) {
            Rules.authorities(at);
        }
        file(path, at, "dead-letter.file", false);
    }

    /** Reader of a file, whose message begins with the file's name and shows nothing of what is in it. */
    private interface Reading {
        Object of(Path file) throws IOException;
    }

    private void content(Block at, String key, Reading reading) {
        Optional<Path> file = looks ? at.readable(key, false) : Optional.empty();
        if (file.isPresent()) {
            try {
                reading.of(file.get());
            } catch (IOException e) {
                at.problem(key, String.valueOf(e.getMessage()).substring((file.get() + ": ").length()));
            }
        }
    }

    private void kafka(Block at) {
        if (at.areGood("kafka.bootstrap") && !OutletSettings.Kafka.isBootstrap(at.text("kafka.bootstrap"))) {
            at.problem("kafka.bootstrap", "need host:port, port 1..65535, several with commas between");
        }
        if (at.areGood("kafka.topic") && !OutletSettings.Kafka.isTopic(at.text("kafka.topic"))) {
            at.problem("kafka.topic", "need 1..249 of A-Z a-z 0-9 . _ -, not . or ..");
        }
        if (at.areGood("timeout") && at.duration("timeout").compareTo(OutletSettings.Kafka.SHORTEST_TIMEOUT) < 0) {
            at.problem("timeout", "need at least 1s with kind = kafka");
        }
        if (looks) {
            at.readable("kafka.properties-file", false);
        }
    }
}

package io.heartwheel.config;

import io.heartwheel.event.EventKind;
import io.heartwheel.nats.NatsServers;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.store.SyncPolicy;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Kind of an outlet, and what its keys mean. Any thread. */
enum OutletKind {
    CONSOLE,
    FILE,
    WEBHOOK,
    KAFKA,
    NATS;

    /** Stands for all kinds of events. */
    static final String ALL = "*";

    /** Settings of an outlet whose keys are good. */
    static OutletSettings settings(String name, Block at, UnaryOperator<Path> own) {
        OutletSettings.Target target =
                switch ((OutletKind) at.get("kind")) {
                    case CONSOLE -> new OutletSettings.Console();
                    case FILE -> file(at, own);
                    case WEBHOOK -> webhook(at, own);
                    case KAFKA ->
                        new OutletSettings.Kafka(
                                at.text("kafka.bootstrap"),
                                at.text("kafka.topic"),
                                at.path("kafka.properties-file").orElse(null),
                                at.duration("timeout"));
                    case NATS ->
                        new OutletSettings.Nats(
                                servers(at.in("nats")), at.text("nats.subject"), at.duration("timeout"));
                };
        return new OutletSettings(name, events(at.texts("events")), target);
    }

    private static OutletSettings.Target file(Block at, UnaryOperator<Path> own) {
        return new OutletSettings.ToFile(
                own.apply((Path) at.get("file")),
                at.bytes("rotate-bytes"),
                at.duration("rotate-every"),
                at.integer("keep-files"),
                (SyncPolicy) at.get("sync"));
    }

    private static OutletSettings.Target webhook(Block at, UnaryOperator<Path> own) {
        OutletSettings.@Nullable DeadLetter dead = at.path("dead-letter.file")
                .map(file -> new OutletSettings.DeadLetter(
                        own.apply(file), at.bytes("dead-letter.max-bytes"), at.integer("dead-letter.after")))
                .orElse(null);
        return new OutletSettings.Webhook(
                (URI) at.get("url"),
                at.path("secret-file").orElse(null),
                at.path("old-secret-file").orElse(null),
                at.path("headers-file").orElse(null),
                at.path("ca-file").orElse(null),
                at.duration("timeout"),
                (OutletSettings.ContentMode) at.get("content-mode"),
                at.text("media-type"),
                at.integer("max-batch"),
                at.bytes("max-bytes"),
                at.integer("partitions"),
                dead);
    }

    /** Servers of a block {@code nats} whose keys are good, of an outlet or of the cluster. */
    static NatsServers servers(Block nats) {
        return new NatsServers(
                nats.texts("servers"),
                nats.path("credentials-file").orElse(null),
                nats.path("ca-file").orElse(null),
                nats.path("certificate-file").orElse(null),
                nats.path("key-file").orElse(null));
    }

    /** Labels of all kinds of events. */
    static List<String> eventLabels() {
        return EventKind.all().stream().map(EventKind::label).toList();
    }

    private static Set<EventKind> events(List<String> labels) {
        return EventKind.all().stream()
                .filter(kind -> labels.contains(ALL) || labels.contains(kind.label()))
                .collect(Collectors.toSet());
    }
}

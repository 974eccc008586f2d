package io.heartwheel.config;

import static io.heartwheel.config.Key.blocks;
import static io.heartwheel.config.Key.choice;
import static io.heartwheel.config.Key.decimal;
import static io.heartwheel.config.Key.duration;
import static io.heartwheel.config.Key.durationOr;
import static io.heartwheel.config.Key.flag;
import static io.heartwheel.config.Key.integer;
import static io.heartwheel.config.Key.integerOr;
import static io.heartwheel.config.Key.networks;
import static io.heartwheel.config.Key.parsed;
import static io.heartwheel.config.Key.path;
import static io.heartwheel.config.Key.size;
import static io.heartwheel.config.Key.text;
import static io.heartwheel.config.Key.texts;

import io.heartwheel.admin.AdminSettings;
import io.heartwheel.admin.Scope;
import io.heartwheel.auth.Grant;
import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.log.LogFormat;
import io.heartwheel.log.LogLevel;
import io.heartwheel.log.LogSettings;
import io.heartwheel.nats.NatsServers;
import io.heartwheel.outlet.OutletSettings.ContentMode;
import io.heartwheel.outlet.nats.SubjectTemplate;
import io.heartwheel.protocol.websocket.ForwardedSettings;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.sink.JournalSettings.WhenFull;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.store.StoreSettings;
import io.heartwheel.store.SyncPolicy;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ListenerProtocol;
import io.heartwheel.transport.TransportKind;
import io.heartwheel.transport.tls.TlsCiphers;
import io.heartwheel.transport.tls.TlsSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Table of all keys: type, range, and when a change takes effect. Default and description of each stand in {@code conf/gateway.conf}, which a test
 * compares with this table. Reading, checking, error texts and the reload plan follow from it; what one key demands of another is in
 * {@link Rules}.
 */
final class Keys {
    private static final String TIMEOUT = "100ms..30d";
    private static final String INTERVAL = "100ms..24h";
    private static final String GRACE = "1.1..10";
    private static final String SHARE = "0.01..0.99";
    private static final String RATE = "1..1000000";
    private static final String ADDRESS = "host:port of at most 255 bytes, or nothing";
    private static final String[] LOG_LEVELS = {"trace", "debug", "info", "warn", "error", "off"};

    private static final Map<String, Key> TABLE = Stream.of(
                    listeners(),
                    tls("listeners.tcp"),
                    front(),
                    AuthKeys.all(),
                    deadlines(),
                    guards(),
                    process(),
                    admin(),
                    cluster(),
                    outlets())
            .flatMap(List::stream)
            .collect(Collectors.toMap(
                    Key::path,
                    Function.identity(),
                    (one, other) -> {
                        throw new IllegalStateException(one.path() + " stands twice");
                    },
                    LinkedHashMap::new));

    /** The level of a logger, whose name is part of the path. */
    private static final Key LOGGER = choice(FlatConfig.LEVELS, LogLevel.class, LOG_LEVELS);

    private static final Key NO_LOGGER = text(
            FlatConfig.LEVELS,
            "need the name of a class or a package before it, for all of them log.level",
            level -> false);

    /** In the place of a value: there is none. */
    static final String OFF = "off";

    private static final String NAME = "a name of 1.." + Grant.LONGEST_NAME + " characters of [A-Za-z0-9._:-]";

    /** The limit of a group or attribute, whose name is part of the path. */
    private static final Key LIMIT = integer(FlatConfig.GROUP_LIMITS, "1..10000000");

    private static final Key NO_LIMIT = text(FlatConfig.GROUP_LIMITS, "need " + NAME, limit -> false);

    /** Keys of a rate class. */
    private static final List<String> CLASS_KEYS =
            List.of("enabled", "frames-per-second", "bytes-per-second", "burst", "close-after");

    private static final Key NO_CLASS = text(
            FlatConfig.CLASSES,
            "need NAME { ... } with one or more of " + String.join(", ", CLASS_KEYS) + ", and " + NAME,
            key -> false);

    private Keys() {}

    /** Keys of a listener, and what all of them share. */
    private static List<Key> listeners() {
        return List.of(
                parsed(
                                "listeners.tcp.bind",
                                "need host:port or :port, port 0..65535, an IPv6 address in brackets",
                                text -> BindAddress.parse(text.startsWith(":") ? "0.0.0.0" + text : text))
                        .atRestart(),
                choice("listeners.tcp.protocol", ListenerProtocol.class, "heartwheel", "websocket", "auto")
                        .atRestart(),
                flag("listeners.tcp.enabled").atRestart(),
                integer("listeners.tcp.backlog", "1..65535").atRestart(),
                flag("listeners.tcp.reuse-port").atRestart(),
                flag("listeners.tcp.proxy.enabled").atRestart(),
                networks("listeners.tcp.proxy.trusted").withSwitch(),
                flag("tls.tickets.enabled").atRestart(),
                path("tls.tickets.key-file").atRestart(),
                duration("tls.tickets.rotation", "1m..7d").atRestart(),
                flag("tls.watch.enabled").atRestart(),
                duration("tls.watch.period", "1s..1h").atRestart());
    }

    /** TLS of a listener. */
    private static List<Key> tls(String listener) {
        String block = listener + ".tls.";
        return List.of(
                flag(block + "enabled").atRestart(),
                choice(block + "provider", TlsSettings.Provider.class, "auto", "boringssl", "jdk")
                        .withSwitch(),
                path(block + "certificate-file").withSwitch(),
                path(block + "key-file").withSwitch(),
                path(block + "ocsp-file").withSwitch(),
                blocks(block + "sni", "need a list of { hosts, certificate-file, key-file, ocsp-file }")
                        .withSwitch(),
                choice(block + "min-version", TlsSettings.Version.class, "1.2", "1.3")
                        .withSwitch(),
                texts(
                                block + "ciphers",
                                Integer.MAX_VALUE,
                                "need names of TLS 1.2 ciphers with forward secrecy: "
                                        + String.join(", ", TlsCiphers.KNOWN),
                                TlsCiphers.KNOWN::contains)
                        .withSwitch(),
                choice(block + "client-auth", TlsSettings.ClientAuth.class, "none", "optional", "required")
                        .withSwitch(),
                path(block + "client-ca-file").withSwitch());
    }

    /** What stands between a socket and a session. */
    private static List<Key> front() {
        return List.of(
                choice("transport.kind", TransportKind.class, "auto", "epoll", "io_uring", "nio")
                        .atRestart(),
                integer("transport.event-loops", "0..1024").atRestart(),
                size("transport.receive-buffer", "512B..64KiB").atRestart(),
                integer("transport.max-connections", "1..10000000"),
                size("transport.write-watermark.low", "1KiB..64MiB").atRestart(),
                size("transport.write-watermark.high", "1KiB..64MiB").atRestart(),
                duration("transport.accept-pause", "10ms..60s").atRestart(),
                flag("transport.share-ports").atRestart(),
                text("websocket.path", "need a leading / and no trailing one", WebSocketSettings::isPath),
                text(
                        "websocket.health",
                        "need a leading / and no trailing one, or off",
                        path -> path.equals(OFF) || WebSocketSettings.isHealth(path)),
                names("websocket.hosts", "need host names without port", WebSocketSettings::isHost),
                names(
                        "websocket.origins",
                        "need origins, scheme://host, scheme://host:port, null or file://, or * for any; others pass unlisted",
                        WebSocketSettings::isOrigin),
                size("websocket.max-request", "1KiB..64KiB"),
                flag("websocket.compression.enabled"),
                flag("websocket.forwarded.enabled"),
                text(
                        "websocket.forwarded.header",
                        "need the name of a header, at most 64 characters",
                        name -> ForwardedSettings.isHeader(name.toLowerCase(Locale.ROOT))),
                networks("websocket.forwarded.trusted"),
                flag("source-limits.enabled").atRestart(),
                integer("source-limits.connections", "1..10000000").withSwitch(),
                integer("source-limits.accepts-per-second", RATE).withSwitch(),
                integer("source-limits.burst", RATE).withSwitch(),
                networks("source-limits.exempt").withSwitch(),
                integer("source-limits.v6-prefix", "32..64").atRestart(),
                integer("source-limits.tracked", "1024..16777216").atRestart(),
                flag("accept-limit.enabled"),
                integer("accept-limit.per-second", RATE),
                integer("accept-limit.burst", RATE),
                duration("accept-limit.retry-min", "0s..1h"),
                duration("accept-limit.retry-max", "0s..1h"),
                size("protocol.max-payload", "128B..16MiB"),
                flag("limits.enabled"),
                integer("limits.frames-per-second", RATE),
                size("limits.bytes-per-second", "16KiB..1GiB"),
                duration("limits.burst", "100ms..1m"),
                duration("limits.close-after", "1s..1h"));
    }

    /** The deadlines in force, and those of the shadow policy. */
    private static List<Key> deadlines() {
        return List.of(
                flag("handshake.enabled"),
                duration("handshake.timeout", TIMEOUT),
                integer("handshake.max-pending", "16..10000000").atRestart(),
                flag("heartbeat.enabled"),
                duration("heartbeat.interval", INTERVAL),
                duration("heartbeat.min", INTERVAL),
                duration("heartbeat.max", INTERVAL),
                decimal("heartbeat.grace", GRACE),
                flag("heartbeat.probe"),
                decimal("heartbeat.probe-margin", "0..0.5"),
                durationOr("heartbeat.ping-every", "1s..24h", OFF),
                flag("read-progress.enabled"),
                duration("read-progress.timeout", TIMEOUT),
                size("read-progress.min-rate", "1B..1MiB"),
                flag("reader-idle.enabled"),
                duration("reader-idle.timeout", TIMEOUT),
                flag("writer-idle.enabled"),
                duration("writer-idle.timeout", TIMEOUT),
                flag("write-progress.enabled"),
                duration("write-progress.timeout", TIMEOUT),
                flag("age.enabled"),
                duration("age.timeout", TIMEOUT),
                decimal("age.jitter", "0..0.5"),
                duration("age.goaway-lead", TIMEOUT),
                flag("shadow.enabled"),
                flag("shadow.handshake.enabled"),
                duration("shadow.handshake.timeout", TIMEOUT),
                flag("shadow.heartbeat.enabled"),
                decimal("shadow.heartbeat.grace", GRACE),
                flag("shadow.read-progress.enabled"),
                duration("shadow.read-progress.timeout", TIMEOUT),
                size("shadow.read-progress.min-rate", "1B..1MiB"),
                flag("shadow.reader-idle.enabled"),
                duration("shadow.reader-idle.timeout", TIMEOUT),
                flag("shadow.write-progress.enabled"),
                duration("shadow.write-progress.timeout", TIMEOUT));
    }

    /** What guards the deadlines, how much is remembered of closes, and what they turn on. */
    private static List<Key> guards() {
        return List.of(
                flag("stalls.credit"),
                duration("stalls.threshold", "10ms..10s"),
                duration("stalls.max-credit", "0s..1h"),
                flag("breaker.enabled").atRestart(),
                duration("breaker.window", "1s..10m").atRestart(),
                decimal("breaker.share", "0.01..1"),
                decimal("breaker.group-share", "0.01..1"),
                integer("breaker.least", RATE),
                duration("breaker.patience", "100ms..1h"),
                integerOr("breaker.close-rate", RATE, "auto", BreakerSettings.BY_FLEET),
                flag("memory.enabled"),
                decimal("memory.refuse-above", SHARE),
                decimal("memory.admit-below", SHARE),
                decimal("memory.unfinished", SHARE).atRestart(),
                integer("evidence.closes", "0..1000000").atRestart(),
                integer("evidence.handshakes", "0..1000000").atRestart(),
                integer("evidence.refusal-events", "0..1000").atRestart(),
                duration("wheel.tick", "1ms..1s").atRestart(),
                integer("wheel.buckets", "64..1048576").atRestart(),
                integer("wheel.slice", RATE).atRestart());
    }

    /** Where facts go, the end, and the process itself. */
    private static List<Key> process() {
        return List.of(
                choice("sink.kind", SinkKind.class, "none", "console", "file", "echo", "journal")
                        .atRestart(),
                path("sink.file").atRestart(),
                integer("sink.queue", "16..1048576").atRestart(),
                path("journal.directory").atRestart(),
                choice("journal.sync", StoreSettings.Sync.class, "always", "never")
                        .atRestart(),
                size("journal.max-bytes", "1MiB..1024GiB").atRestart(),
                choice("journal.when-full", WhenFull.class, "slow", "refuse").atRestart(),
                duration("journal.keep", "0s..30d").atRestart(),
                flag("journal.dedupe.enabled").atRestart(),
                integer("journal.dedupe.messages", "1..1024").atRestart(),
                duration("presence.settle", "0s..24h").atRestart(),
                integer("presence.rate", RATE).atRestart(),
                integer("messages.per-device", "1..65536"),
                size("messages.bytes-per-device", "1KiB..64MiB"),
                size("messages.total-bytes", "1MiB..16GiB").atRestart(),
                path("messages.directory").atRestart(),
                choice("messages.sync", StoreSettings.Sync.class, "always", "never")
                        .atRestart(),
                duration("messages.max-age", "1m..30d"),
                size("messages.stored-bytes", "1MiB..1024GiB"),
                integer("messages.jobs.max", "1..10000"),
                duration("messages.jobs.keep", "1s..30d"),
                integer("messages.jobs.members", "1..10000000"),
                duration("messages.idempotency.keep", "1s..30d"),
                size("messages.idempotency.max-bytes", "64KiB..1GiB"),
                integer("messages.schedules.max", "1..10000000").atRestart(),
                flag("trace.enabled").atRestart(),
                path("trace.file").atRestart(),
                decimal("trace.share", "0..1").atRestart(),
                integer("trace.stamps", "16..65536").atRestart(),
                size("trace.max-bytes", "1MiB..64GiB").atRestart(),
                duration("shutdown.notice", "0s..1h"),
                duration("shutdown.drain", "0s..24h"),
                integerOr("shutdown.readmit-rate", RATE, "auto", DrainSettings.BY_FLEET),
                integer("shutdown.goaway-rate", RATE),
                duration("shutdown.retry-min", "0s..1h"),
                duration("shutdown.retry-max", "0s..1h"),
                text(
                        "shutdown.alternate-host",
                        "need " + ADDRESS + ", or " + DrainSettings.LEAST_LOADED,
                        text -> text.equals(DrainSettings.LEAST_LOADED) || DrainSettings.isAddress(text)),
                choice("log.format", LogFormat.class, "text", "json"),
                choice("log.level", LogLevel.class, LOG_LEVELS),
                integer("log.repeats", RATE),
                text(
                                "instance",
                                "need a name of at most 32 characters of [A-Za-z0-9_-]",
                                text -> text.matches("[A-Za-z0-9_-]{0,32}"))
                        .atRestart(),
                path("ports-file").atRestart());
    }

    /** The operator's HTTP. */
    private static List<Key> admin() {
        String address = "need host:port, port 0..65535, an IPv6 address in brackets";
        List<Key> own = List.of(
                flag("admin.enabled").atRestart(),
                parsed("admin.bind", address, BindAddress::parse).atRestart(),
                size("admin.max-body", "1KiB..16MiB"),
                integer("admin.max-connections", "1..10000"),
                texts(
                        "admin.hosts",
                        Integer.MAX_VALUE,
                        "need names or addresses without a port, or *",
                        AdminSettings::isHost),
                path("admin.tokens-file"),
                texts("admin.tls.client-scopes", 3, "need scopes: read, send, operate", label -> Scope.ofLabel(label)
                        .isPresent()),
                flag("admin.monitor.enabled").atRestart(),
                parsed("admin.monitor.bind", address, BindAddress::parse).atRestart(),
                integer("admin.monitor.max-connections", "1..10000"));
        return Stream.of(own, tls("admin"), tls("admin.monitor"))
                .flatMap(List::stream)
                .toList();
    }

    /** The fleet that this gateway belongs to. */
    private static List<Key> cluster() {
        String name = "need 1..32 characters of [A-Za-z0-9_-]";
        List<Key> own = List.of(
                flag("cluster.enabled").atRestart(),
                text(
                                "cluster.name",
                                name + ", other than events, and not ending in -groups, -schedules or -devices-N",
                                ClusterSettings::isName)
                        .atRestart(),
                text("cluster.node", name + ", or nothing", text -> text.isEmpty() || NodeId.isName(text))
                        .atRestart(),
                text("cluster.address", "need " + ADDRESS, DrainSettings::isAddress)
                        .atRestart(),
                integer("cluster.replicas", "1..5").atRestart(),
                integer("cluster.device-buckets", "1..64").atRestart(),
                choice("cluster.on-outage", ClusterSettings.OnOutage.class, "local", "refuse")
                        .atRestart(),
                integer("cluster.sweep-rate", "1..100000").atRestart());
        return Stream.concat(own.stream(), nats("cluster").stream()).toList();
    }

    /** Servers of NATS, as whom, and with which certificates. */
    private static List<Key> nats(String block) {
        return List.of(
                texts(
                                block + ".nats.servers",
                                16,
                                "need 1..16 of nats://host:port or tls://host:port",
                                NatsServers::isServer)
                        .atRestart(),
                path(block + ".nats.credentials-file").atRestart(),
                path(block + ".nats.ca-file").atRestart(),
                path(block + ".nats.certificate-file").atRestart(),
                path(block + ".nats.key-file").atRestart());
    }

    /** Keys of an outlet. */
    private static List<Key> outlets() {
        List<Key> own = List.of(
                choice("outlets.main.kind", OutletKind.class, "console", "file", "webhook", "kafka", "nats")
                        .atRestart(),
                flag("outlets.main.enabled").atRestart(),
                texts(
                                "outlets.main.events",
                                Integer.MAX_VALUE,
                                "need kinds of events, or * for all: " + String.join(", ", OutletKind.eventLabels()),
                                label -> OutletKind.eventLabels().contains(label) || label.equals("*"))
                        .atRestart(),
                path("outlets.main.file").atRestart(),
                size("outlets.main.rotate-bytes", "64KiB..64GiB").atRestart(),
                duration("outlets.main.rotate-every", "0s..30d").atRestart(),
                integer("outlets.main.keep-files", "1..1000").atRestart(),
                parsed("outlets.main.sync", SyncPolicy.NEED, SyncPolicy::parse).atRestart(),
                parsed(
                                "outlets.main.url",
                                "need http://host/path or https://host/path, without user and password",
                                Urls::http)
                        .atRestart(),
                path("outlets.main.secret-file").atRestart(),
                path("outlets.main.old-secret-file").atRestart(),
                path("outlets.main.headers-file").atRestart(),
                path("outlets.main.ca-file").atRestart(),
                choice("outlets.main.content-mode", ContentMode.class, "batched", "structured", "binary")
                        .atRestart(),
                text(
                                "outlets.main.media-type",
                                "need a media type such as application/json, or nothing",
                                text -> text.matches("([\\w.+-]+/[\\w.+-]+(; *[\\w-]+=[\\w.-]+)?)?"))
                        .atRestart(),
                duration("outlets.main.timeout", "100ms..5m").atRestart(),
                integer("outlets.main.max-batch", "1..10000").atRestart(),
                size("outlets.main.max-bytes", "1KiB..16MiB").atRestart(),
                integer("outlets.main.partitions", "1..64").atRestart(),
                path("outlets.main.dead-letter.file").atRestart(),
                size("outlets.main.dead-letter.max-bytes", "64KiB..64GiB").atRestart(),
                integer("outlets.main.dead-letter.after", "1..1000").atRestart(),
                text("outlets.main.kafka.bootstrap", "need host:port, several with commas", text -> true)
                        .atRestart(),
                text(
                                "outlets.main.kafka.topic",
                                "need at most 249 characters of [A-Za-z0-9._-]",
                                text -> text.matches("[A-Za-z0-9._-]{0,249}"))
                        .atRestart(),
                path("outlets.main.kafka.properties-file").atRestart(),
                text(
                                "outlets.main.nats.subject",
                                "need 1..128 characters: tokens of [A-Za-z0-9_-], {kind}, {hash}, {device}, dots between them",
                                SubjectTemplate::isTemplate)
                        .atRestart());
        return Stream.concat(own.stream(), nats("outlets.main").stream()).toList();
    }

    /** Names that are compared in lower case. */
    private static Key names(String path, String need, Predicate<String> good) {
        return texts(path, Integer.MAX_VALUE, need, name -> good.test(name.toLowerCase(Locale.ROOT)));
    }

    /** All keys in the order of the table, of the listeners those of one. */
    static Iterable<Key> all() {
        return TABLE.values();
    }

    /** The key of a rate class: that of the ordinary limits. */
    private static Key ofClass(String nameAndKey) {
        int dot = nameAndKey.lastIndexOf('.');
        String key = nameAndKey.substring(dot + 1);
        boolean good = dot > 0 && Grant.isName(nameAndKey.substring(0, dot)) && CLASS_KEYS.contains(key);
        return good ? at("limits." + key) : NO_CLASS;
    }

    /** The key at this path, be it of any listener, logger, rate class or group. */
    static Key at(String path) {
        if (path.startsWith(FlatConfig.LEVELS + ".")) {
            return LogSettings.isLogger(path.substring(FlatConfig.LEVELS.length() + 1)) ? LOGGER : NO_LOGGER;
        }
        if (path.startsWith(FlatConfig.CLASSES + ".")) {
            return ofClass(path.substring(FlatConfig.CLASSES.length() + 1));
        }
        for (String block : List.of(FlatConfig.GROUP_LIMITS, FlatConfig.ATTRIBUTE_LIMITS)) {
            if (path.startsWith(block + ".")) {
                return Grant.isName(path.substring(block.length() + 1)) ? LIMIT : NO_LIMIT;
            }
        }
        Key key = TABLE.get(FlatConfig.known(path));
        if (key == null) {
            throw new IllegalStateException(path + ": not in the table of keys");
        }
        return key;
    }
}

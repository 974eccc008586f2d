package io.heartwheel.config;

import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.MethodSettings;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.history.EvidenceSettings;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.LivenessSettings.Age;
import io.heartwheel.liveness.LivenessSettings.Deadline;
import io.heartwheel.liveness.LivenessSettings.Heartbeat;
import io.heartwheel.liveness.LivenessSettings.ReadProgress;
import io.heartwheel.liveness.StallSettings;
import io.heartwheel.log.LogFormat;
import io.heartwheel.log.LogLevel;
import io.heartwheel.log.LogSettings;
import io.heartwheel.net.Networks;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.presence.PresenceSettings;
import io.heartwheel.protocol.ProtocolSettings;
import io.heartwheel.protocol.websocket.ForwardedSettings;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.StoredSettings;
import io.heartwheel.push.group.JobSettings;
import io.heartwheel.push.schedule.ScheduleSettings;
import io.heartwheel.session.TraceSettings;
import io.heartwheel.sink.DedupeSettings;
import io.heartwheel.sink.JournalSettings;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.sink.SinkSettings;
import io.heartwheel.store.StoreSettings;
import io.heartwheel.transport.AdmissionSettings;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ListenerProtocol;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.MemorySettings;
import io.heartwheel.transport.SourceSettings;
import io.heartwheel.transport.TransportKind;
import io.heartwheel.transport.TransportSettings;
import io.heartwheel.transport.tls.TlsSettings;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import io.heartwheel.wheel.WheelSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Builder of the settings from values of which nothing is wrong, each record from the keys of its block. One thread. */
final class SettingsBuilder {
    /** A key beside those of a deadline. */
    private static final String NO_DEADLINE = "max-pending";

    private final Block root;
    private final byte[] token;
    private final List<MethodSettings> methods;
    private final String instance;

    /**
     * @param token the shared token; it may stand in a file that has changed since it was read
     * @param methods how devices are authenticated, the files that they name included
     */
    SettingsBuilder(Block root, byte[] token, List<MethodSettings> methods) {
        this.root = root;
        this.token = token.clone();
        this.methods = methods;
        instance = root.text("instance");
    }

    /**
     * All settings.
     *
     * @param running the wheel there is; null: to be made, with room for all connections
     * @throws IllegalArgumentException from a record that will not have its values
     */
    GatewaySettings build(@Nullable WheelSettings running) {
        return new GatewaySettings(
                listeners(),
                transport(root.in("transport")),
                upkeep(root.in("tls")),
                new AdmissionSettings(
                        root.integer("handshake.max-pending"),
                        sources(root.in("source-limits")),
                        LimitRules.accepts(root.in("accept-limit")),
                        LimitRules.quotas(root)),
                webSocket(root.in("websocket")),
                new ProtocolSettings(root.size("protocol.max-payload"), LimitRules.rates(root)),
                auth(root.in("auth")),
                inForce(),
                root.flag("shadow.enabled") ? shadow(root.in("shadow")) : null,
                stalls(root.in("stalls")),
                breaker(root.in("breaker")),
                memory(root.in("memory")),
                evidence(root.in("evidence")),
                running == null ? wheel(root.in("wheel")) : running,
                sink(root.in("sink"), root.in("journal")),
                presence(root.in("presence")),
                messages(root.in("messages")),
                jobs(root.in("messages.jobs")),
                new ScheduleSettings(root.integer("messages.schedules.max")),
                outlets(),
                trace(root.in("trace")),
                AdminRules.settings(root.in("admin")),
                drain(root.in("shutdown")),
                log(root.in("log")),
                ClusterRules.settings(root),
                root.path("ports-file").map(this::own).orElse(null));
    }

    /** A file that this process alone writes: {@code events.jsonl} becomes {@code events-1.jsonl}. A device or a pipe is what it is. */
    private Path own(Path file) {
        Path last = file.getFileName();
        if (instance.isEmpty()
                || last == null
                || file.toString().isEmpty()
                || (Files.exists(file) && !Files.isRegularFile(file))) {
            return file;
        }
        String text = last.toString();
        int dot = text.lastIndexOf('.');
        int end = dot > 0 ? dot : text.length();
        return file.resolveSibling(text.substring(0, end) + "-" + instance + text.substring(end));
    }

    // ------------------------------------------------------------------ listeners and what all of them share

    private List<ListenerSettings> listeners() {
        return root.names(FlatConfig.LISTENERS).stream()
                .filter(name -> root.flag("listeners." + name + ".enabled"))
                .map(name -> listener(name, root.in("listeners." + name)))
                .toList();
    }

    private ListenerSettings listener(String name, Block at) {
        return new ListenerSettings(
                name,
                bind(at, root.get("auth.mode") == AuthSettings.Mode.UNSET),
                (ListenerProtocol) at.get("protocol"),
                at.integer("backlog"),
                at.flag("reuse-port") || root.flag("transport.share-ports"),
                at.flag("tls.enabled") ? TlsRules.settings(at.in("tls")) : null,
                at.flag("proxy.enabled") ? networks(at, "proxy.trusted") : null);
    }

    /**
     * The address of a listener for devices. Who left out the host gets every address of the machine, or loopback alone where nobody has said who may
     * come in.
     */
    static BindAddress bind(Block listener, boolean unprotected) {
        String text = listener.written("bind");
        boolean local = unprotected && !asksForCertificates(listener.in("tls"));
        return text.startsWith(":")
                ? BindAddress.parse((local ? "127.0.0.1" : "0.0.0.0") + text)
                : (BindAddress) listener.get("bind");
    }

    static boolean asksForCertificates(Block tls) {
        return tls.flag("enabled") && tls.get("client-auth") == TlsSettings.ClientAuth.REQUIRED;
    }

    private static Networks networks(Block at, String key) {
        return Networks.parse(at.texts(key));
    }

    private static TransportSettings transport(Block at) {
        return new TransportSettings(
                (TransportKind) at.get("kind"),
                at.integer("event-loops"),
                at.size("receive-buffer"),
                at.integer("max-connections"),
                at.size("write-watermark.low"),
                at.size("write-watermark.high"),
                at.duration("accept-pause"));
    }

    private static TlsUpkeepSettings upkeep(Block at) {
        return new TlsUpkeepSettings(
                new TlsUpkeepSettings.Tickets(
                        at.flag("tickets.enabled"),
                        at.path("tickets.key-file").orElse(null),
                        at.duration("tickets.rotation")),
                new TlsUpkeepSettings.Watch(at.flag("watch.enabled"), at.duration("watch.period")));
    }

    private static @Nullable SourceSettings sources(Block at) {
        return at.flag("enabled")
                ? new SourceSettings(
                        at.integer("connections"),
                        at.integer("accepts-per-second"),
                        at.integer("burst"),
                        networks(at, "exempt"),
                        at.integer("v6-prefix"),
                        at.integer("tracked"))
                : null;
    }

    private static WebSocketSettings webSocket(Block at) {
        return new WebSocketSettings(
                at.text("path"),
                at.text("health").equals(Keys.OFF) ? null : at.text("health"),
                lowerCase(at.texts("hosts")),
                lowerCase(at.texts("origins")),
                at.size("max-request"),
                at.flag("compression.enabled"),
                at.flag("forwarded.enabled")
                        ? new ForwardedSettings(
                                at.text("forwarded.header").toLowerCase(Locale.ROOT), networks(at, "forwarded.trusted"))
                        : null);
    }

    private static List<String> lowerCase(List<String> texts) {
        return texts.stream().map(text -> text.toLowerCase(Locale.ROOT)).toList();
    }

    private AuthSettings auth(Block at) {
        return new AuthSettings(
                (AuthSettings.Mode) at.get("mode"),
                token,
                methods,
                (AuthSettings.Refused) at.get("refused"),
                at.duration("warn-before"),
                failures(at.in("failures")),
                at.integer("workers"),
                new AuthSettings.Watch(at.flag("watch.enabled"), at.duration("watch.period")));
    }

    private static AuthSettings.Failures failures(Block at) {
        return new AuthSettings.Failures(
                at.flag("enabled"),
                at.integer("burst"),
                at.integer("per-minute"),
                networks(at, "exempt"),
                at.integer("tracked"));
    }

    // ------------------------------------------------------------------ deadlines

    private LivenessSettings inForce() {
        return new LivenessSettings(
                deadline(root.in("handshake")),
                heartbeat(root.in("heartbeat")),
                readProgress(root.in("read-progress")),
                deadline(root.in("reader-idle")),
                deadline(root.in("writer-idle")),
                deadline(root.in("write-progress")),
                age(root.flag("age.enabled")),
                configured(root));
    }

    /** Intervals, probes and what the shadow has no block for are those in force. */
    private LivenessSettings shadow(Block at) {
        return new LivenessSettings(
                deadline(at.in("handshake")),
                heartbeat(at.in("heartbeat")),
                readProgress(at.in("read-progress")),
                deadline(at.in("reader-idle")),
                new Deadline(false, root.duration("writer-idle.timeout")),
                deadline(at.in("write-progress")),
                age(false),
                configured(at));
    }

    /** A deadline's block has its label for a name; some deadlines have none. */
    private static Set<DeadlineKind> configured(Block parent) {
        return Arrays.stream(DeadlineKind.values())
                .filter(kind -> parent.isSaid(kind.label(), NO_DEADLINE))
                .collect(Collectors.toSet());
    }

    private static Deadline deadline(Block at) {
        return new Deadline(at.flag("enabled"), at.duration("timeout"));
    }

    /** @param at switch and grace, the rest is in force */
    private Heartbeat heartbeat(Block at) {
        Block inForce = root.in("heartbeat");
        return new Heartbeat(
                at.flag("enabled"),
                inForce.duration("interval"),
                inForce.duration("min"),
                inForce.duration("max"),
                at.decimal("grace"),
                inForce.flag("probe"),
                inForce.decimal("probe-margin"),
                inForce.get("ping-every") instanceof Duration every ? every : null);
    }

    private static ReadProgress readProgress(Block at) {
        return new ReadProgress(at.flag("enabled"), at.duration("timeout"), at.bytes("min-rate"));
    }

    private Age age(boolean enabled) {
        Block at = root.in("age");
        return new Age(enabled, at.duration("timeout"), at.decimal("jitter"), at.duration("goaway-lead"));
    }

    // ------------------------------------------------------------------ guards

    private static StallSettings stalls(Block at) {
        return new StallSettings(at.flag("credit"), at.duration("threshold"), at.duration("max-credit"));
    }

    private static BreakerSettings breaker(Block at) {
        return new BreakerSettings(
                at.flag("enabled"),
                at.duration("window"),
                at.decimal("share"),
                at.decimal("group-share"),
                at.integer("least"),
                at.duration("patience"),
                at.integer("close-rate"));
    }

    private static MemorySettings memory(Block at) {
        return new MemorySettings(
                at.flag("enabled"), at.decimal("refuse-above"), at.decimal("admit-below"), at.decimal("unfinished"));
    }

    private static EvidenceSettings evidence(Block at) {
        return new EvidenceSettings(at.integer("closes"), at.integer("handshakes"), at.integer("refusal-events"));
    }

    private WheelSettings wheel(Block at) {
        int connections = root.integer("transport.max-connections");
        // entries of closed connections leave the wheel a little later than the connections leave the count
        int room = connections
                + connections / 8
                + 1_024
                + messages(root.in("messages")).mostTimers()
                + JobSettings.MOST
                + root.integer("messages.schedules.max");
        return new WheelSettings(at.duration("tick"), at.integer("buckets"), room, at.integer("slice"));
    }

    // ------------------------------------------------------------------ the process

    private SinkSettings sink(Block at, Block journal) {
        return new SinkSettings(
                (SinkKind) at.get("kind"),
                own((Path) at.get("file")),
                at.integer("queue"),
                ClusterRules.nameInEvents(root),
                journal(journal));
    }

    private JournalSettings journal(Block at) {
        return new JournalSettings(
                new StoreSettings(
                        own((Path) at.get("directory")),
                        (StoreSettings.Sync) at.get("sync"),
                        at.bytes("max-bytes"),
                        at.duration("keep")),
                (JournalSettings.WhenFull) at.get("when-full"),
                dedupe(at.in("dedupe")));
    }

    private static DedupeSettings dedupe(Block at) {
        return new DedupeSettings(at.flag("enabled"), at.integer("messages"));
    }

    private static PresenceSettings presence(Block at) {
        return new PresenceSettings(at.duration("settle"), at.integer("rate"));
    }

    private PushSettings messages(Block at) {
        return new PushSettings(
                at.integer("per-device"),
                at.bytes("bytes-per-device"),
                at.bytes("total-bytes"),
                at.duration("idempotency.keep"),
                at.bytes("idempotency.max-bytes"),
                new StoredSettings(
                        own((Path) at.get("directory")),
                        at.get("sync") == StoreSettings.Sync.ALWAYS,
                        at.duration("max-age"),
                        at.bytes("stored-bytes")));
    }

    private static JobSettings jobs(Block at) {
        return new JobSettings(at.integer("max"), at.duration("keep"), at.integer("members"));
    }

    /** The enabled ones. */
    private List<OutletSettings> outlets() {
        return root.names(FlatConfig.OUTLETS).stream()
                .filter(name -> root.flag("outlets." + name + ".enabled"))
                .map(name -> OutletKind.settings(name, root.in("outlets." + name), this::own))
                .toList();
    }

    private TraceSettings trace(Block at) {
        return new TraceSettings(
                at.flag("enabled"),
                own((Path) at.get("file")),
                at.decimal("share"),
                at.integer("stamps"),
                at.bytes("max-bytes"));
    }

    private static DrainSettings drain(Block at) {
        return new DrainSettings(
                at.duration("retry-min"),
                at.duration("retry-max"),
                at.duration("drain"),
                at.integer("goaway-rate"),
                at.integer("readmit-rate"),
                at.duration("notice"),
                at.text("alternate-host"),
                0);
    }

    private static LogSettings log(Block at) {
        Map<String, LogLevel> levels = new TreeMap<>();
        at.keys("levels").forEach(logger -> levels.put(logger, (LogLevel) at.get("levels." + logger)));
        return new LogSettings((LogFormat) at.get("format"), (LogLevel) at.get("level"), levels, at.integer("repeats"));
    }
}

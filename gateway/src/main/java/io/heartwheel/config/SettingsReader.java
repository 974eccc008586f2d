package io.heartwheel.config;

import io.heartwheel.admin.AdminSettings;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.protocol.ProtocolSettings;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.session.AuthSettings;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.sink.SinkSettings;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.TransportKind;
import io.heartwheel.transport.TransportSettings;
import io.heartwheel.wheel.WheelSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Knows every key, its range and what contradicts what. Each block is read whole before anything is built: what is handed out are suppliers,
 * to be asked only when no problem was noted. One thread, once.
 */
final class SettingsReader {
    private final FlatConfig leaves;
    private final ConfigMistakes problems;
    private final Section root;
    private final boolean looksIntoTls;

    /** @param looksIntoTls whether the files of TLS are looked into */
    SettingsReader(FlatConfig leaves, ConfigMistakes problems, Set<String> read, boolean looksIntoTls) {
        this.leaves = leaves;
        this.problems = problems;
        this.root = new Section(leaves, problems, read, "");
        this.looksIntoTls = looksIntoTls;
    }

    /** Reads all there is; the supplier may be asked when nothing is wrong. */
    Supplier<GatewaySettings> read() {
        Section transportSection = root.in("transport");
        var kind = transportSection.choice("kind", TransportKind.class, "auto", "epoll", "io_uring", "nio");
        int maxConnections = transportSection.integer("max-connections", "1..10000000");
        boolean sharePorts = transportSection.flag("share-ports");
        if (sharePorts && kind == TransportKind.NIO) {
            transportSection.problem("share-ports", "need false with kind = nio");
        }
        Section authSection = root.in("auth");
        var auth = auth(authSection);
        boolean unprotected = authSection.isGood() && auth.get().mode() == AuthSettings.Mode.UNSET;
        var listenersReader =
                new ListenersReader(root, problems, kind != TransportKind.NIO, sharePorts, looksIntoTls, unprotected);
        var listeners = listenersReader.read(leaves.listeners());
        var transport = transport(transportSection, kind, maxConnections);
        var tls = TlsReader.upkeep(root.in("tls"));
        var admission = FrontReader.admission(root);
        var webSocket = webSocket(root.in("websocket"));
        int maxPayload = root.in("protocol").size("max-payload", "128B..16MiB");
        var limits = GuardsReader.limits(root.in("limits"));
        LivenessReader livenessReader = new LivenessReader(root);
        var liveness = livenessReader.inForce();
        var shadow = livenessReader.shadow();
        var stalls = GuardsReader.stalls(root.in("stalls"));
        var breaker = GuardsReader.breaker(root.in("breaker"));
        var memory = GuardsReader.memory(root.in("memory"));
        var evidence = GuardsReader.evidence(root.in("evidence"));
        var wheel = wheel(root.in("wheel"), maxConnections);
        Instance instance = Instance.of(root);
        var sink = sink(root.in("sink"), instance);
        var trace = GuardsReader.trace(root.in("trace"), instance);
        var admin = admin(root.in("admin"), listenersReader);
        var drain = drain(root.in("shutdown"));
        var log = LogReader.read(root.in("log"), leaves.loggers());
        Optional<Path> portsFile = root.writable("ports-file").map(instance::own);
        return () -> new GatewaySettings(
                listeners.get(),
                transport.get(),
                tls.get(),
                admission.get(),
                webSocket.get(),
                new ProtocolSettings(maxPayload, limits.get()),
                auth.get(),
                liveness.get(),
                shadow.get(),
                stalls.get(),
                breaker.get(),
                memory.get(),
                evidence.get(),
                wheel.get(),
                sink.get(),
                trace.get(),
                admin.get(),
                drain.get(),
                log.get(),
                portsFile.orElse(null));
    }

    private static Supplier<TransportSettings> transport(Section section, TransportKind kind, int maxConnections) {
        int eventLoops = section.integer("event-loops", "0..1024");
        int receiveBuffer = section.size("receive-buffer", "512B..64KiB");
        Section watermark = section.in("write-watermark");
        int low = watermark.size("low", "1KiB..64MiB");
        int high = watermark.size("high", "1KiB..64MiB");
        if (watermark.isGood() && low >= high) {
            watermark.problem("low", "need less than high = " + watermark.shown("high"));
        }
        Duration acceptPause = section.duration("accept-pause", "10ms..60s");
        return () -> new TransportSettings(kind, eventLoops, receiveBuffer, maxConnections, low, high, acceptPause);
    }

    private static Supplier<WebSocketSettings> webSocket(Section section) {
        String path = section.text("path", "need a leading / and no trailing one", WebSocketSettings::isPath);
        List<String> hosts = section.texts(
                "hosts",
                "need host names without port",
                host -> WebSocketSettings.isHost(host.toLowerCase(Locale.ROOT)));
        List<String> origins = section.texts(
                "origins",
                "need origins, scheme://host or scheme://host:port, or * for any",
                origin -> WebSocketSettings.isOrigin(origin.toLowerCase(Locale.ROOT)));
        int maxRequest = section.size("max-request", "1KiB..64KiB");
        boolean compression = section.in("compression").flag("enabled");
        var forwarded = FrontReader.forwarded(section.in("forwarded"));
        return () -> new WebSocketSettings(
                path, lowerCase(hosts), lowerCase(origins), maxRequest, compression, forwarded.get());
    }

    private static List<String> lowerCase(List<String> texts) {
        return texts.stream().map(text -> text.toLowerCase(Locale.ROOT)).toList();
    }

    private static Supplier<AuthSettings> auth(Section section) {
        var mode = section.choice("mode", AuthSettings.Mode.class, "unset", "none", "shared-token");
        String token = section.text("token", "need text", text -> true);
        Optional<Path> file = section.path("token-file");
        if (mode != AuthSettings.Mode.SHARED_TOKEN) {
            if (file.isPresent() || !token.isEmpty()) {
                section.problem(
                        "mode",
                        "need shared-token where " + (file.isPresent() ? "token-file" : "token")
                                + " is set, or no token");
            }
            return () -> new AuthSettings(mode, new byte[0]);
        }
        byte[] secret = secret(section, token, file);
        return () -> new AuthSettings(AuthSettings.Mode.SHARED_TOKEN, secret);
    }

    /** The token, from wherever it is given; no error shows it. */
    private static byte[] secret(Section section, String token, Optional<Path> file) {
        if (file.isEmpty() && token.isEmpty()) {
            section.problem("mode", "need token-file or token with it");
            return new byte[0];
        }
        if (file.isPresent() && !token.isEmpty()) {
            section.problem("token", "need either this or token-file, not both");
        }
        byte[] secret = token.getBytes(StandardCharsets.UTF_8);
        if (file.isPresent()) {
            section.readable("token-file", true);
            secret = section.isGood() ? firstLine(file.get()) : secret;
        }
        if (section.isGood() && (secret.length < AuthSettings.MIN_TOKEN || secret.length > AuthSettings.MAX_TOKEN)) {
            section.problem(
                    file.isPresent() ? "token-file" : "token",
                    "need a token of 8..1024 bytes, not of " + secret.length);
        }
        return secret;
    }

    /** Up to the first line's end, and a little more than a token may have at most; nothing if the file cannot be read. */
    private static byte[] firstLine(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(AuthSettings.MAX_TOKEN + 1);
            int end = 0;
            while (end < start.length && start[end] != '\n' && start[end] != '\r') {
                end++;
            }
            return Arrays.copyOf(start, end);
        } catch (IOException e) {
            return new byte[0];
        }
    }

    private static Supplier<WheelSettings> wheel(Section section, int maxConnections) {
        Duration tick = section.duration("tick", "1ms..1s");
        int buckets = section.integer("buckets", "64..1048576");
        int slice = section.integer("slice", "1..1000000");
        if (section.isGood() && Integer.bitCount(buckets) != 1) {
            section.problem("buckets", "need a power of two in 64..1048576");
        }
        // entries of closed connections leave the wheel a little later than the connections leave the count
        int room = maxConnections + maxConnections / 8 + 1_024;
        return () -> new WheelSettings(tick, buckets, room, slice);
    }

    private static Supplier<SinkSettings> sink(Section section, Instance instance) {
        var kind = section.choice("kind", SinkKind.class, "none", "console", "file", "echo");
        int queue = section.integer("queue", "16..1048576");
        Optional<Path> file = kind == SinkKind.FILE ? section.writable("file") : section.path("file");
        if (kind == SinkKind.FILE && file.isEmpty()) {
            section.problem("file", "need a file with kind = file");
        }
        return () -> new SinkSettings(kind, file.map(instance::own).orElse(Path.of("")), queue, instance.name());
    }

    private static Supplier<AdminSettings> admin(Section section, ListenersReader listeners) {
        boolean enabled = section.flag("enabled");
        Optional<BindAddress> bind = listeners.bind(section, "admin", enabled);
        int maxBody = section.size("max-body", "1KiB..16MiB");
        int maxConnections = section.integer("max-connections", "1..10000");
        List<String> hosts = section.texts("hosts", AdminSettings.HOST_NEED, AdminSettings::isHost);
        return () -> new AdminSettings(enabled, bind.orElseThrow(), maxBody, maxConnections, hosts);
    }

    private static Supplier<DrainSettings> drain(Section section) {
        Duration retryMin = section.duration("retry-min", "0s..1h");
        Duration retryMax = section.duration("retry-max", "0s..1h");
        if (section.isGood() && retryMin.compareTo(retryMax) > 0) {
            section.problem("retry-min", "need at most retry-max = " + section.shown("retry-max"));
        }
        Duration drain = section.duration("drain", "0s..24h");
        int goawayRate = section.integer("goaway-rate", "1..1000000");
        int readmitRate = section.integer("readmit-rate", "1..1000000");
        String alternateHost = section.text(
                "alternate-host", "need host:port of at most 255 bytes, or nothing", DrainSettings::isAlternateHost);
        return () -> new DrainSettings(retryMin, retryMax, drain, goawayRate, readmitRate, alternateHost);
    }
}

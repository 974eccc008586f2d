package io.heartwheel.config;

import io.heartwheel.auth.AuthSettings;
import io.heartwheel.net.ClientTls;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.TransportKind;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Rules between keys, and for the files that keys name. Notes every contradiction; one thread, once. */
final class Rules {
    private static final String LOOPBACK_ONLY =
            "need a loopback address while nobody has said who may come in: for devices elsewhere set auth.mode = shared-token with a token,"
                    + " auth.mode = methods, or auth.mode = none, which believes every device id";
    private static final String AT_LEAST_ONE = "listeners: need at least one that is enabled";

    private final Block root;
    private final boolean looks;
    /** Addresses in use so far, by the path of the key that uses them. */
    private final Map<String, BindAddress> taken = new LinkedHashMap<>();

    private final AuthRules auth;

    /** @param looks whether the content of the files is checked that listeners and methods read when they open */
    Rules(Block root, boolean looks) {
        this.root = root;
        this.looks = looks;
        auth = new AuthRules(root, looks);
    }

    /**
     * Looks for contradictions.
     *
     * @param listeners names of all listeners, good or not
     */
    void check(Iterable<String> listeners) {
        Block transport = root.in("transport");
        boolean nio = transport.get("kind") == TransportKind.NIO;
        if (nio && transport.flag("share-ports")) {
            transport.problem("share-ports", "need false with kind = nio");
        }
        auth.check();
        boolean unprotected = root.in("auth").isGood() && root.in("auth").get("mode") == AuthSettings.Mode.UNSET;
        boolean anyEnabled = false;
        for (String name : listeners) {
            if (ListenerSettings.isName(name)) {
                anyEnabled |= listener(name, nio, unprotected);
            } else {
                root.note("listeners." + name
                        + ": need a name of 1..32 characters of [a-z0-9-], neither admin nor monitor");
            }
        }
        if (!anyEnabled) {
            root.note(AT_LEAST_ONE);
        }
        Block watermark = transport.in("write-watermark");
        if (watermark.isGood() && watermark.bytes("low") >= watermark.bytes("high")) {
            watermark.problem("low", "need less than high = " + watermark.shown("high"));
        }
        if (root.in("tls.tickets").flag("enabled")) {
            root.in("tls.tickets").needWritable("key-file");
        }
        trusted(root.in("websocket.forwarded"), true);
        LimitRules.check(root);
        deadlines();
        process();
    }

    /** Who may come in. */
    AuthRules auth() {
        return auth;
    }

    /**
     * First line of a file; nothing if it cannot be read.
     *
     * @param most of a line that is longer one byte more is given
     */
    static byte[] firstLine(Path file, int most) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(most + 1);
            int end = 0;
            while (end < start.length && start[end] != '\n' && start[end] != '\r') {
                end++;
            }
            return Arrays.copyOf(start, end);
        } catch (IOException e) {
            return new byte[0];
        }
    }

    /** Notes what is wrong with the {@code ca-file} beside a {@code url}. */
    static void authorities(Block block) {
        Optional<Path> file = block.readable("ca-file", false);
        if (file.isPresent() && block.areGood("url")) {
            if ("https".equals(((URI) block.get("url")).getScheme())) {
                ClientTls.authoritiesProblem(file.get())
                        .ifPresent(problem -> block.problem("ca-file", "need certificates in PEM: " + problem));
            } else {
                block.problem("ca-file", "need a url of https with it, or no file");
            }
        }
    }

    // ------------------------------------------------------------------ listeners

    /** Whether it is enabled. */
    private boolean listener(String name, boolean nio, boolean unprotected) {
        Block listener = root.in("listeners." + name);
        boolean enabled = listener.flag("enabled");
        Block tls = listener.in("tls");
        new TlsRules(tls, enabled, looks).check();
        if (listener.has("bind")) {
            BindAddress bind = SettingsBuilder.bind(listener, unprotected);
            alone(listener, "listeners." + name, bind, enabled);
            boolean mustBeLocal = enabled && unprotected && !SettingsBuilder.asksForCertificates(tls);
            if (mustBeLocal && listener.areGood("enabled", "bind") && !bind.isLoopback()) {
                listener.problem("bind", LOOPBACK_ONLY);
            }
        } else {
            root.note("listeners." + name + ".bind: missing, need host:port");
        }
        if (enabled && nio && listener.flag("reuse-port")) {
            listener.problem("reuse-port", "need false with transport.kind = nio");
        }
        trusted(listener.in("proxy"), enabled);
        return enabled;
    }

    /** Notes an address that is in use already. */
    private void alone(Block block, String path, BindAddress bind, boolean used) {
        if (used) {
            taken.entrySet().stream()
                    .filter(other -> other.getValue().clashesWith(bind))
                    .findFirst()
                    .ifPresent(other -> block.problem(
                            "bind", "need an address of its own, heartwheel." + other.getKey() + " has it"));
            taken.put(path + ".bind", bind);
        }
    }

    private static void trusted(Block block, boolean used) {
        if (used
                && block.flag("enabled")
                && block.isGood()
                && block.texts("trusted").isEmpty()) {
            block.problem("trusted", "need at least one network with enabled = true");
        }
    }

    // ------------------------------------------------------------------ deadlines

    private void deadlines() {
        Block heartbeat = root.in("heartbeat");
        if (heartbeat.areGood("enabled", "interval", "min", "max")) {
            Duration interval = heartbeat.duration("interval");
            Duration min = heartbeat.duration("min");
            Duration max = heartbeat.duration("max");
            if (min.compareTo(max) > 0) {
                heartbeat.problem("min", "need at most max = " + heartbeat.shown("max"));
            } else if (interval.compareTo(min) < 0 || interval.compareTo(max) > 0) {
                heartbeat.problem(
                        "interval", "need min..max = " + heartbeat.shown("min") + ".." + heartbeat.shown("max"));
            }
        }
        if (root.flag("shadow.enabled")) {
            shadow(root.in("shadow"));
        }
        Block memory = root.in("memory");
        if (memory.areGood("enabled", "refuse-above", "admit-below")
                && memory.decimal("admit-below") >= memory.decimal("refuse-above")) {
            memory.problem("admit-below", "need less than refuse-above = " + memory.shown("refuse-above"));
        }
        Block wheel = root.in("wheel");
        if (wheel.isGood() && Integer.bitCount(wheel.integer("buckets")) != 1) {
            wheel.problem(
                    "buckets",
                    "need a power of two in " + Keys.at("wheel.buckets").range());
        }
    }

    /** A shadow that can never report anything is a mistake: its silence would pass for good news. */
    private void shadow(Block shadow) {
        boolean beats = root.flag("heartbeat.enabled");
        if (shadow.flag("reader-idle.enabled") && !root.flag("reader-idle.enabled")) {
            shadow.problem("reader-idle.enabled", "need false, or heartwheel.reader-idle.enabled = true with it");
        } else if (!(beats && shadow.flag("heartbeat.enabled"))
                && Stream.of("handshake", "read-progress", "reader-idle", "write-progress")
                        .noneMatch(block -> shadow.flag(block + ".enabled"))) {
            String need = "need a deadline in it that is enabled";
            shadow.problem("enabled", beats ? need : need + ", and heartwheel.heartbeat is not");
        }
    }

    // ------------------------------------------------------------------ the process

    private void process() {
        Block sink = root.in("sink");
        if (sink.get("kind") == SinkKind.FILE) {
            needFile(sink, "kind = file");
        }
        if (sink.get("kind") == SinkKind.JOURNAL) {
            journal(root.in("journal"));
        }
        Block trace = root.in("trace");
        if (trace.flag("enabled")) {
            needFile(trace, "enabled = true");
        }
        Block admin = root.in("admin");
        Block monitor = admin.in("monitor");
        alone(admin, "admin", (BindAddress) admin.get("bind"), admin.flag("enabled"));
        alone(monitor, "admin.monitor", (BindAddress) monitor.get("bind"), monitor.flag("enabled"));
        new AdminRules(admin, looks).check();
        retryWindow(root.in("shutdown"));
        retryWindow(root.in("accept-limit"));
        root.needWritable("ports-file");
    }

    private static void retryWindow(Block block) {
        if (block.areGood("retry-min", "retry-max")
                && block.duration("retry-min").compareTo(block.duration("retry-max")) > 0) {
            block.problem("retry-min", "need at most retry-max = " + block.shown("retry-max"));
        }
    }

    /** Two batches must fit, each of which may end with the longest message, base64 and all. */
    private void journal(Block journal) {
        long least = 4L * root.size("protocol.max-payload") + (1 << 20);
        if (journal.isGood() && journal.bytes("max-bytes") < least) {
            journal.problem("max-bytes", "need at least four times protocol.max-payload and 1MiB, " + least + "B");
        }
        if (journal.path("directory").isEmpty()) {
            journal.problem("directory", "need a directory with sink.kind = journal");
        }
        if (root.names(FlatConfig.OUTLETS).stream().noneMatch(name -> root.flag("outlets." + name + ".enabled"))) {
            root.note("outlets: need at least one that is enabled, with sink.kind = journal");
        }
    }

    private static void needFile(Block block, String with) {
        block.needWritable("file");
        if (block.path("file").isEmpty()) {
            block.problem("file", "need a file with " + with);
        }
    }
}

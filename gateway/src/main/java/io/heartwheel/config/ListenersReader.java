package io.heartwheel.config;

import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ListenerProtocol;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.ProxySettings;
import io.heartwheel.transport.tls.TlsSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the listeners and looks for those that stand in each other's way. One thread, once. */
final class ListenersReader {
    private static final String LOOPBACK_ONLY =
            "need a loopback address while nobody has said who may come in: for devices elsewhere set auth.mode = shared-token with a token,"
                    + " or auth.mode = none, which believes every device id";
    private final Section listeners;
    private final ConfigMistakes problems;
    private final boolean nativeTransport;
    private final boolean sharePorts;
    private final boolean looksIntoTls;
    private final boolean unprotected;
    /** Addresses taken so far, by the path of the key that took them. */
    private final Map<String, BindAddress> taken = new LinkedHashMap<>();

    /**
     * @param nativeTransport whether SO_REUSEPORT can be had
     * @param sharePorts whether every listener has it, whatever it says itself
     * @param looksIntoTls whether the files of TLS are looked into
     * @param unprotected whether nobody has said who may come in
     */
    ListenersReader(
            Section root,
            ConfigMistakes problems,
            boolean nativeTransport,
            boolean sharePorts,
            boolean looksIntoTls,
            boolean unprotected) {
        this.listeners = root.in(FlatConfig.LISTENERS);
        this.problems = problems;
        this.nativeTransport = nativeTransport;
        this.sharePorts = sharePorts;
        this.looksIntoTls = looksIntoTls;
        this.unprotected = unprotected;
    }

    /** All enabled listeners of these names, to be built when nothing is wrong. */
    Supplier<List<ListenerSettings>> read(Iterable<String> names) {
        List<Supplier<ListenerSettings>> enabled = new ArrayList<>();
        for (String name : names) {
            if (ListenerSettings.isName(name)) {
                read(name).ifPresent(enabled::add);
            } else {
                problems.note(
                        "heartwheel.listeners." + name + ": need a name of 1..32 characters of [a-z0-9-], not admin",
                        null);
            }
        }
        if (enabled.isEmpty()) {
            problems.note("heartwheel.listeners: need at least one that is enabled", null);
        }
        return () -> enabled.stream().map(Supplier::get).toList();
    }

    private Optional<Supplier<ListenerSettings>> read(String name) {
        Section section = listeners.in(name);
        boolean enabled = section.flag("enabled");
        Supplier<@Nullable TlsSettings> tls = TlsReader.listener(section.in("tls"), enabled, looksIntoTls);
        Optional<BindAddress> bind = deviceBind(section, name, enabled);
        ListenerProtocol protocol =
                section.choice("protocol", ListenerProtocol.class, "heartwheel", "websocket", "auto");
        int backlog = section.integer("backlog", "1..65535");
        boolean reusePort = section.flag("reuse-port");
        if (enabled && reusePort && !nativeTransport) {
            section.problem("reuse-port", "need false with transport.kind = nio");
        }
        Supplier<@Nullable ProxySettings> proxy = FrontReader.proxy(section.in("proxy"), enabled);
        if (!enabled) {
            return Optional.empty();
        }
        return Optional.of(() -> new ListenerSettings(
                name, bind.orElseThrow(), protocol, backlog, reusePort || sharePorts, tls.get(), proxy.get()));
    }

    /**
     * The address of a listener for devices. Who left out the host gets every address of the machine, or loopback alone where nobody has said who may
     * come in; there an address beyond it is a mistake.
     */
    private Optional<BindAddress> deviceBind(Section section, String name, boolean enabled) {
        boolean loopbackOnly = unprotected && !asksForCertificates(section.in("tls"));
        String host = loopbackOnly ? "127.0.0.1" : "0.0.0.0";
        Optional<BindAddress> bind = bind(
                section,
                "listeners." + name,
                enabled,
                "need host:port or :port, port 0..65535, an IPv6 address in brackets",
                text -> BindAddress.parse(text.startsWith(":") ? host + text : text));
        if (enabled
                && loopbackOnly
                && section.isGood()
                && !bind.map(BindAddress::isLoopback).orElse(true)) {
            section.problem("bind", LOOPBACK_ONLY);
        }
        return bind;
    }

    private static boolean asksForCertificates(Section tls) {
        return tls.shown("client-auth").equals("required")
                && tls.shown("enabled").matches("true|yes|on");
    }

    /** An address, taken at once if it is to be used. Empty if a problem was noted. */
    Optional<BindAddress> bind(Section section, String path, boolean used) {
        return bind(
                section, path, used, "need host:port, port 0..65535, an IPv6 address in brackets", BindAddress::parse);
    }

    private Optional<BindAddress> bind(
            Section section, String path, boolean used, String need, Function<String, BindAddress> parser) {
        if (!section.has("bind")) {
            problems.note("heartwheel." + path + ".bind: missing, need host:port", null);
            return Optional.empty();
        }
        BindAddress bind = section.parsed("bind", need, parser);
        if (used) {
            taken.entrySet().stream()
                    .filter(other -> other.getValue().clashesWith(bind))
                    .findFirst()
                    .ifPresent(other -> section.problem(
                            "bind", "need an address of its own, heartwheel." + other.getKey() + " has it"));
            taken.put(path + ".bind", bind);
        }
        return Optional.of(bind);
    }
}

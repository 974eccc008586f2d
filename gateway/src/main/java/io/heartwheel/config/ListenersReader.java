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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the listeners and looks for those that stand in each other's way. One thread, once. */
final class ListenersReader {
    private final Section listeners;
    private final Problems problems;
    private final boolean nativeTransport;
    private final boolean sharePorts;
    private final boolean looksIntoTls;
    /** Addresses taken so far, by the path of the key that took them. */
    private final Map<String, BindAddress> taken = new LinkedHashMap<>();

    /**
     * @param nativeTransport whether SO_REUSEPORT can be had
     * @param sharePorts whether every listener has it, whatever it says itself
     * @param looksIntoTls whether the files of TLS are looked into
     */
    ListenersReader(
            Section root, Problems problems, boolean nativeTransport, boolean sharePorts, boolean looksIntoTls) {
        this.listeners = root.in(Leaves.LISTENERS);
        this.problems = problems;
        this.nativeTransport = nativeTransport;
        this.sharePorts = sharePorts;
        this.looksIntoTls = looksIntoTls;
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
        Optional<BindAddress> bind = bind(section, "listeners." + name, enabled);
        ListenerProtocol protocol =
                section.choice("protocol", ListenerProtocol.class, "heartwheel", "websocket", "auto");
        int backlog = section.integer("backlog", "1..65535");
        boolean reusePort = section.flag("reuse-port");
        if (enabled && reusePort && !nativeTransport) {
            section.problem("reuse-port", "need false with transport.kind = nio");
        }
        Supplier<@Nullable TlsSettings> tls = TlsReader.listener(section.in("tls"), enabled, looksIntoTls);
        Supplier<@Nullable ProxySettings> proxy = FrontReader.proxy(section.in("proxy"), enabled);
        if (!enabled) {
            return Optional.empty();
        }
        return Optional.of(() -> new ListenerSettings(
                name, bind.orElseThrow(), protocol, backlog, reusePort || sharePorts, tls.get(), proxy.get()));
    }

    /** An address, taken at once if it is to be used. Empty if a problem was noted. */
    Optional<BindAddress> bind(Section section, String path, boolean used) {
        if (!section.has("bind")) {
            problems.note("heartwheel." + path + ".bind: missing, need host:port", null);
            return Optional.empty();
        }
        BindAddress bind = section.parsed(
                "bind", "need host:port, port 0..65535, an IPv6 address in brackets", BindAddress::parse);
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

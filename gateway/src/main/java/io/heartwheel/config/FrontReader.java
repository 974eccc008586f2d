package io.heartwheel.config;

import io.heartwheel.net.Network;
import io.heartwheel.net.Networks;
import io.heartwheel.protocol.websocket.ForwardedSettings;
import io.heartwheel.transport.AdmissionSettings;
import io.heartwheel.transport.ProxySettings;
import io.heartwheel.transport.SourceSettings;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads what stands between devices and the gateway, and how much room a source of connections has. One thread, once. */
final class FrontReader {
    private static final String NEED =
            "need at most " + Networks.MOST + " networks, each address/bits with no bit set behind them, or an address";

    private FrontReader() {}

    /**
     * The balancers of a listener; null without.
     *
     * @param listening whether the listener is used
     */
    static Supplier<@Nullable ProxySettings> proxy(Section section, boolean listening) {
        boolean enabled = section.flag("enabled");
        List<String> trusted = networks(section, "trusted");
        if (!enabled || !listening) {
            return () -> null;
        }
        needSome(section, trusted);
        return () -> new ProxySettings(Networks.parse(trusted));
    }

    /** The balancers that write where a request comes from; null without. */
    static Supplier<@Nullable ForwardedSettings> forwarded(Section section) {
        boolean enabled = section.flag("enabled");
        List<String> trusted = networks(section, "trusted");
        String header = section.text(
                "header",
                "need the name of a header, at most 64 characters",
                name -> ForwardedSettings.isHeader(name.toLowerCase(Locale.ROOT)));
        if (!enabled) {
            return () -> null;
        }
        needSome(section, trusted);
        return () -> new ForwardedSettings(header.toLowerCase(Locale.ROOT), Networks.parse(trusted));
    }

    /** Who is let in beside what the transport can hold. */
    static Supplier<AdmissionSettings> admission(Section root) {
        int maxPending = root.in("handshake").integer("max-pending", "16..10000000");
        Supplier<@Nullable SourceSettings> sources = sources(root.in("source-limits"));
        return () -> new AdmissionSettings(maxPending, sources.get());
    }

    private static Supplier<@Nullable SourceSettings> sources(Section section) {
        boolean enabled = section.flag("enabled");
        int connections = section.integer("connections", "1..10000000");
        int rate = section.integer("accepts-per-second", "1..1000000");
        int burst = section.integer("burst", "1..1000000");
        List<String> exempt = networks(section, "exempt");
        int prefix = section.integer("v6-prefix", "32..64");
        int tracked = section.integer("tracked", "1024..16777216");
        if (!enabled) {
            return () -> null;
        }
        return () -> new SourceSettings(connections, rate, burst, Networks.parse(exempt), prefix, tracked);
    }

    private static void needSome(Section section, List<String> trusted) {
        if (section.isGood() && trusted.isEmpty()) {
            section.problem("trusted", "need at least one network with enabled = true");
        }
    }

    /** A list of networks; when it is not good a problem was noted. */
    private static List<String> networks(Section section, String key) {
        List<String> texts = section.texts(key, NEED, Network::isNetwork);
        if (texts.size() > Networks.MOST) {
            section.problem(key, NEED);
        }
        return texts;
    }
}

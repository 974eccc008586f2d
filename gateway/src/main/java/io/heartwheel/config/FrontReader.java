package io.heartwheel.config;

import io.heartwheel.protocol.Network;
import io.heartwheel.protocol.Networks;
import io.heartwheel.transport.ProxySettings;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads what stands between devices and the gateway, and how much room a source of connections has. One thread, once. */
final class FrontReader {
    private static final String NEED =
            "need at most " + Networks.MOST + " networks, each address/bits with no bit set behind them, or an address";

    private FrontReader() {}

    /** The balancers of a listener; null without. @param listening whether the listener is used */
    static Supplier<@Nullable ProxySettings> proxy(Section section, boolean listening) {
        boolean enabled = section.flag("enabled");
        List<String> trusted = networks(section, "trusted");
        if (!enabled || !listening) {
            return () -> null;
        }
        needSome(section, trusted);
        return () -> new ProxySettings(Networks.parse(trusted));
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

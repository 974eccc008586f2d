package io.heartwheel.app;

import io.heartwheel.app.doctor.BindTrial;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.transport.ListenerSettings;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Summary of a good configuration, printed by {@code --check}: where the gateway would listen and where events would go. */
final class ConfigSummary {
    private final PrintWriter out;

    ConfigSummary(PrintWriter out) {
        this.out = out;
    }

    /** @param shadowPolicies of what a start would bind, none of them refused */
    void print(String source, GatewaySettings settings, List<BindTrial> shadowPolicies) {
        out.println("ok: " + source);
        for (ListenerSettings listener : settings.listeners()) {
            line(
                    "listener " + listener.name(),
                    listener.bind() + " " + word(listener.protocol()) + (listener.tls() == null ? "" : " tls"));
        }
        line(
                "transport",
                word(settings.transport().kind()) + ", at most "
                        + settings.transport().maxConnections() + " connections");
        line("auth", word(settings.auth().mode()));
        line(
                "sink",
                word(settings.sink().kind())
                        + (settings.sink().kind() == SinkKind.FILE
                                ? " " + settings.sink().file()
                                : ""));
        line("admin", settings.admin().enabled() ? settings.admin().bind().toString() : "off");
        for (BindTrial shadowPolicy : shadowPolicies) {
            if (shadowPolicy.state() == BindTrial.State.RUNNING) {
                line(
                        "in use",
                        shadowPolicy.address() + ": " + shadowPolicy.text()
                                + "; fine for a reload or a restart, in the way of another one");
            }
        }
        line(
                "tried",
                "names looked up, addresses bound and given back; no file opened for writing, no limit looked at (doctor does)");
        out.flush();
    }

    private void line(String name, String value) {
        out.printf(Locale.ROOT, "  %-18s %s%n", name, value);
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}

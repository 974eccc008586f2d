package io.heartwheel.app;

import static java.util.Objects.requireNonNull;

import io.heartwheel.admin.AdminSettings;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.MethodSettings;
import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.config.LoadedConfig;
import io.heartwheel.net.IpAddress;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.sink.SinkSettings;
import io.heartwheel.transport.ListenerSettings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines of the log that tell an operator what has been started and with which settings, a fact each. What is opened tells of itself: listeners, their TLS, lost
 * devices. No secrets. Any thread.
 */
final class StartLog {
    private static final Logger LOG = LoggerFactory.getLogger(StartLog.class);

    private StartLog() {}

    /** Before anything is opened: what this is. */
    static void begin(LoadedConfig config) {
        LOG.info(
                "heartwheel-gateway {}, java {}, process {}",
                Versions.own(),
                Runtime.version(),
                ProcessHandle.current().pid());
        List<String> sources = config.sources();
        LOG.info("configuration: {}", sources.isEmpty() ? "built-in defaults" : String.join(", ", sources));
    }

    /**
     * When all is open: who may come in, and where events and metrics go.
     *
     * @param ports where listeners are bound, by name
     */
    static void open(GatewaySettings settings, Map<String, InetSocketAddress> ports) {
        if (settings.listeners().stream().allMatch(listener -> listener.tls() == null)) {
            LOG.info("TLS: no listener for devices has it");
        }
        LOG.info("auth: {}", auth(settings.auth()));
        warnOfUnprotected(settings);
        ClusterSettings cluster = settings.cluster();
        if (cluster != null) {
            LOG.info(
                    "cluster: node {} of {}, NATS at {}",
                    cluster.node(),
                    cluster.name(),
                    cluster.nats().urls());
        }
        LOG.info("events: {}", events(settings.sink()));
        outlets(settings);
        LOG.info("metrics: {}", metrics(settings.admin(), ports));
    }

    private static String auth(AuthSettings auth) {
        return switch (auth.mode()) {
            case UNSET -> "unset, so devices of this machine alone can connect";
            case NONE -> "none, every device id is believed";
            case SHARED_TOKEN -> "one token that all devices share";
            case METHODS ->
                "asks " + auth.methods().stream().map(MethodSettings::method).collect(Collectors.joining(", then "));
        };
    }

    private static String events(SinkSettings sink) {
        return switch (sink.kind()) {
            case NONE -> "dropped (sink.kind = none)";
            case ECHO -> "dropped, messages are sent back (sink.kind = echo)";
            case CONSOLE -> "to standard output";
            case FILE -> "to the file " + sink.file().toAbsolutePath();
            case JOURNAL ->
                "to the journal in " + sink.journal().store().directory().toAbsolutePath();
        };
    }

    private static void outlets(GatewaySettings settings) {
        List<OutletSettings> all = settings.outlets();
        if (settings.sink().kind() == SinkKind.JOURNAL) {
            all.forEach(each -> LOG.info(
                    "outlet {}: {}, {}",
                    each.name(),
                    each.target().kind(),
                    each.target().place()));
        } else if (all.stream().anyMatch(each -> !(each.target() instanceof OutletSettings.Console))) {
            LOG.warn("outlets deliver nothing: they need sink.kind = journal");
        }
    }

    private static String metrics(AdminSettings admin, Map<String, InetSocketAddress> ports) {
        List<String> all = new ArrayList<>();
        if (admin.enabled()) {
            String asks = admin.asksNobody() ? "" : " (to callers with the scope read)";
            all.add(url(admin.tls() != null, ports.get(ListenerSettings.ADMIN)) + asks);
        }
        if (admin.monitor().enabled()) {
            all.add(url(admin.monitor().tls() != null, ports.get(ListenerSettings.MONITOR)));
        }
        return all.isEmpty() ? "nowhere, admin and admin.monitor are off" : String.join(", ", all);
    }

    private static String url(boolean secured, @Nullable InetSocketAddress bound) {
        return (secured ? "https://" : "http://") + IpAddress.text(requireNonNull(bound)) + "/metrics";
    }

    /** Listeners that let in whoever reaches them. */
    static void warnOfUnprotected(GatewaySettings settings) {
        List<ListenerSettings> unprotected = settings.unprotected();
        if (!unprotected.isEmpty()) {
            LOG.warn(
                    "auth.mode = none: every device id is believed, from whoever reaches {}",
                    unprotected.stream()
                            .map(listener -> listener.name() + " (" + listener.bind() + ")")
                            .collect(Collectors.joining(", ")));
        }
    }
}

package io.heartwheel.app;

import io.heartwheel.admin.AdminPorts;
import io.heartwheel.admin.AdminServer;
import io.heartwheel.admin.AdminSettings;
import io.heartwheel.net.IpAddress;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.tls.TlsListeners;
import io.heartwheel.transport.tls.TlsSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listeners of the operator and of monitors, those that are enabled. Open and close on one thread; the rest on any that may block on files. */
final class AdminListeners implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminListeners.class);

    private final List<AdminServer> servers = new CopyOnWriteArrayList<>();

    /**
     * Opens them.
     *
     * @param secured what has the TLS of all listeners
     * @param ports where each listens is added, by its name
     * @throws IOException naming what cannot be used; what is open by then, {@link #close} ends
     */
    void open(AdminSettings settings, AdminPorts parts, TlsListeners secured, Map<String, InetSocketAddress> ports)
            throws IOException {
        if (settings.enabled()) {
            AdminServer admin = AdminServer.start(settings, parts, secured);
            servers.add(admin);
            ports.put(ListenerSettings.ADMIN, admin.address());
            LOG.info("admin on {}", IpAddress.text(admin.address()));
        }
        if (settings.monitor().enabled()) {
            AdminServer monitor = AdminServer.startMonitor(settings, parts, secured);
            servers.add(monitor);
            ports.put(ListenerSettings.MONITOR, monitor.address());
            LOG.info("metrics and health on {}", IpAddress.text(monitor.address()));
        }
    }

    /** TLS as these settings have it, by the name of the listener. */
    static Map<String, TlsSettings> tls(AdminSettings settings) {
        Map<String, TlsSettings> all = new LinkedHashMap<>();
        put(all, ListenerSettings.ADMIN, settings.tls());
        put(all, ListenerSettings.MONITOR, settings.monitor().tls());
        return all;
    }

    private static void put(Map<String, TlsSettings> all, String listener, @Nullable TlsSettings tls) {
        if (tls != null) {
            all.put(listener, tls);
        }
    }

    /**
     * Prepares other settings.
     *
     * @param problems what cannot be used is added
     * @return takes them, but for TLS
     */
    Runnable prepare(AdminSettings fresh, List<String> problems) {
        List<Runnable> prepared = new ArrayList<>();
        for (AdminServer server : servers) {
            try {
                prepared.add(server.prepare(fresh));
            } catch (IOException bad) {
                problems.add(String.valueOf(bad.getMessage()));
            }
        }
        return () -> prepared.forEach(Runnable::run);
    }

    @Override
    public void close() {
        servers.forEach(AdminServer::close);
    }
}

package io.heartwheel.app.doctor;

import io.heartwheel.admin.AdminSettings;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.tls.TlsSettings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Input of all checks.
 *
 * @param settings as configured
 * @param authFiles what authentication reads, by the keys that name it
 * @param connections to be held, 1 or more
 * @param machine what the system's files say
 * @param probes what only a trial can tell
 */
record CheckContext(
        GatewaySettings settings, Map<String, Path> authFiles, long connections, Machine machine, Probes probes) {

    /** The package's service, if this machine has it: what the gateway gets is what that gives it. */
    Optional<Service> service() {
        return Service.of(machine);
    }

    /** What an operator calls the service, installed or not. */
    String unit() {
        return service().map(Service::name).orElse("heartwheel");
    }

    /** TLS of the listeners that have it, the operator's among them, by their names. */
    Map<String, TlsSettings> tlsByListener() {
        Map<String, TlsSettings> all = new LinkedHashMap<>();
        settings.listeners().forEach(listener -> put(all, true, listener.name(), listener.tls()));
        AdminSettings admin = settings.admin();
        put(all, admin.enabled(), ListenerSettings.ADMIN, admin.tls());
        put(
                all,
                admin.monitor().enabled(),
                ListenerSettings.MONITOR,
                admin.monitor().tls());
        return all;
    }

    private static void put(Map<String, TlsSettings> all, boolean enabled, String listener, @Nullable TlsSettings tls) {
        if (enabled && tls != null) {
            all.put(listener, tls);
        }
    }

    /** TLS of the listeners that have it. */
    Stream<TlsSettings> tls() {
        return tlsByListener().values().stream();
    }

    boolean hasTls() {
        return tls().findAny().isPresent();
    }
}

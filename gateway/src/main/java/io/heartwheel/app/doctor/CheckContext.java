package io.heartwheel.app.doctor;

import io.heartwheel.config.GatewaySettings;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.tls.TlsSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

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

    /** TLS of the listeners that have it. */
    Stream<TlsSettings> tls() {
        return settings.listeners().stream().map(ListenerSettings::tls).flatMap(Stream::ofNullable);
    }

    boolean hasTls() {
        return tls().findAny().isPresent();
    }
}

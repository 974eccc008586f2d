package io.heartwheel.app.doctor;

import io.heartwheel.config.GatewaySettings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Input of all checks.
 *
 * @param settings as configured
 * @param tokenFile where the shared token is, if it is in a file
 * @param connections to be held, 1 or more
 * @param machine what the system's files say
 * @param probes what only a trial can tell
 */
record CheckContext(
        GatewaySettings settings, Optional<Path> tokenFile, long connections, Machine machine, Probes probes) {

    /** The package's service, if this machine has it: what the gateway gets is what that gives it. */
    Optional<Service> service() {
        return Service.of(machine);
    }
}

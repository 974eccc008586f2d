package io.heartwheel.app.doctor;

import java.util.List;
import java.util.Optional;

/** Check of the account that runs the doctor: another one than the service's does not notice what that may not read. Says nothing where no service is installed. */
final class UserAccount {
    private static final String AREA = "account";

    private UserAccount() {}

    static List<Finding> of(CheckContext context) {
        Optional<Service> service = context.service();
        if (service.isEmpty()) {
            return List.of();
        }
        String wanted = service.get().account();
        String here = context.probes().account();
        return List.of(
                here.equals(wanted)
                        ? Finding.ok(AREA, here + ", as " + service.get().name() + ".service")
                        : Finding.warn(
                                AREA,
                                here + ", and " + service.get().name() + ".service runs as " + wanted,
                                "what that account may not read, bind or write is not noticed",
                                "as root: runuser -u " + wanted
                                        + " -- heartwheel-gateway doctor, with the same options"));
    }
}

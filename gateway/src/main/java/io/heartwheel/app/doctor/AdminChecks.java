package io.heartwheel.app.doctor;

import io.heartwheel.admin.AdminSettings;
import java.util.ArrayList;
import java.util.List;

/** Checks of who may reach the operator's listeners, and who may listen in. */
final class AdminChecks {
    private AdminChecks() {}

    static List<Finding> of(CheckContext context) {
        AdminSettings admin = context.settings().admin();
        List<Finding> found = new ArrayList<>();
        if (admin.enabled()) {
            found.add(admin(admin));
        }
        AdminSettings.Monitor monitor = admin.monitor();
        if (monitor.enabled() && !monitor.bind().isLoopback()) {
            found.add(Finding.ok("admin.monitor.bind = " + monitor.bind()
                    + ": whoever reaches it sees figures and health, and no device"));
        }
        return found;
    }

    private static Finding admin(AdminSettings admin) {
        String where = "admin.bind = " + admin.bind() + ": ";
        if (admin.bind().isLoopback()) {
            return Finding.ok(
                    where + (admin.asksNobody() ? "everybody on this machine may do everything" : "callers are known"));
        }
        return admin.tls() == null
                ? Finding.warn(
                        where + "beyond this machine and without TLS",
                        "whoever is on the way reads the tokens and may use them",
                        "set admin.tls.enabled = true with certificate-file and key-file, or bind it to 127.0.0.1")
                : Finding.ok(where + "callers are known, over TLS");
    }
}

package io.heartwheel.app.doctor;

import static io.heartwheel.app.doctor.Finding.number;

import io.heartwheel.admin.AdminSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks of what a process started here gets: its account, its descriptors, its signals. */
final class ProcessChecks {
    /** Descriptors of the JVM, its jar and libraries, listeners, event loops, sinks. */
    private static final long OWN = 300;

    private ProcessChecks() {}

    /** Another account than the service's does not notice what that may not read. Says nothing where no service is installed. */
    static List<Finding> account(CheckContext context) {
        Optional<Service> service = context.service();
        if (service.isEmpty()) {
            return List.of();
        }
        String wanted = service.get().account();
        String here = context.probes().account();
        return List.of(
                here.equals(wanted)
                        ? Finding.ok(here + ", as " + service.get().name() + ".service")
                        : Finding.warn(
                                here + ", and " + service.get().name() + ".service runs as " + wanted,
                                "what that account may not read, bind or write is not noticed",
                                "as root: runuser -u " + wanted
                                        + " -- heartwheel-gateway doctor, with the same options"));
    }

    /** One for each connection, and some for the process itself. */
    static List<Finding> descriptors(CheckContext context) {
        Machine machine = context.machine();
        AdminSettings admin = context.settings().admin();
        int monitors = admin.monitor().enabled() ? admin.monitor().maxConnections() : 0;
        long need = context.connections() + admin.maxConnections() + monitors + OWN;
        long ceiling = machine.setting("fs.nr_open").orElse(Long.MAX_VALUE);
        OptionalLong ofService = context.service().map(Service::descriptors).orElse(OptionalLong.empty());
        long limit = Math.min(
                ceiling,
                ofService.isPresent()
                        ? ofService.getAsLong()
                        : machine.descriptors().orElse(Long.MAX_VALUE));
        String unit = context.unit();
        List<String> raise = new ArrayList<>();
        if (need > ceiling) {
            raise.add(Sysctls.raise(machine, "fs.nr_open", need));
        }
        if (need > ofService.orElse(0)) {
            raise.add("systemctl edit " + unit + ", in [Service]: LimitNOFILE=" + need
                    + (ofService.isPresent() ? "" : " (in a shell: ulimit -Hn " + need + ")"));
        }
        String what = number(need) + " needed for " + number(context.connections()) + " connections, "
                + (limit == Long.MAX_VALUE ? "any number" : number(limit)) + " allowed ("
                + (ofService.isPresent() ? "LimitNOFILE of " + unit + ".service" : "RLIMIT_NOFILE") + ")";
        String why = "beyond it nobody gets in: the listener rests and tries again";
        long left = machine.setting("fs.file-max").orElse(Long.MAX_VALUE)
                - machine.setting("fs.file-nr").orElse(0);
        return List.of(
                limit >= need ? Finding.ok(what) : Finding.fail(what, why, String.join("; ", raise)),
                left >= need
                        ? Finding.ok("the whole machine has room for them (fs.file-max)")
                        : Finding.fail(
                                number(Math.max(0, left))
                                        + " left on the whole machine (fs.file-max less what is open)",
                                "beyond it nobody gets in, and other programs fail as well",
                                Sysctls.raise(
                                        machine,
                                        "fs.file-max",
                                        machine.setting("fs.file-nr").orElse(0) + 2 * need)));
    }

    /** Whoever starts a process may have it ignore some: nohup, the background of a shell, many a CI runner. */
    static List<Finding> signals(CheckContext context) {
        long ignored = Long.parseUnsignedLong(context.machine().status("SigIgn").orElse("0"), 16);
        Map<String, String> effects = new LinkedHashMap<>();
        if ((ignored & 1) != 0) {
            effects.put("HUP", "the configuration is read again by POST /v1/reload alone");
        }
        if ((ignored & 1 << 1) != 0) {
            effects.put("INT", "Ctrl-C does not end it; SIGTERM does");
        }
        if ((ignored & 1 << 14) != 0) {
            effects.put("TERM", "only SIGKILL ends it, without a drain");
        }
        List<Finding> found = new ArrayList<>();
        effects.forEach((name, effect) -> found.add(Finding.warn(
                "SIG" + name + " is ignored by what is started from here, as from nohup",
                effect,
                "start it by systemd, or with: env --default-signal=" + name + " heartwheel-gateway")));
        return found.isEmpty() ? List.of(Finding.ok("none of SIGHUP, SIGINT and SIGTERM is ignored")) : found;
    }
}

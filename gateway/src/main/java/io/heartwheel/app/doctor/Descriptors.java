package io.heartwheel.app.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Check of the descriptor limits: one for each connection, and some for the process itself. */
final class Descriptors {
    private static final String AREA = "descriptors";
    /** Of the JVM, its jar and libraries, listeners, event loops, sinks. */
    private static final long OWN = 300;

    private Descriptors() {}

    static List<Finding> of(CheckContext context) {
        Machine machine = context.machine();
        long need = context.connections() + context.settings().admin().maxConnections() + OWN;
        List<Finding> found = new ArrayList<>();
        long ceiling = machine.setting("fs.nr_open").orElse(Long.MAX_VALUE);
        Optional<Service> service = context.service();
        OptionalLong ofService = service.map(Service::descriptors).orElse(OptionalLong.empty());
        long limit = Math.min(
                ceiling,
                ofService.isPresent()
                        ? ofService.getAsLong()
                        : machine.descriptors().orElse(Long.MAX_VALUE));
        String unit = service.map(Service::name).orElse("heartwheel");
        String raise = (need > ceiling ? Sysctls.raise(machine, "fs.nr_open", need) : "")
                + (need > ceiling && need > ofService.orElse(0) ? "; " : "")
                + (need > ofService.orElse(0)
                        ? "systemctl edit " + unit + ", in [Service]: LimitNOFILE=" + need
                                + (ofService.isPresent() ? "" : " (in a shell: ulimit -Hn " + need + ")")
                        : "");
        String what = number(need) + " needed for " + number(context.connections()) + " connections, "
                + (limit == Long.MAX_VALUE ? "any number" : number(limit)) + " allowed ("
                + (ofService.isPresent() ? "LimitNOFILE of " + unit + ".service" : "RLIMIT_NOFILE") + ")";
        found.add(
                limit >= need
                        ? Finding.ok(AREA, what)
                        : Finding.fail(
                                AREA, what, "beyond it nobody gets in: the listener rests and tries again", raise));
        long all = machine.setting("fs.file-max").orElse(Long.MAX_VALUE);
        long open = machine.setting("fs.file-nr").orElse(0);
        if (all - open < need) {
            found.add(Finding.fail(
                    AREA,
                    number(Math.max(0, all - open)) + " left on the whole machine (fs.file-max less what is open)",
                    "beyond it nobody gets in, and other programs fail as well",
                    Sysctls.raise(machine, "fs.file-max", open + 2 * need)));
        } else {
            found.add(Finding.ok(AREA, "the whole machine has room for them (fs.file-max)"));
        }
        return found;
    }

    static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}

package io.heartwheel.app.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One descriptor a connection, and some for the process itself. */
final class Descriptors {
    private static final String AREA = "descriptors";
    /** Of the JVM, its jar and libraries, listeners, event loops, sinks. */
    private static final long OWN = 300;

    private Descriptors() {}

    static List<Finding> of(Patient patient) {
        Machine machine = patient.machine();
        long need = patient.connections() + patient.settings().admin().maxConnections() + OWN;
        List<Finding> found = new ArrayList<>();
        long ceiling = machine.setting("fs.nr_open").orElse(Long.MAX_VALUE);
        long limit = machine.descriptors().orElse(Long.MAX_VALUE);
        String raise = (need > ceiling ? "sysctl -w fs.nr_open=" + need + " && " : "")
                + "systemctl edit heartwheel, in [Service]: LimitNOFILE=" + need + " (in a shell: ulimit -Hn " + need
                + ")";
        String what = number(need) + " needed for " + number(patient.connections()) + " connections, "
                + (limit == Long.MAX_VALUE ? "any number" : number(limit)) + " allowed (RLIMIT_NOFILE)";
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
                    "sysctl -w fs.file-max=" + (open + 2 * need)));
        } else {
            found.add(Finding.ok(AREA, "the whole machine has room for them (fs.file-max)"));
        }
        return found;
    }

    static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}

package io.heartwheel.app.doctor;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Check of the clock source. Every frame reads the monotonic clock; the wall clock is only written down. */
final class Clock {
    private static final String SOURCES = "sys/devices/system/clocksource/clocksource0/";
    /** Those that are read without entering the kernel. */
    private static final Set<String> QUICK =
            Set.of("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "hyperv_clocksource_msr");

    private static final long COARSE_NANOS = 1_000_000;

    private Clock() {}

    static List<Finding> of(CheckContext context) {
        List<Finding> found = new ArrayList<>();
        source(context.machine(), found);
        long stepNanos = context.probes().clockStepNanos();
        found.add(
                stepNanos < COARSE_NANOS
                        ? Finding.ok("steps of " + stepNanos + " ns at least, as measured")
                        : Finding.warn(
                                "steps of " + stepNanos + " ns, as measured",
                                "no deadline can be met better than that",
                                "another clock source, see above, or another machine"));
        found.add(Finding.ok(synchronised(context.machine())));
        return found;
    }

    private static void source(Machine machine, List<Finding> found) {
        String current = machine.text(SOURCES + "current_clocksource");
        List<String> available =
                List.of(machine.text(SOURCES + "available_clocksource").split("\\s+", -1));
        if (current.isEmpty()) {
            found.add(Finding.ok("its source is not known"));
        } else if (QUICK.contains(current)) {
            found.add(Finding.ok("source " + current));
        } else {
            String better =
                    available.stream().filter(QUICK::contains).findFirst().orElse("");
            found.add(Finding.warn(
                    "source " + current,
                    "each reading of the time goes into the kernel or to a device: up to microseconds, for every frame",
                    better.isEmpty()
                            ? "dmesg | grep -i clocksource tells why no better one is to be had; ask the host of this machine"
                            : "echo " + better + " > /" + SOURCES + "current_clocksource (to keep it: clocksource="
                                    + better + " on the kernel's command line)"));
        }
    }

    private static String synchronised(Machine machine) {
        if (Files.exists(machine.at("run/systemd/timesync/synchronized"))) {
            return "wall clock synchronised (systemd-timesyncd)";
        }
        if (Files.exists(machine.at("run/chrony/chronyd.pid"))) {
            return "wall clock kept by chrony; chronyc tracking tells how well";
        }
        return "whether the wall clock is synchronised is not known; deadlines do not depend on it, times in events and logs do";
    }
}

package io.heartwheel.app.doctor;

import static io.heartwheel.app.doctor.Finding.number;

import io.heartwheel.transport.ListenerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Checks of the kernel's network settings that matter to a fleet. An unknown setting gives no finding. */
final class NetworkChecks {
    private static final int PAGE = 4_096;
    /** Unsent bytes beyond which a slow device is noticed late. */
    private static final long LATE_BYTES = 4L << 20;

    private final CheckContext context;
    private final Machine machine;
    private final List<Finding> found = new ArrayList<>();

    private NetworkChecks(CheckContext context) {
        this.context = context;
        machine = context.machine();
    }

    static List<Finding> of(CheckContext context) {
        NetworkChecks network = new NetworkChecks(context);
        network.queues();
        network.buffers();
        network.tracking();
        network.migration();
        return network.found;
    }

    private void queues() {
        long backlog = context.settings().listeners().stream()
                .mapToLong(ListenerSettings::backlog)
                .max()
                .orElse(0);
        atLeast(
                "net.core.somaxconn",
                backlog,
                "the kernel cuts the listeners' backlog of " + number(backlog) + " to it",
                "in a reconnect storm devices wait a second and more to be let in");
        atLeast(
                "net.ipv4.tcp_max_syn_backlog",
                backlog,
                "fewer handshakes under way than a listener's backlog of " + number(backlog),
                "in a reconnect storm first packets are dropped or answered by cookies");
        atLeast(
                "net.ipv4.tcp_syncookies",
                1,
                "no cookies when the queue of handshakes is full",
                "a flood of first packets shuts honest devices out");
    }

    private void atLeast(String key, long least, String what, String why) {
        OptionalLong value = machine.setting(key);
        if (value.isEmpty()) {
            return;
        }
        String now = key + " = " + value.getAsLong();
        found.add(
                value.getAsLong() >= least
                        ? Finding.ok(now)
                        : Finding.warn(now + ": " + what, why, Sysctls.raise(machine, key, least)));
    }

    private void buffers() {
        long[] pages = machine.sysctl("net.ipv4.tcp_mem");
        long need = context.connections();
        if (pages.length == 3) {
            String now = "net.ipv4.tcp_mem = " + pages[0] + " " + pages[1] + " " + pages[2] + " pages";
            found.add(
                    pages[2] >= need
                            ? Finding.ok(now)
                            : Finding.warn(
                                    now + ": not one of " + PAGE + " bytes for each of " + number(need)
                                            + " connections",
                                    "when all speak at once the kernel drops packets of all",
                                    Sysctls.raise(machine, "net.ipv4.tcp_mem", need / 2, need * 3 / 4, need)));
        }
        long[] send = machine.sysctl("net.ipv4.tcp_wmem");
        OptionalLong unsent = machine.setting("net.ipv4.tcp_notsent_lowat");
        boolean late = send.length == 3
                && send[2] >= LATE_BYTES
                && unsent.isPresent()
                && (unsent.getAsLong() < 0 || unsent.getAsLong() >= LATE_BYTES);
        if (late) {
            found.add(Finding.warn(
                    "net.ipv4.tcp_notsent_lowat = " + unsent.getAsLong() + ", tcp_wmem up to " + number(send[2])
                            + " bytes",
                    "a device that reads slowly is noticed only when megabytes lie in the kernel",
                    Sysctls.set(machine, "net.ipv4.tcp_notsent_lowat", "131072")));
        }
    }

    /** A kernel that could track but has tracked nobody has no rule that makes it. */
    private void tracking() {
        long tracked = machine.setting("net.netfilter.nf_conntrack_count").orElse(0);
        OptionalLong most = machine.setting("net.netfilter.nf_conntrack_max");
        if (tracked == 0 || most.isEmpty()) {
            return;
        }
        String now = "net.netfilter.nf_conntrack_max = " + most.getAsLong() + ", " + number(tracked) + " in use";
        long need = context.connections() + context.connections() / 4;
        found.add(
                most.getAsLong() >= need
                        ? Finding.ok(now)
                        : Finding.fail(
                                now + ": a stateful firewall needs an entry for each of "
                                        + number(context.connections()) + " connections",
                                "when its table is full new devices are dropped without a word",
                                Sysctls.raise(machine, "net.netfilter.nf_conntrack_max", need)));
    }

    private void migration() {
        boolean shared = context.settings().listeners().stream().anyMatch(ListenerSettings::reusePort);
        if (shared) {
            atLeast(
                    "net.ipv4.tcp_migrate_req",
                    1,
                    "connections that wait at a process that ends are reset",
                    "with reuse-port each restart of one process turns some devices away");
        }
    }
}

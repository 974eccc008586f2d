package io.heartwheel.app.doctor;

import io.heartwheel.transport.BindAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Check that the listeners' addresses are free, and who holds them if not. */
final class Ports {
    private static final String RESERVED = "net.ipv4.ip_local_reserved_ports";

    private static final int FIRST_FREE_FOR_ALL = 1_024;

    private final CheckContext context;
    private final Machine machine;
    private final List<Finding> found = new ArrayList<>();

    private Ports(CheckContext context) {
        this.context = context;
        machine = context.machine();
    }

    static List<Finding> of(CheckContext context) {
        Ports ports = new Ports(context);
        BindTrial.of(context.settings(), context.machine(), context.probes()).forEach(ports::look);
        return ports.found;
    }

    private void look(BindTrial trial) {
        boolean admin = !trial.key().startsWith("listeners.");
        String what = (admin ? "" : "listener ") + trial.listener() + " on " + trial.address();
        int port = trial.address().port();
        String told = what + ": " + trial.text();
        switch (trial.state()) {
            case FREE -> found.add(Finding.ok(what + ": free"));
            case RUNNING ->
                found.add(Finding.ok(told + "; "
                        + (trial.shared()
                                ? "reuse-port lets another one beside it"
                                : "fine if it is the one you ask about")));
            case REFUSED ->
                found.add(
                        port > 0 && port < FIRST_FREE_FOR_ALL && told.contains("ermission")
                                ? privileged(told)
                                : Finding.fail(
                                        told,
                                        "the gateway does not start",
                                        "as root: ss -ltnp 'sport = :" + port
                                                + "' tells who has it; end that, or take another bind"));
            default -> throw new IllegalStateException(trial.toString());
        }
        reserved(what, trial.address());
    }

    private Finding privileged(String told) {
        Optional<Service> service = context.service();
        if (service.filter(Service::mayTakeLowPorts).isPresent()) {
            return Finding.ok(
                    told + "; " + service.get().name() + ".service may (AmbientCapabilities=CAP_NET_BIND_SERVICE)");
        }
        return Finding.fail(
                told,
                "a port below " + FIRST_FREE_FOR_ALL + " needs a privilege",
                "systemctl edit " + context.unit()
                        + ", in [Service]: AmbientCapabilities=CAP_NET_BIND_SERVICE,"
                        + " CapabilityBoundingSet=CAP_NET_BIND_SERVICE, PrivateUsers=no");
    }

    /** A port out of the range for outgoing connections may be in use for one just when the gateway starts. */
    private void reserved(String what, BindAddress address) {
        long[] range = machine.sysctl("net.ipv4.ip_local_port_range");
        boolean inRange = range.length == 2 && address.port() >= range[0] && address.port() <= range[1];
        if (inRange && !isReserved(address.port())) {
            found.add(Finding.warn(
                    what + ": within net.ipv4.ip_local_port_range = " + range[0] + " " + range[1],
                    "an outgoing connection of this machine may have the port just when the gateway starts",
                    Sysctls.set(
                            machine,
                            RESERVED,
                            reservedPorts().isEmpty()
                                    ? String.valueOf(address.port())
                                    : reservedPorts() + "," + address.port())));
        }
    }

    private boolean isReserved(int port) {
        for (String each : reservedPorts().split(",", -1)) {
            String[] ends = each.split("-", 2);
            long first = Machine.number(ends[0]);
            long last = ends.length == 2 ? Machine.number(ends[1]) : first;
            if (first > 0 && port >= first && port <= last) {
                return true;
            }
        }
        return false;
    }

    private String reservedPorts() {
        return machine.text("proc/sys/" + RESERVED.replace('.', '/'));
    }
}

package io.heartwheel.app.doctor;

import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ListenerSettings;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Whether the listeners can be had, and who has them if not. */
final class Ports {
    private static final String AREA = "ports";
    /** State of a listening socket in /proc/net/tcp. */
    private static final String LISTENING = "0A";

    private static final int FIRST_FREE_FOR_ALL = 1_024;

    private final Patient patient;
    private final Machine machine;
    private final List<Finding> found = new ArrayList<>();

    private record Holder(String pid, String name, boolean gateway) {}

    private Ports(Patient patient) {
        this.patient = patient;
        machine = patient.machine();
    }

    static List<Finding> of(Patient patient) {
        Ports ports = new Ports(patient);
        Map<String, BindAddress> wanted = new LinkedHashMap<>();
        Set<String> shared = new HashSet<>();
        for (ListenerSettings listener : patient.settings().listeners()) {
            wanted.put("listener " + listener.name(), listener.bind());
            if (listener.reusePort()) {
                shared.add("listener " + listener.name());
            }
        }
        if (patient.settings().admin().enabled()) {
            wanted.put("admin", patient.settings().admin().bind());
        }
        wanted.forEach((name, address) -> ports.look(name, address, shared.contains(name)));
        return ports.found;
    }

    private void look(String name, BindAddress address, boolean shared) {
        String what = name + " on " + address;
        Optional<String> obstacle = patient.probes().unbindable(address);
        if (obstacle.isEmpty()) {
            found.add(Finding.ok(AREA, what + ": free"));
        } else {
            found.add(taken(what + ": " + obstacle.get(), address, shared));
        }
        reserved(what, address);
    }

    private Finding taken(String what, BindAddress address, boolean shared) {
        if (address.port() > 0 && address.port() < FIRST_FREE_FOR_ALL && what.contains("ermission")) {
            return Finding.fail(
                    AREA,
                    what,
                    "a port below " + FIRST_FREE_FOR_ALL + " needs a privilege",
                    "systemctl edit heartwheel, in [Service]: AmbientCapabilities=CAP_NET_BIND_SERVICE,"
                            + " CapabilityBoundingSet=CAP_NET_BIND_SERVICE, PrivateUsers=no");
        }
        Optional<Holder> holder = holder(address.port());
        if (holder.isPresent() && holder.get().gateway) {
            String running = what + ": a gateway runs there already, process " + holder.get().pid;
            return shared
                    ? Finding.ok(AREA, running + "; reuse-port lets another one beside it")
                    : Finding.ok(AREA, running + "; fine if it is the one you ask about");
        }
        String by =
                holder.map(h -> ", taken by " + h.name + ", process " + h.pid).orElse("");
        return Finding.fail(
                AREA,
                what + by,
                "the gateway does not start",
                "ss -ltnp 'sport = :" + address.port() + "' tells who has it; end that, or take another bind");
    }

    /** A port out of the range for outgoing connections may be in use for one just when the gateway starts. */
    private void reserved(String what, BindAddress address) {
        long[] range = machine.sysctl("net.ipv4.ip_local_port_range");
        boolean inRange = range.length == 2 && address.port() >= range[0] && address.port() <= range[1];
        if (inRange && !isReserved(address.port())) {
            found.add(Finding.warn(
                    AREA,
                    what + ": within net.ipv4.ip_local_port_range = " + range[0] + " " + range[1],
                    "an outgoing connection of this machine may have the port just when the gateway starts",
                    Network.persistent("net.ipv4.ip_local_reserved_ports = " + address.port())));
        }
    }

    private boolean isReserved(int port) {
        for (String each :
                machine.text("proc/sys/net/ipv4/ip_local_reserved_ports").split(",", -1)) {
            String[] ends = each.split("-", 2);
            long first = Machine.number(ends[0]);
            long last = ends.length == 2 ? Machine.number(ends[1]) : first;
            if (first > 0 && port >= first && port <= last) {
                return true;
            }
        }
        return false;
    }

    // ------------------------------------------------------------------ who has it

    private Optional<Holder> holder(int port) {
        Set<String> sockets = new HashSet<>();
        for (String table : List.of("proc/net/tcp", "proc/net/tcp6")) {
            machine.text(table).lines().skip(1).forEach(line -> inode(line, port)
                    .ifPresent(sockets::add));
        }
        return sockets.isEmpty() ? Optional.empty() : process(sockets);
    }

    private static Optional<String> inode(String line, int port) {
        String[] columns = line.strip().split("\\s+", -1);
        boolean ours = columns.length > 9
                && columns[3].equals(LISTENING)
                && columns[1].endsWith(String.format(Locale.ROOT, ":%04X", port));
        return ours ? Optional.of("socket:[" + columns[9] + "]") : Optional.empty();
    }

    private Optional<Holder> process(Set<String> sockets) {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(machine.at("proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process, sockets)) {
                    String pid = String.valueOf(process.getFileName());
                    String command = machine.text("proc/" + pid + "/cmdline").replace('\0', ' ');
                    return Optional.of(new Holder(
                            pid, machine.text("proc/" + pid + "/comm"), command.contains("heartwheel-gateway")));
                }
            }
        } catch (IOException notForUs) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    private static boolean holds(Path process, Set<String> sockets) {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path each : open) {
                if (Files.isSymbolicLink(each)
                        && sockets.contains(Files.readSymbolicLink(each).toString())) {
                    return true;
                }
            }
        } catch (IOException notForUs) {
            return false;
        }
        return false;
    }
}

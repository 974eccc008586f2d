package io.heartwheel.app.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Process that holds a port, as far as this account may see: another account's processes, and those in a sandbox, hide what they hold, but not the account that
 * their sockets belong to.
 *
 * @param who for a sentence: "nginx, process 12"
 * @param gateway whether it is a gateway, or a process of our own account that may well be one
 */
record PortHolder(String who, boolean gateway) {
    /** State of a listening socket in /proc/net/tcp. */
    private static final String LISTENING = "0A";

    private static final Pattern JAR = Pattern.compile("\0-jar\0([^\0]*/)?heartwheel-gateway[^/\0]*\\.jar(\0|$)");
    private static final int STATE = 3;
    private static final int USER = 7;
    private static final int INODE = 9;

    /** Who listens on this port; empty if nobody does. */
    static Optional<PortHolder> of(Machine machine, int port) {
        Map<String, String> users = new HashMap<>();
        for (String table : List.of("proc/net/tcp", "proc/net/tcp6")) {
            machine.text(table).lines().skip(1).forEach(line -> socket(line, port, users));
        }
        return users.isEmpty()
                ? Optional.empty()
                : process(machine, users.keySet()).or(() -> Optional.of(unseen(machine, users)));
    }

    private static void socket(String line, int port, Map<String, String> users) {
        String[] columns = line.strip().split("\\s+", -1);
        if (columns.length > INODE
                && columns[STATE].equals(LISTENING)
                && columns[1].endsWith(String.format(Locale.ROOT, ":%04X", port))) {
            users.put("socket:[" + columns[INODE] + "]", columns[USER]);
        }
    }

    private static Optional<PortHolder> process(Machine machine, Set<String> sockets) {
        for (Path process : machine.files("proc", "[0-9]*")) {
            String pid = String.valueOf(process.getFileName());
            if (machine.files("proc/" + pid + "/fd", "*").stream().anyMatch(open -> isOneOf(sockets, open))) {
                boolean gateway = isGateway(machine.text("proc/" + pid + "/cmdline"));
                String name = gateway ? "a gateway that runs" : machine.text("proc/" + pid + "/comm");
                return Optional.of(new PortHolder(name + ", process " + pid, gateway));
            }
        }
        return Optional.empty();
    }

    /** The program, not a process that has its name among its arguments. */
    private static boolean isGateway(String commandLine) {
        return JAR.matcher(commandLine).find();
    }

    private static PortHolder unseen(Machine machine, Map<String, String> users) {
        return machine.status("Uid").filter(users::containsValue).isPresent()
                ? new PortHolder("a process of this account, so most likely the gateway that runs", true)
                : new PortHolder(
                        "a process of user " + users.values().iterator().next()
                                + ", which this account may not look at",
                        false);
    }

    private static boolean isOneOf(Set<String> sockets, Path open) {
        try {
            return Files.isSymbolicLink(open)
                    && sockets.contains(Files.readSymbolicLink(open).toString());
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }
}

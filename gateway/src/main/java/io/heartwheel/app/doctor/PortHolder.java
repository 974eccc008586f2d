package io.heartwheel.app.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
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
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(machine.at("proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process, sockets)) {
                    String pid = String.valueOf(process.getFileName());
                    boolean gateway = isGateway(machine.text("proc/" + pid + "/cmdline"));
                    String name = gateway ? "a gateway that runs" : machine.text("proc/" + pid + "/comm");
                    return Optional.of(new PortHolder(name + ", process " + pid, gateway));
                }
            }
        } catch (IOException notForUs) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    /** The program, not a process that has its name among its arguments. */
    private static boolean isGateway(String commandLine) {
        return JAR.matcher(commandLine).find();
    }

    private static PortHolder unseen(Machine machine, Map<String, String> users) {
        String own = machine.userId();
        return !own.isEmpty() && users.containsValue(own)
                ? new PortHolder("a process of this account, so most likely the gateway that runs", true)
                : new PortHolder(
                        "a process of user " + users.values().iterator().next()
                                + ", which this account may not look at",
                        false);
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

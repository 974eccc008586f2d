package io.heartwheel.app.doctor;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The service that the package has installed, and what it gives the gateway: of a machine that has it, limits and options are those of the unit, whatever
 * the shell has that asks. Read from the unit and its drop-ins, as systemd would. Immutable; any thread.
 */
final class Service {
    /** Weakest first. A unit below /etc stands instead of the package's. */
    private static final List<String> PLACES =
            List.of("usr/lib/systemd/system/", "lib/systemd/system/", "run/systemd/system/", "etc/systemd/system/");

    private final String name;
    private final List<String> lines;
    private final Optional<String> ownJavaOptions;

    private Service(String name, List<String> lines, Optional<String> ownJavaOptions) {
        this.name = name;
        this.lines = List.copyOf(lines);
        this.ownJavaOptions = ownJavaOptions;
    }

    /** What is installed: {@code heartwheel@} where instances of it are enabled, else {@code heartwheel}; empty if nothing is. */
    static Optional<Service> of(Machine machine) {
        boolean instances = !machine.files("etc/systemd/system/heartwheel.target.wants", "heartwheel@*.service")
                .isEmpty();
        String name = instances ? "heartwheel@" : "heartwheel";
        Optional<String> unit = PLACES.stream()
                .map(place -> machine.text(place + name + ".service"))
                .filter(text -> !text.isEmpty())
                .reduce((weaker, stronger) -> stronger);
        return unit.map(text -> new Service(
                name,
                Stream.concat(text.lines(), dropIns(machine, name)).toList(),
                variable(machine.text("etc/default/heartwheel").lines(), "JAVA_OPTS")));
    }

    private static Stream<String> dropIns(Machine machine, String name) {
        return PLACES.stream()
                .flatMap(place -> machine.files(place + name + ".service.d", "*.conf").stream())
                .sorted(Comparator.comparing(file -> String.valueOf(file.getFileName())))
                .flatMap(file ->
                        machine.text(machine.at("").relativize(file).toString()).lines());
    }

    /** As systemctl calls it. */
    String name() {
        return name;
    }

    /** The account it runs as. */
    String account() {
        return last("User").orElse("root");
    }

    /** Where its relative paths begin: one directory, or one for each instance that is enabled. */
    List<Path> workingDirectories(Machine machine) {
        String directory = last("WorkingDirectory").orElse("/").replace("%S", "/var/lib");
        if (!directory.contains("%i")) {
            return List.of(below(machine, directory));
        }
        return machine.files("etc/systemd/system/heartwheel.target.wants", "heartwheel@*.service").stream()
                .map(link -> String.valueOf(link.getFileName()).replaceFirst("heartwheel@(.*)\\.service", "$1"))
                .sorted()
                .map(instance -> below(machine, directory.replace("%i", instance)))
                .toList();
    }

    private static Path below(Machine machine, String directory) {
        return machine.at(directory.replaceFirst("^/+", ""));
    }

    /** Descriptors it may have at most (the hard limit); empty if the unit does not say. */
    OptionalLong descriptors() {
        return last("LimitNOFILE")
                .map(value -> value.substring(value.indexOf(':') + 1))
                .map(value -> value.equals("infinity") ? Long.MAX_VALUE : Machine.number(value))
                .filter(value -> value > 0)
                .stream()
                .mapToLong(value -> value)
                .findFirst();
    }

    /** Whether it may take ports below 1024. */
    boolean mayTakeLowPorts() {
        return values("AmbientCapabilities").anyMatch(value -> value.contains("CAP_NET_BIND_SERVICE"))
                || account().equals("root");
    }

    /** Options of its Java: those of /etc/default/heartwheel, else those of the unit. */
    String javaOptions() {
        return ownJavaOptions
                .or(() -> variable(values("Environment"), "JAVA_OPTS"))
                .orElse("");
    }

    private static Optional<String> variable(Stream<String> lines, String name) {
        return lines.map(line -> line.replace("\"", "").strip())
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .reduce((earlier, later) -> later);
    }

    private Optional<String> last(String key) {
        return values(key).reduce((earlier, later) -> later);
    }

    private Stream<String> values(String key) {
        return lines.stream().filter(line -> line.startsWith(key + "=")).map(line -> line.substring(key.length() + 1)
                .strip());
    }
}

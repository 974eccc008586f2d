package io.heartwheel.app.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** View of the machine in the kernel's own files. What is missing or unreadable is unknown. Any thread. */
final class Machine {
    private static final int MOST_BYTES = 1 << 20;

    private final Path root;

    /** @param root {@code /}, or a directory that looks like it */
    Machine(Path root) {
        this.root = root;
    }

    /**
     * A place below the root.
     *
     * @param path without a leading slash
     */
    Path at(String path) {
        return root.resolve(path);
    }

    /** The files of a directory that match a pattern; none if it cannot be read. */
    List<Path> files(String directory, String pattern) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(at(directory), pattern)) {
            all.forEach(found::add);
            return found;
        } catch (IOException | DirectoryIteratorException notForUs) {
            return List.of();
        }
    }

    /** What a file says, at most a mebibyte of it; empty if it cannot be read. */
    String text(String path) {
        // in one read: a sysctl file answers only the first one, and Files.readString begins with a single byte
        try (InputStream in = Files.newInputStream(at(path))) {
            return new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8).strip();
        } catch (IOException | SecurityException notForUs) {
            return "";
        }
    }

    /** The numbers of a setting of the kernel, as {@code net.ipv4.tcp_mem}; none if it is not known. Too large for a long is as good as no limit. */
    long[] sysctl(String key) {
        String text = text("proc/sys/" + key.replace('.', '/'));
        return text.isEmpty()
                ? new long[0]
                : Arrays.stream(text.split("\\s+", -1))
                        .mapToLong(Machine::number)
                        .toArray();
    }

    /** The first number of a setting of the kernel. */
    OptionalLong setting(String key) {
        return Arrays.stream(sysctl(key)).findFirst();
    }

    /** A figure of {@code /proc/meminfo}, bytes. */
    OptionalLong memory(String name) {
        return first("proc/meminfo", name + ":").stream()
                .mapToLong(kibibytes -> number(kibibytes) * 1_024)
                .findFirst();
    }

    /** What the kernel says of this process in {@code /proc/self/status}: the first word behind this name. */
    Optional<String> status(String name) {
        return first("proc/self/status", name + ":");
    }

    private Optional<String> first(String path, String name) {
        return text(path)
                .lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip().split("\\s+", -1)[0])
                .findFirst();
    }

    /** Descriptors a process of ours may have at most: the hard limit, to which a Java process raises itself. */
    OptionalLong descriptors() {
        String name = "Max open files";
        return text("proc/self/limits")
                .lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip().split("\\s+", -1))
                .filter(columns -> columns.length > 1)
                .mapToLong(columns -> columns[1].equals("unlimited") ? Long.MAX_VALUE : number(columns[1]))
                .findFirst();
    }

    /** A file of the control group we are in: of version 2, else of the controller of version 1; empty if there is none. */
    String controlGroup(String file, String controller, String fileOfVersion1) {
        for (String line : text("proc/self/cgroup").lines().toList()) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            String path = parts[2].substring(1);
            boolean second = parts[1].isEmpty();
            if (!second && !Arrays.asList(parts[1].split(",", -1)).contains(controller)) {
                continue;
            }
            String base = second ? "sys/fs/cgroup/" : "sys/fs/cgroup/" + controller + "/";
            String name = second ? file : fileOfVersion1;
            // inside a container its own group is mounted as the root of all
            String found = Stream.of(base + (path.isEmpty() ? "" : path + "/") + name, base + name)
                    .map(this::text)
                    .filter(text -> !text.isEmpty())
                    .findFirst()
                    .orElse("");
            if (!found.isEmpty()) {
                return found;
            }
        }
        return "";
    }

    static long number(String text) {
        if (!text.matches("-?[0-9]+")) {
            return 0;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException tooLarge) {
            return Long.MAX_VALUE;
        }
    }
}

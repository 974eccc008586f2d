package io.heartwheel.transport;

import io.heartwheel.transport.MemoryReading.Area;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Memory of the control group this process is in, version 2 or 1: what is the programs' own (anonymous), against the least limit on the way to the
 * root. The page cache is left out: the kernel takes it back before it kills anybody. Any thread; a few small files each time.
 */
final class ControlGroup {
    /** Versions 1 says so when there is no limit: the greatest number of pages there can be. */
    private static final long UNLIMITED = 1L << 60;

    private static final String ANONYMOUS_2 = "anon ";
    private static final String ANONYMOUS_1 = "total_rss ";
    private static final String LIMIT_1 = "hierarchical_memory_limit ";

    private final Path directory;
    private final Path root;
    private final boolean second;

    private ControlGroup(Path root, Path directory, boolean second) {
        this.root = root;
        this.directory = directory;
        this.second = second;
    }

    /** That of this process. */
    static ControlGroup own() {
        return find(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
    }

    /**
     * @param membership a file like /proc/self/cgroup
     * @param mount a directory like /sys/fs/cgroup
     */
    static ControlGroup find(Path membership, Path mount) {
        try {
            String second = "";
            for (String line : Files.readAllLines(membership, StandardCharsets.ISO_8859_1)) {
                String[] parts = line.split(":", 3);
                if (parts.length == 3 && List.of(parts[1].split(",", -1)).contains("memory")) {
                    Path root = mount.resolve("memory");
                    return new ControlGroup(root, below(root, parts[2]), false);
                }
                second = parts.length == 3 && parts[0].equals("0") ? parts[2] : second;
            }
            return new ControlGroup(mount, below(mount, second), true);
        } catch (IOException notLinux) {
            return new ControlGroup(mount, mount, true);
        }
    }

    /** In a container the path is often told as the host sees it, while the mount begins at the container's own group. */
    private static Path below(Path root, String path) {
        Path directory = root.resolve(path.replaceFirst("^/+", "")).normalize();
        return directory.startsWith(root) && Files.isDirectory(directory) ? directory : root;
    }

    /** Used and limit now; {@link Area#UNKNOWN} without a limit or where it can't be read. */
    Area read() {
        long limit = second ? leastLimit() : figure("memory.stat", LIMIT_1);
        long used = figure("memory.stat", second ? ANONYMOUS_2 : ANONYMOUS_1);
        return limit <= 0 || limit >= UNLIMITED || used < 0 ? Area.UNKNOWN : new Area(used, limit);
    }

    private long leastLimit() {
        long least = UNLIMITED;
        for (Path at = directory; at != null && at.startsWith(root); at = at.getParent()) {
            String text = text(at.resolve("memory.max")).strip();
            long limit = text.isEmpty() || text.equals("max") ? UNLIMITED : number(text);
            least = limit > 0 ? Math.min(least, limit) : least;
        }
        return least;
    }

    private long figure(String file, String name) {
        return text(directory.resolve(file))
                .lines()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .map(line -> number(line.substring(name.length()).strip()))
                .orElse(-1L);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException notThere) {
            return "";
        }
    }

    private static long number(String digits) {
        return digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : digits.matches("[0-9]+") ? UNLIMITED : -1;
    }
}

package io.heartwheel.transport;

import io.heartwheel.transport.MemoryReading.Area;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory of the control group this process is in, version 2 or 1: what is the programs' own (anonymous), against the least limit on the way to the
 * root. The page cache is left out: the kernel takes it back before it kills anybody. One thread; one small file, and of version 2 one more for each group up
 * to the root.
 */
final class ControlGroup {
    /** Versions 1 says so when there is no limit: the greatest number of pages there can be. */
    private static final long UNLIMITED = 1L << 60;

    private static final String ANONYMOUS_2 = "anon ";
    private static final String ANONYMOUS_1 = "total_rss ";
    private static final String LIMIT_1 = "hierarchical_memory_limit ";

    private final ControlFile figures;
    /** Of version 2: from the group up to the root. */
    private final List<ControlFile> limits = new ArrayList<>();

    private final boolean second;

    private ControlGroup(Path root, Path directory, boolean second) {
        this.second = second;
        byte[] buffer = ControlFile.buffer();
        figures = new ControlFile(directory.resolve("memory.stat"), buffer);
        for (Path at = directory; at != null && at.startsWith(root); at = at.getParent()) {
            limits.add(new ControlFile(at.resolve("memory.max"), buffer));
        }
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
        return second ? second() : first();
    }

    private Area second() {
        long limit = leastLimit();
        return limit == UNLIMITED ? Area.UNKNOWN : area(figure(figures.text(), ANONYMOUS_2), limit);
    }

    private Area first() {
        String text = figures.text();
        return area(figure(text, ANONYMOUS_1), figure(text, LIMIT_1));
    }

    private static Area area(long used, long limit) {
        return limit <= 0 || limit >= UNLIMITED || used < 0 ? Area.UNKNOWN : new Area(used, limit);
    }

    private long leastLimit() {
        long least = UNLIMITED;
        for (ControlFile file : limits) {
            String text = file.text().strip();
            long limit = text.isEmpty() || text.equals("max") ? UNLIMITED : number(text);
            least = limit > 0 ? Math.min(least, limit) : least;
        }
        return least;
    }

    /** The figure behind this name, which begins its line; -1: there is none. */
    private static long figure(String figures, String name) {
        int at = figures.startsWith(name) ? 0 : figures.indexOf("\n" + name) + 1;
        if (at == 0 && !figures.startsWith(name)) {
            return -1;
        }
        int end = figures.indexOf('\n', at);
        return number(figures.substring(at + name.length(), end < 0 ? figures.length() : end)
                .strip());
    }

    /** Digits and nothing else; as many as no memory has are no limit. */
    private static long number(String digits) {
        long number = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number >= UNLIMITED / 10 ? UNLIMITED : number * 10 + digit;
        }
        return digits.isEmpty() ? -1 : number;
    }
}

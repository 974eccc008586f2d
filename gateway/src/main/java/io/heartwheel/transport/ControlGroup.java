package io.heartwheel.transport;

import io.heartwheel.transport.MemoryReading.Area;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    private static final int MOST_BYTES = 16 << 10;
    private static final int MOST_DIGITS = 18;

    /** Of the files, as they are read one after the other. */
    private final byte[] buffer = new byte[MOST_BYTES];

    private final ControlFile figures;
    /** Of version 2: from the group up to the root. */
    private final List<ControlFile> limits = new ArrayList<>();

    private final boolean second;

    private ControlGroup(Path root, Path directory, boolean second) {
        this.second = second;
        figures = new ControlFile(directory.resolve("memory.stat"));
        for (Path at = directory; at != null && at.startsWith(root); at = at.getParent()) {
            limits.add(new ControlFile(at.resolve("memory.max")));
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
        String lines = "\n" + figures + "\n";
        int at = lines.indexOf("\n" + name);
        int from = at + 1 + name.length();
        return at < 0
                ? -1
                : number(lines.substring(from, lines.indexOf('\n', from)).strip());
    }

    /** Digits and nothing else, or -1; as many as no memory has are no limit. */
    private static long number(String digits) {
        long number = digits.isEmpty() ? -1 : 0;
        for (int i = 0; i < digits.length(); i++) {
            char digit = digits.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            number = i < MOST_DIGITS ? number * 10 + digit - '0' : UNLIMITED;
        }
        return number;
    }

    /** Small file of the kernel that is read again and again and stays open: each read from its beginning gives fresh text. */
    private final class ControlFile {
        private final File path;
        private @Nullable RandomAccessFile open;

        ControlFile(Path path) {
            this.path = path.toFile();
        }

        /** Its text, of a very long one the beginning; empty where there is none or it can't be read. */
        String text() {
            try {
                RandomAccessFile file = open;
                if (file == null) {
                    if (!path.exists()) {
                        return "";
                    }
                    file = new RandomAccessFile(path, "r");
                    open = file;
                } else {
                    file.seek(0);
                }
                int length = file.read(buffer);
                return length <= 0 ? "" : new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
            } catch (IOException gone) {
                close();
                return "";
            }
        }

        private void close() {
            RandomAccessFile file = open;
            if (file == null) {
                return;
            }
            open = null;
            try {
                file.close();
            } catch (IOException closed) {
                // nothing was written
            }
        }
    }
}

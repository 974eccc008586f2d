package io.heartwheel.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Files that are read again when they have changed: by size, time of change and file key, so that a look costs no reading. A change counts when two looks in
 * a row saw the same: who writes a large file needs some time.
 *
 * <pre>
 *   look:     same as taken          -> nothing
 *             new                    -> remembered, nothing yet
 *             new, and as remembered -> settled: its reader takes it, good or bad, once
 * </pre>
 *
 * One thread at a time.
 */
public final class WatchedFiles {
    private final List<Path> files;
    private List<Mark> seen;
    private List<Mark> taken;
    private List<String> problems = List.of();

    private record Mark(boolean there, long bytes, @Nullable FileTime changed, @Nullable Object key) {}

    /** Takes them as they are now: the caller reads them after this. */
    public WatchedFiles(List<Path> files) {
        this.files = List.copyOf(files);
        taken = marks();
        seen = taken;
    }

    /**
     * Has them read if they have changed since they were taken and stand still.
     *
     * @param reader reads them, and says what is wrong with them
     * @return what it said last: the same each time until they change
     */
    public List<String> refresh(Supplier<List<String>> reader) {
        problems = settledChange() ? List.copyOf(reader.get()) : problems;
        return problems;
    }

    /** The same whether they stand still or not. */
    public List<String> reload(Supplier<List<String>> reader) {
        problems = change() ? List.copyOf(reader.get()) : problems;
        return problems;
    }

    /** Whether they have changed since they were taken and stand still; they count as taken then. */
    boolean settledChange() {
        List<Mark> now = marks();
        boolean settled = now.equals(seen) && !now.equals(taken);
        seen = now;
        if (settled) {
            taken = now;
        }
        return settled;
    }

    /** Whether they have changed since they were taken, standing still or not; they count as taken then. */
    public boolean change() {
        seen = marks();
        boolean changed = !seen.equals(taken);
        taken = seen;
        return changed;
    }

    private List<Mark> marks() {
        List<Mark> marks = new ArrayList<>(files.size());
        for (Path file : files) {
            marks.add(mark(file));
        }
        return marks;
    }

    private static Mark mark(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            Object key = Objects.requireNonNullElse(now.fileKey(), "");
            return new Mark(true, now.size(), now.lastModifiedTime(), key);
        } catch (IOException unreadable) {
            return new Mark(false, 0, null, null);
        }
    }
}

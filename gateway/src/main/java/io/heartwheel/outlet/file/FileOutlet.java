package io.heartwheel.outlet.file;

import static java.util.Objects.requireNonNull;

import io.heartwheel.outlet.Outlet;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.output.FileOutput;
import io.heartwheel.store.SyncPolicy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outlet to a file of JSON Lines. Before the file grows beyond its size, and when a period begins that its last line does not belong to, it is renamed:
 * its name and the time. Periods are counted from 1970 in UTC, so those of a day begin at midnight, whenever the gateway was started. Whoever else renames
 * it is noticed before the next line. Lines are settled when they are forced; those that could not be forced are cut off and written again. One thread.
 */
public final class FileOutlet implements Outlet {
    private static final Logger LOG = LoggerFactory.getLogger(FileOutlet.class);

    private static final DateTimeFormatter SUFFIX =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final String SUFFIXES = "\\.[0-9]{8}T[0-9]{6}\\.[0-9]{3}Z";
    private static final int SUFFIX_LENGTH = "20260101T000000.000Z".length();

    private final OutletSettings.ToFile settings;
    private final LongSupplier wallMillis;
    private final LongSupplier nanoClock;
    private final FileOutput output;

    /** The period of the newest line. */
    private long period;
    /** When the oldest line was written that is not forced. */
    private long unforcedSinceNanos;

    /**
     * Opens the file, or creates it.
     *
     * @param disk forces what was written
     * @param wallMillis milliseconds since 1970, for rotation
     * @param nanoClock monotonic nanoseconds, for forcing
     */
    public FileOutlet(
            OutletSettings.ToFile settings, FileOutput.Disk disk, LongSupplier wallMillis, LongSupplier nanoClock)
            throws IOException {
        this.settings = settings;
        this.wallMillis = wallMillis;
        this.nanoClock = nanoClock;
        Path file = settings.file();
        long writtenMillis =
                Files.isRegularFile(file) ? Files.getLastModifiedTime(file).toMillis() : wallMillis.getAsLong();
        period = period(writtenMillis);
        output = new FileOutput(file, settings.sync().equals(SyncPolicy.NEVER) ? null : disk);
    }

    @Override
    public void deliver(List<OutletEvent> events, int attempt) throws IOException {
        ByteBuffer out = OutletEvent.lines(events);
        long now = period(wallMillis.getAsLong());
        long size = output.size();
        if (size > 0 && (now != period || size + out.remaining() > settings.rotateBytes())) {
            rotate();
        }
        period = now;
        unforcedSinceNanos = output.isForced() ? nanoClock.getAsLong() : unforcedSinceNanos;
        output.write(out);
        if (leftNanos() <= 0) {
            output.force();
        }
    }

    @Override
    public boolean isSettled() {
        return output.isForced();
    }

    @Override
    public long idle() throws IOException {
        long leftNanos = leftNanos();
        if (!output.isForced() && leftNanos > 0) {
            return TimeUnit.NANOSECONDS.toMillis(leftNanos) + 1;
        }
        output.force();
        return NOT_AGAIN;
    }

    /** Until what was written is to be forced; with {@code always} nothing. */
    private long leftNanos() {
        long everyNanos = TimeUnit.MILLISECONDS.toNanos(settings.sync().everyMillis());
        return everyNanos - (nanoClock.getAsLong() - unforcedSinceNanos);
    }

    // ------------------------------------------------------------------ rotation

    /** All of a time without periods. */
    private long period(long epochMillis) {
        long everyMillis = settings.rotateEvery().toMillis();
        return everyMillis == 0 ? 0 : Math.floorDiv(epochMillis, everyMillis);
    }

    private void rotate() throws IOException {
        if (!Files.isRegularFile(settings.file())) {
            return; // a pipe or a device, or somebody else has just renamed it
        }
        output.close();
        try {
            Files.move(settings.file(), rotated(), StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            return; // somebody else has
        }
        removeOldest();
    }

    /** Later than all there are, so that the order of the names is that of the files, whatever the clock does. */
    private Path rotated() throws IOException {
        long at = wallMillis.getAsLong();
        List<Path> ours = rotatedFiles();
        if (!ours.isEmpty()) {
            String newest = String.valueOf(ours.get(ours.size() - 1).getFileName());
            String suffix = newest.substring(newest.length() - SUFFIX_LENGTH);
            at = Math.max(at, SUFFIX.parse(suffix, Instant::from).toEpochMilli() + 1);
        }
        Path file = settings.file();
        return file.resolveSibling(file.getFileName() + "." + SUFFIX.format(Instant.ofEpochMilli(at)));
    }

    private void removeOldest() {
        try {
            List<Path> ours = rotatedFiles();
            for (Path each : ours.subList(0, Math.max(0, ours.size() - settings.keepFiles()))) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            LOG.warn("{}: rotated files cannot be removed: {}", settings.file(), e.toString());
        }
    }

    /** The oldest first. */
    private List<Path> rotatedFiles() throws IOException {
        String base = String.valueOf(settings.file().getFileName());
        Path directory = settings.file().toAbsolutePath().getParent();
        try (Stream<Path> all = Files.list(requireNonNull(directory))) {
            return all.filter(each -> isRotated(each, base)).sorted().toList();
        }
    }

    private static boolean isRotated(Path each, String base) {
        String name = String.valueOf(each.getFileName());
        return name.startsWith(base) && name.substring(base.length()).matches(SUFFIXES);
    }

    @Override
    public void close() throws IOException {
        output.close();
    }
}

package io.heartwheel.app.doctor;

import static io.heartwheel.app.doctor.Finding.number;

import io.heartwheel.push.StoredSettings;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.store.StoreSettings;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Checks of the directories of the journal and of messages: whether it can be used, what it lies on, how much room there is and how fast the disk is. Opens nothing that the
 * gateway has open: its lock is looked up in {@code /proc/locks}.
 */
final class StoreChecks {
    private static final String CANNOT_START = "the gateway does not start";
    /** The view of present devices and its log, and the segment that is begun. */
    private static final long OVERHEAD_BYTES = 64L << 20;

    private static final int MEBI = 20;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
    private static final Pattern OVER_NETWORK =
            Pattern.compile("nfs.*|cifs|smb.*|9p|ceph|glusterfs|afs|fuse\\.(sshfs|glusterfs|s3fs|rclone).*");
    /** A lock of fcntl: number, kind, mode, type, pid, device and inode. */
    private static final Pattern LOCK =
            Pattern.compile("\\d+: POSIX +\\S+ +WRITE +(?<pid>\\d+) +[0-9a-f]+:[0-9a-f]+:(?<inode>\\d+) .*");

    private final CheckContext context;
    private final Kept kept;
    private final String key;
    private final Path directory;
    /** Whether systemd makes what it lies in. */
    private final boolean ofService;

    private final List<Finding> found = new ArrayList<>();

    /**
     * What is kept in a directory.
     *
     * @param name the block of its keys
     * @param file that is there from the first start on
     * @param files pattern of those that count
     * @param sizeKey of {@code maxBytes}
     * @param waits what does for the disk, if it is forced
     * @param full what becomes of it when the disk is full
     */
    private record Kept(
            String name,
            Path directory,
            String file,
            String files,
            String sizeKey,
            long maxBytes,
            boolean forced,
            String waits,
            String full) {}

    private StoreChecks(CheckContext context, Kept kept, Path directory, boolean ofService) {
        this.context = context;
        this.kept = kept;
        key = kept.name + ".directory = ";
        this.ofService = ofService;
        this.directory = directory;
    }

    static List<Finding> journal(CheckContext context) {
        if (context.settings().sink().kind() != SinkKind.JOURNAL) {
            return List.of();
        }
        StoreSettings settings = context.settings().sink().journal().store();
        return of(
                context,
                new Kept(
                        "journal",
                        settings.directory(),
                        "journal.state",
                        "*.log",
                        "journal.max-bytes",
                        settings.maxBytes(),
                        settings.sync() == StoreSettings.Sync.ALWAYS,
                        "each ACK",
                        "nothing is acknowledged any more"));
    }

    static List<Finding> messages(CheckContext context) {
        StoredSettings settings = context.settings().messages().stored();
        return !settings.isUsed()
                ? List.of()
                : of(
                        context,
                        new Kept(
                                "messages",
                                settings.directory(),
                                "messages.db",
                                "messages.db*",
                                "messages.stored-bytes",
                                settings.maxBytes(),
                                settings.forced(),
                                "each message with store=1",
                                "messages with store=1 are refused"));
    }

    private static List<Finding> of(CheckContext context, Kept kept) {
        Path configured = kept.directory;
        Optional<Service> service = configured.isAbsolute() ? Optional.empty() : context.service();
        List<Path> bases = service.map(it -> it.workingDirectories(context.machine()))
                .orElse(List.of(Path.of("").toAbsolutePath()));
        List<Finding> found = new ArrayList<>();
        for (Path base : bases) {
            StoreChecks checks = new StoreChecks(context, kept, base.resolve(configured), service.isPresent());
            checks.look();
            found.addAll(checks.found);
        }
        return found;
    }

    private void look() {
        Optional<Path> place = place();
        if (place.isEmpty()) {
            return;
        }
        holder();
        fileSystem(place.get());
        room(place.get());
        speed(place.get());
    }

    /** The directory, or the one in which it is to be made; empty: it cannot be had. */
    private Optional<Path> place() {
        boolean there = Files.isDirectory(directory);
        Path parent = directory.toAbsolutePath().getParent();
        Path place = there || parent == null ? directory : parent;
        if (!there && Files.exists(directory)) {
            return cannot("is not a directory", "take another one, or move that away: mv " + directory + " ELSEWHERE");
        }
        if (!Files.isDirectory(place) && ofService) {
            found.add(Finding.ok(key + directory + ": will be made, systemd makes " + place));
            return Optional.empty();
        }
        if (!Files.isDirectory(place)) {
            return cannot(
                    place + " does not exist",
                    "install -d -o " + owner() + " -g " + owner() + " -m 0750 " + place + sandbox(place));
        }
        for (Path each : List.of(place, directory.resolve(kept.file), directory.resolve("lock"))) {
            if (Files.exists(each) && !Files.isWritable(each)) {
                return cannot(
                        each + " cannot be written by " + context.probes().account(),
                        "chown -R " + owner() + ": " + each + sandbox(place));
            }
        }
        found.add(Finding.ok(key + directory + (there ? "" : ": will be made")));
        return Optional.of(place);
    }

    /** The units may write to their own directories alone. */
    private String sandbox(Path place) {
        return ofService
                ? ""
                : ", and under systemd: systemctl edit " + context.unit() + ", in [Service]: ReadWritePaths=" + place;
    }

    private String owner() {
        return context.service().map(Service::account).orElse("heartwheel");
    }

    private Optional<Path> cannot(String what, String remedy) {
        found.add(Finding.fail(key + directory + ": " + what, CANNOT_START, remedy));
        return Optional.empty();
    }

    /** Only by what the kernel lists: closing a descriptor of the file would unlock it for this whole process. */
    private void holder() {
        String inode;
        try {
            inode = Files.getAttribute(directory.resolve("lock"), "unix:ino").toString();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException notThere) {
            return;
        }
        context.machine()
                .text("proc/locks")
                .lines()
                .map(LOCK::matcher)
                .filter(lock -> lock.matches() && lock.group("inode").equals(inode))
                .findFirst()
                .ifPresent(lock -> found.add(Finding.ok(key + directory + ": process " + lock.group("pid")
                        + " has it; fine if it is the gateway you ask about, a second one would not start")));
    }

    private void fileSystem(Path place) {
        String type = context.probes().fileSystem(place);
        String what = key + directory + ": on " + type;
        if (IN_MEMORY.contains(type)) {
            found.add(
                    Finding.warn(what, "it is in memory: a restart of the machine loses it", "a directory on a disk"));
        } else if (OVER_NETWORK.matcher(type).matches()) {
            found.add(Finding.warn(
                    what,
                    "over a network neither its lock nor its log is safe: two machines may write at once",
                    "a directory on a disk of this machine"));
        } else if (type.equals("overlay")) {
            found.add(Finding.warn(
                    what, "it goes when the container is replaced", "a directory on a volume of the container"));
        } else if (!type.isEmpty()) {
            found.add(Finding.ok(what));
        }
    }

    private void room(Path place) {
        OptionalLong free = context.probes().freeBytes(place.resolve(kept.file));
        if (free.isEmpty()) {
            found.add(Finding.ok(key + directory + ": how much room is left is not known"));
            return;
        }
        long missing = kept.maxBytes + OVERHEAD_BYTES - usedBytes();
        String what = key + directory + ": " + number(free.getAsLong() >> MEBI) + " MiB free, " + kept.sizeKey + " = "
                + number(kept.maxBytes >> MEBI) + " MiB";
        String remedy = "make room in " + place + " (du -x -d1), take another directory, or a smaller " + kept.sizeKey;
        if (free.getAsLong() < Math.min(missing, OVERHEAD_BYTES)) {
            found.add(Finding.fail(what, "when the disk is full " + kept.full, remedy));
        } else if (free.getAsLong() < missing) {
            found.add(Finding.warn(what, "the disk will be full before that is reached", remedy));
        } else {
            found.add(Finding.ok(what));
        }
    }

    private long usedBytes() {
        long bytes = 0;
        try (DirectoryStream<Path> segments = Files.newDirectoryStream(directory, kept.files)) {
            for (Path segment : segments) {
                bytes += Files.size(segment);
            }
        } catch (IOException | DirectoryIteratorException none) {
            // or one that was dropped meanwhile
        }
        return bytes;
    }

    private void speed(Path place) {
        OptionalLong nanos = context.probes().forceNanos(place);
        if (nanos.isEmpty()) {
            found.add(Finding.ok(key + directory + ": how fast the disk is could not be measured"));
            return;
        }
        double millis = nanos.getAsLong() / NANOS_PER_MILLI;
        String what = String.format(Locale.ROOT, "4 KiB forced to the disk in %.2f ms (median, as measured)", millis);
        found.add(
                kept.forced && nanos.getAsLong() > SLOW_NANOS
                        ? Finding.warn(
                                what,
                                "with " + kept.name + ".sync = always " + kept.waits + " waits for that",
                                "a faster disk, or " + kept.name
                                        + ".sync = never (a power failure takes what the system has not written)")
                        : Finding.ok(what));
    }
}

package io.heartwheel.transport.tls;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Store of the ticket keys: in a file that the processes of a host share, or in memory.
 *
 * <p>Whoever finds the next key due takes the lock beside the file, looks again, writes the new keys whole and puts them in the old ones' place; so a
 * reader sees the old or the new, never half. Nobody waits for the lock: who does not get it looks again later. One thread; reads and writes files;
 * time is handed in.
 */
final class TicketStore {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(OWNER_ONLY);
    /** One at a time in this process: a file's lock is the process's, and lost when any of its channels to that file closes. */
    private static final Semaphore WRITER = new Semaphore(1);

    private static final int MAX_BYTES = 64 << 10;
    private static final String HEAD = "# Session ticket keys, secret. A line: in use from (ms since 1970), key.\n";

    private final @Nullable Path file;
    private final long rotationMillis;
    private final SecureRandom random = new SecureRandom();
    private TicketRing ring = TicketRing.empty();

    TicketStore(TlsUpkeepSettings.Tickets settings) {
        file = settings.keyFile();
        rotationMillis = settings.rotation().toMillis();
    }

    /** The keys as of the last {@link #refresh}. */
    TicketRing ring() {
        return ring;
    }

    /**
     * Takes in what others wrote, and adds the next key if it is due.
     *
     * @return whether there are other keys than before
     * @throws IOException if the file will not do; the keys are as before
     */
    boolean refresh(long nowMillis) throws IOException {
        TicketRing before = ring;
        if (file == null) {
            if (ring.isDue(nowMillis, rotationMillis)) {
                ring = ring.rotated(nowMillis, rotationMillis, random);
            }
        } else {
            TicketRing seen = read(file);
            ring = seen.isDue(nowMillis, rotationMillis) ? rotate(file, seen, nowMillis) : seen;
        }
        return !ring.keys().equals(before.keys());
    }

    private static TicketRing read(Path from) throws IOException {
        if (!Files.exists(from)) {
            return TicketRing.empty();
        }
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(from);
        if (!OWNER_ONLY.containsAll(mode)) {
            throw refusal(
                    from,
                    "need a file that only its owner can read, mode 0600, not " + PosixFilePermissions.toString(mode));
        }
        if (Files.size(from) > MAX_BYTES) {
            throw refusal(from, "it is too large to hold ticket keys");
        }
        List<TicketKey> keys = new ArrayList<>();
        try {
            for (String line : Files.readString(from, StandardCharsets.US_ASCII).split("\n")) {
                if (!line.isEmpty() && !line.startsWith("#")) {
                    keys.add(TicketKey.parse(line));
                }
            }
        } catch (IllegalArgumentException | java.nio.charset.CharacterCodingException broken) {
            throw refusal(from, "it holds something else than ticket keys; if it is not needed, delete it");
        }
        return new TicketRing(keys);
    }

    private TicketRing rotate(Path to, TicketRing seen, long nowMillis) throws IOException {
        if (!WRITER.tryAcquire()) {
            return asSeen(seen);
        }
        try {
            return rotateLocked(to, seen, nowMillis);
        } finally {
            WRITER.release();
        }
    }

    private TicketRing asSeen(TicketRing seen) {
        return seen.keys().isEmpty() ? ring : seen;
    }

    private TicketRing rotateLocked(Path to, TicketRing seen, long nowMillis) throws IOException {
        try (FileChannel channel = lockFile(to);
                FileLock lock = tryLock(channel)) {
            if (lock == null) {
                return asSeen(seen);
            }
            TicketRing now = read(to);
            if (!now.isDue(nowMillis, rotationMillis)) {
                return now;
            }
            TicketRing next = now.rotated(nowMillis, rotationMillis, random);
            write(to, next);
            return next;
        }
    }

    private static FileChannel lockFile(Path beside) throws IOException {
        Path lock = beside.resolveSibling(beside.getFileName() + ".lock");
        try {
            return FileChannel.open(lock, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), PRIVATE);
        } catch (IOException failed) {
            throw refusal(lock, "it cannot be made: " + failed.getMessage());
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException bySomebodyOfThisProcess) {
            return null;
        }
    }

    private static void write(Path to, TicketRing ring) throws IOException {
        StringBuilder text = new StringBuilder(HEAD);
        ring.keys().forEach(key -> text.append(key.line()).append('\n'));
        Path part = to.resolveSibling(to.getFileName() + ".part");
        Files.deleteIfExists(part);
        try {
            Files.createFile(part, PRIVATE);
        } catch (FileAlreadyExistsException notOurs) {
            throw refusal(part, "somebody else writes it");
        }
        Files.writeString(part, text, StandardCharsets.US_ASCII, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
        Files.move(part, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static IOException refusal(Path file, String why) {
        return new IOException("tls.tickets.key-file = " + file + ": " + why);
    }
}

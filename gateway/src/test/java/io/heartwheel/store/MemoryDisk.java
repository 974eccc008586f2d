package io.heartwheel.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A disk in memory that a test can make fail in every way: the power fails in the middle of a call, bytes and names that were not forced are lost sector by
 * sector, a force that fails forgets what it should have written, calls fail one by one, there is no room. Any thread: guarded by itself.
 */
final class MemoryDisk implements Disk {
    private static final int SECTOR = 512;

    /** What is thrown by a disk without power. */
    private static final class PowerCut extends IOException {
        private static final long serialVersionUID = 1L;

        PowerCut() {
            super("no power");
        }
    }

    private final Random random;
    private final Map<String, Content> names = new TreeMap<>();
    private final Map<String, Content> forcedNames = new TreeMap<>();

    private long changesLeft = Long.MAX_VALUE;
    private boolean off;
    private double failing;
    private long roomBytes = Long.MAX_VALUE;
    /** Whether what is overwritten needs room as well. */
    boolean copies;

    /** So many bytes were read, and calls made. */
    long readBytes;

    long failedForces;
    /** Files that cannot be opened. */
    final Set<String> unopened = new HashSet<>();
    /** Bytes of each file that cannot be read. */
    long unreadableFrom = Long.MAX_VALUE;

    long unreadableTo;
    long failedReads;
    /** Is run in each deletion. */
    Runnable onDelete = () -> {};

    MemoryDisk(Random random) {
        this.random = random;
    }

    private static final class Content {
        byte[] bytes = {};
        byte[] forced = {};
        final BitSet dirty = new BitSet();

        void resize(int size) {
            dirty.set(Math.min(size, bytes.length) / SECTOR, Math.max(size, bytes.length) / SECTOR + 1);
            bytes = Arrays.copyOf(bytes, size);
        }
    }

    // ------------------------------------------------------------------ what a test does

    /** The power fails, or the process ends, in the middle of this call that changes something, counted from now. */
    synchronized void failPowerIn(long changes) {
        changesLeft = changes;
    }

    synchronized boolean isOff() {
        return off;
    }

    /** Everything fails from now on. */
    synchronized void cut() {
        off = true;
    }

    /** It works again; all that was written is there, as after the end of a process. */
    synchronized void goOn() {
        off = false;
        failing = 0;
        roomBytes = Long.MAX_VALUE;
        changesLeft = Long.MAX_VALUE;
    }

    /** It works again after a power failure: what was not forced is there or not, by sector and by name. */
    synchronized void powerOn() {
        double share = new double[] {0, 0.1, 0.5, 0.9, 1}[random.nextInt(5)];
        Set<String> all = new TreeSet<>(names.keySet());
        all.addAll(forcedNames.keySet());
        Set<Content> contents = new HashSet<>(names.values());
        contents.addAll(forcedNames.values());
        contents.forEach(content -> settle(content, share));
        for (String name : all) {
            Map<String, Content> from = random.nextDouble() < share ? names : forcedNames;
            if (from.containsKey(name)) {
                forcedNames.put(name, from.get(name));
            } else {
                forcedNames.remove(name);
            }
        }
        names.clear();
        names.putAll(forcedNames);
        goOn();
    }

    private void settle(Content content, double share) {
        int size = random.nextDouble() < share || content.bytes.length == content.forced.length
                ? content.bytes.length
                : content.forced.length;
        byte[] left = Arrays.copyOf(content.forced, size);
        for (int sector = content.dirty.nextSetBit(0); sector >= 0; sector = content.dirty.nextSetBit(sector + 1)) {
            int at = sector * SECTOR;
            int length = Math.min(SECTOR, Math.min(size, content.bytes.length) - at);
            if (length > 0 && random.nextDouble() < share) {
                System.arraycopy(content.bytes, at, left, at, random.nextInt(8) == 0 ? random.nextInt(length) : length);
            }
        }
        content.bytes = left;
        content.forced = left.clone();
        content.dirty.clear();
    }

    /** So many of the calls fail; 0: none. */
    synchronized void failOften(double share) {
        failing = share;
    }

    /** All files together get no longer than that. */
    synchronized void limit(long bytes) {
        roomBytes = bytes;
    }

    synchronized long usedBytes() {
        return names.values().stream()
                .mapToLong(content -> content.bytes.length)
                .sum();
    }

    synchronized Set<String> fileNames() {
        return new TreeSet<>(names.keySet());
    }

    /** The bytes of a file, which the test may change. */
    synchronized byte[] bytes(String name) {
        return names.get(name).bytes;
    }

    synchronized void put(String name, byte[] bytes) {
        Content content = new Content();
        content.bytes = bytes;
        content.forced = bytes.clone();
        names.put(name, content);
        forcedNames.put(name, content);
    }

    synchronized void remove(String name) {
        names.remove(name);
        forcedNames.remove(name);
    }

    // ------------------------------------------------------------------ what the store does

    private void call() throws IOException {
        if (off) {
            throw new PowerCut();
        }
        if (failing > 0 && random.nextDouble() < failing) {
            throw new IOException("Input/output error");
        }
    }

    /** Whether this is the change in whose middle the power fails. */
    private boolean isLast() {
        off = --changesLeft <= 0;
        return off;
    }

    private void change() throws IOException {
        call();
        if (isLast() && random.nextBoolean()) {
            throw new PowerCut();
        }
    }

    private void endChange() throws IOException {
        if (off) {
            throw new PowerCut();
        }
    }

    @Override
    public synchronized Set<String> names() throws IOException {
        call();
        return new HashSet<>(names.keySet());
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return openToRead(name);
    }

    @Override
    public synchronized long size(String name) throws IOException {
        call();
        Content content = names.get(name);
        if (content == null) {
            throw new NoSuchFileException(name);
        }
        return content.bytes.length;
    }

    @Override
    public synchronized DiskFile openToRead(String name) throws IOException {
        call();
        Content content = names.get(name);
        if (unopened.contains(name)) {
            throw new AccessDeniedException(name);
        }
        if (content == null) {
            throw new NoSuchFileException(name);
        }
        return new MemoryFile(content);
    }

    @Override
    public synchronized DiskFile create(String name) throws IOException {
        change();
        Content content = new Content();
        names.put(name, content);
        unopened.remove(name);
        endChange();
        return new MemoryFile(content);
    }

    @Override
    public void delete(String name) throws IOException {
        onDelete.run();
        synchronized (this) {
            change();
            names.remove(name);
            endChange();
        }
    }

    @Override
    public synchronized void forceNames() throws IOException {
        change();
        forcedNames.clear();
        forcedNames.putAll(names);
        endChange();
    }

    private final class MemoryFile implements DiskFile {
        private final Content content;

        MemoryFile(Content content) {
            this.content = content;
        }

        @Override
        public void read(ByteBuffer into, long at) throws IOException {
            synchronized (MemoryDisk.this) {
                call();
                if (at + into.remaining() > unreadableFrom && at < unreadableTo) {
                    failedReads++;
                    throw new IOException("Input/output error");
                }
                int length = (int) Math.max(0, Math.min(into.remaining(), content.bytes.length - at));
                into.put(content.bytes, (int) Math.min(at, content.bytes.length), length);
                readBytes += length;
            }
        }

        @Override
        public void write(ByteBuffer from, long at) throws IOException {
            synchronized (MemoryDisk.this) {
                change();
                int length = off ? random.nextInt(from.remaining() + 1) : from.remaining();
                int grows = (int) Math.max(0, at + length - content.bytes.length);
                boolean full = (copies ? length : grows) > roomBytes - usedBytes();
                if (full) {
                    grows = (int) Math.max(0, roomBytes - usedBytes());
                    length = (int) Math.max(0, Math.min(length, content.bytes.length + grows - at));
                }
                if (grows > 0) {
                    content.resize(content.bytes.length + grows);
                }
                from.get(content.bytes, (int) Math.min(at, content.bytes.length), length);
                content.dirty.set((int) at / SECTOR, (int) (at + length) / SECTOR + 1);
                endChange();
                if (full) {
                    throw new FileNotFoundException("No space left on device");
                }
            }
        }

        @Override
        public void force() throws IOException {
            synchronized (MemoryDisk.this) {
                try {
                    change();
                } catch (PowerCut e) {
                    throw e;
                } catch (IOException e) {
                    failedForces++;
                    content.dirty.clear(); // the system takes it for written
                    throw e;
                }
                content.forced = Arrays.copyOf(content.forced, content.bytes.length);
                for (int at = content.dirty.nextSetBit(0); at >= 0; at = content.dirty.nextSetBit(at + 1)) {
                    int from = at * SECTOR;
                    int length = Math.min(SECTOR, content.bytes.length - from);
                    if (length > 0) {
                        System.arraycopy(content.bytes, from, content.forced, from, length);
                    }
                }
                content.dirty.clear();
                endChange();
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (MemoryDisk.this) {
                change();
                if (size < content.bytes.length) {
                    content.resize((int) size);
                }
                endChange();
            }
        }

        @Override
        public void close() {}
    }

    /** Names and lengths, for the text of a failure. */
    @Override
    public synchronized String toString() {
        Map<String, Integer> sizes = new HashMap<>();
        names.forEach((name, content) -> sizes.put(name, content.bytes.length));
        return new TreeMap<>(sizes).toString();
    }
}

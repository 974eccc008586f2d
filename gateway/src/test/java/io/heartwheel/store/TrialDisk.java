package io.heartwheel.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;

/** Disk in memory of a process that can be killed, with faults by chance. One thread. */
public final class TrialDisk {
    private final Random random;
    private final MemoryDisk disk;
    /** Whether a fault has changed the state since this was asked last; whether any write of it may have failed. */
    private boolean stateDamaged;

    private boolean stateBehind;
    private boolean logDamaged;

    public TrialDisk(Random random) {
        this.random = random;
        disk = new MemoryDisk(random);
    }

    /** Opens a store on it, without a thread of its own. */
    public Store open(Path directory, long maxBytes, StoreSettings.Sync sync, LongSupplier wallMillis)
            throws StoreException {
        StoreSettings settings = new StoreSettings(directory, sync, maxBytes, Duration.ofSeconds(20));
        return SegmentStore.open(new SegmentStore.Built(settings, disk, wallMillis, false));
    }

    /** A round of the store's keeper. */
    public static void keep(Store store) {
        ((SegmentStore) store).keep();
    }

    /** Kills the process that has the store; no fault is left. */
    public void kill(Store store) {
        disk.cut();
        try {
            store.close();
        } catch (IOException e) {
            // it cannot write any more; its lock is free
        }
        disk.goOn();
    }

    /** No fault from now on, but for what is damaged. */
    public void heal() {
        disk.goOn();
    }

    /** The disk is full, or some of all operations fail; tells which. */
    public String fail() {
        if (random.nextBoolean()) {
            int room = random.nextInt(64 << 10);
            disk.limit(disk.usedBytes() + room);
            return "room for " + room + " bytes";
        }
        stateBehind = true;
        double share = random.nextBoolean() ? 1 : random.nextDouble();
        disk.failOften(share);
        return share + " of all operations fail";
    }

    /** A bit of a file is another one, or the file is cut, or gone; tells what. */
    public String damage() {
        List<String> names = new ArrayList<>(disk.fileNames());
        if (names.isEmpty()) {
            return "nothing to damage";
        }
        String name = names.get(random.nextInt(names.size()));
        byte[] bytes = disk.bytes(name);
        stateDamaged |= name.equals(StoreState.FILE);
        logDamaged |= Segment.isName(name);
        int at = random.nextInt(bytes.length + 1);
        int how = random.nextInt(10);
        if (how == 0) {
            disk.remove(name);
            return name + " is gone";
        } else if (how == 1 || at == bytes.length) {
            disk.put(name, Arrays.copyOf(bytes, at));
            return name + " is cut at " + at + " of " + bytes.length;
        }
        bytes[at] ^= (byte) (1 << random.nextInt(8));
        return name + " has a wrong bit at " + at + " of " + bytes.length;
    }

    /** Whether the state may not know the newest records, since this was asked last. */
    public boolean takeStateBehind() {
        boolean was = stateBehind;
        stateBehind = false;
        return was;
    }

    /** Whether a fault has ever changed a segment. */
    public boolean isLogDamaged() {
        return logDamaged;
    }

    /** Whether a store knows how far an outlet has come. */
    public static boolean hasCursor(Store store, String outlet) {
        return ((SegmentStore) store).cursors().all().containsKey(outlet);
    }

    /** Names and lengths of its files. */
    @Override
    public String toString() {
        return disk.toString();
    }

    /** Whether a fault has changed the state since this was asked last. */
    public boolean takeStateDamaged() {
        boolean was = stateDamaged;
        stateDamaged = false;
        return was;
    }
}

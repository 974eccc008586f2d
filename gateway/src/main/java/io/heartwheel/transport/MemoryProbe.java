package io.heartwheel.transport;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import com.sun.management.HotSpotDiagnosticMXBean;
import io.heartwheel.transport.MemoryReading.Area;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Measurement of the memory that this process holds for good.
 *
 * <p>What a heap has in use goes up and down like a saw; only what a collection leaves tells how much is alive. Collections that never look at the
 * old objects ({@link #YOUNG_ONLY}) are passed over, since with those collectors it fills with garbage until a full one. G1's count: it looks at the
 * old objects in its short collections too, and begins to when the heap is not half full. What connections have taken since the last one that counts
 * is alive too.
 *
 * <p>One thread, once a second: without streams, whose many small methods would be interpreted for minutes and then keep a compiler awake. What a collection
 * left is added up once.
 */
final class MemoryProbe {
    /** Names of collectors, or of parts of them, that say nothing of the old objects, or that count pauses and not what was freed. */
    private static final Set<String> YOUNG_ONLY = Set.of(
            "Copy",
            "PS Scavenge",
            "ZGC Pauses",
            "ZGC Minor Cycles",
            "ZGC Minor Pauses",
            "ZGC Major Pauses",
            "Shenandoah Pauses");

    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final List<Collector> collectors =
            ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class).stream()
                    .filter(collector -> !YOUNG_ONLY.contains(collector.getName()))
                    .map(Collector::new)
                    .toList();
    private final Set<String> heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toUnmodifiableSet());
    private final List<BufferPoolMXBean> direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .toList();
    private final long directLimitBytes = directLimitBytes();
    private final ControlGroup group = ControlGroup.own();
    private final LongSupplier held;
    /** What was held at the latest reading, bytes. */
    private long heldThen;
    /** What was held when the last collection ended, or less, bytes. */
    private long heldAtCollection;
    /** Which collection that was: when it ended. */
    private long collectedThenMillis;

    /** @param heldBytes what connections hold by the gateway's own account */
    MemoryProbe(LongSupplier heldBytes) {
        held = heldBytes;
    }

    /** The reading of this moment. */
    MemoryReading read() {
        MemoryUsage now = memory.getHeapMemoryUsage();
        // asked once: what one collection left goes with what was taken since that one
        Collector last = lastCollection();
        long leftBytes = last == null ? 0 : last.leftBytes;
        long liveBytes = Math.min(now.getUsed(), leftBytes + takenSince(endMillis(last)));
        long directBytes = 0;
        for (BufferPoolMXBean pool : direct) {
            directBytes += pool.getMemoryUsed();
        }
        return new MemoryReading(
                new Area(liveBytes, Math.max(0, now.getMax())),
                new Area(directBytes, directLimitBytes),
                process(group.read(), now.getCommitted(), liveBytes, directBytes));
    }

    /** The heap's garbage and its free part are the process's already and can be used again, so they do not count. */
    static Area process(Area group, long heapCommittedBytes, long heapLiveBytes, long directBytes) {
        long again = heapCommittedBytes - heapLiveBytes;
        long least = heapLiveBytes + directBytes;
        return group.limitBytes() == 0
                ? Area.UNKNOWN
                : new Area(Math.max(least, group.usedBytes() - again), group.limitBytes());
    }

    /** When the last collection that counts ended, milliseconds since the virtual machine started; 0 before the first. */
    long collectedMillis() {
        return endMillis(lastCollection());
    }

    private static long endMillis(@Nullable Collector collector) {
        return collector == null ? 0 : collector.endMillis;
    }

    /** What connections have taken since the last collection, which ended then, bytes. What came between the reading before it and itself counts as since. */
    long takenSince(long collectedNowMillis) {
        long heldNow = held.getAsLong();
        if (collectedNowMillis != collectedThenMillis) {
            collectedThenMillis = collectedNowMillis;
            heldAtCollection = Math.min(heldThen, heldNow);
        }
        heldThen = heldNow;
        return Math.max(0, heldNow - heldAtCollection);
    }

    /** The collector whose latest collection is the latest of all; null before the first. */
    private @Nullable Collector lastCollection() {
        Collector last = null;
        for (Collector collector : collectors) {
            collector.look();
            if (collector.latest != null && (last == null || collector.endMillis >= last.endMillis)) {
                last = collector;
            }
        }
        return last;
    }

    /** Latest collection of one collector. The figures of a collection are dear, so they are fetched once. */
    private final class Collector {
        private final GarbageCollectorMXBean bean;
        private @Nullable GcInfo latest;
        private long endMillis;
        /** What it left in the heap, bytes. */
        private long leftBytes;

        Collector(GarbageCollectorMXBean bean) {
            this.bean = bean;
        }

        /** The count may be a moment ahead of the figures, so it is their number that tells whether they are the latest. */
        void look() {
            GcInfo known = latest;
            long count = bean.getCollectionCount();
            if (count > 0 && (known == null || known.getId() != count)) {
                take(bean.getLastGcInfo());
            }
        }

        private void take(@Nullable GcInfo collection) {
            latest = collection;
            endMillis = collection == null ? 0 : collection.getEndTime();
            leftBytes = 0;
            if (collection != null) {
                for (Map.Entry<String, MemoryUsage> pool :
                        collection.getMemoryUsageAfterGc().entrySet()) {
                    leftBytes +=
                            heapPools.contains(pool.getKey()) ? pool.getValue().getUsed() : 0;
                }
            }
        }
    }

    /** The limit of buffers outside of the heap: as much as the heap, unless it is said otherwise. */
    static long directLimitBytes() {
        HotSpotDiagnosticMXBean machine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long said = machine == null
                ? 0
                : Long.parseLong(machine.getVMOption("MaxDirectMemorySize").getValue());
        return said > 0 ? said : Runtime.getRuntime().maxMemory();
    }
}

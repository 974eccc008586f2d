package io.heartwheel.loadgen.workers;

import java.util.ArrayList;
import java.util.List;

/**
 * Options for a virtual machine that is one of many on a machine: what counts is what each costs at rest and to start,
 * not what it could do at its best.
 *
 * <ul>
 *   <li>SerialGC: one thread, no remembered sets or regions; the heaps are small enough for its pauses.
 *   <li>C1 only: C2 pays after minutes of full load, and its compilations cost more memory than the code they make.
 *   <li>A small young generation: it is written through from end to end, so all of it becomes resident.
 *   <li>The heap as large as it may get from the start, and room for classes: each growth is a full collection, for which a process waits seconds that
 *       shares a processor with fifty. What is not used is not resident.
 *   <li>ExitOnOutOfMemoryError: a worker that has lost a thread to it would go on and be wrong.
 *   <li>Class archives at their own address: see {@link ClassArchive}.
 *   <li>Nobody wakes to look whether monitors can be given back: it would be each 250 ms, and a safepoint each second.
 *   <li>UsePerfData off: no file of 32 KiB in /tmp for each process.
 *   <li>Netty's leak detection off: it samples allocations, a cost that would be charged to the generator. Tests have it on.
 *   <li>Netty's machine id and process id given: it would look through all network interfaces for them at the start.
 *   <li>Netty's allocator is left as it is, adaptive: it begins with chunks of 128 KiB where the pooled one takes 4 MiB for
 *       each arena, and devices take turns with a few 2 KiB buffers.
 * </ul>
 */
public final class SmallJvm {

    /** For the environment: glibc's allocator would keep up to eight arenas a processor for the native libraries. */
    static final String MALLOC_ARENAS = "MALLOC_ARENA_MAX";

    private static final long MIB = 1L << 20;
    private static final long LEAST_YOUNG_MIB = 4;
    private static final long LEAST_HEAP_MIB = 16;

    private SmallJvm() {}

    /**
     * The options.
     *
     * @param heapBytes largest heap, at least 16 MiB
     */
    public static List<String> options(long heapBytes) {
        long heapMib = heapBytes / MIB;
        if (heapMib < LEAST_HEAP_MIB) {
            throw new IllegalArgumentException("heap = " + heapBytes + " bytes: need at least 16 MiB");
        }
        List<String> options = new ArrayList<>(ClassArchive.AT_ITS_ADDRESS);
        options.addAll(List.of(
                "-Xmx" + heapMib + "m",
                "-Xms" + heapMib + "m",
                "-Xmn" + Math.max(LEAST_YOUNG_MIB, heapMib / 8) + "m",
                "-XX:MetaspaceSize=64m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:GuaranteedSafepointInterval=0",
                "-XX:AsyncDeflationInterval=0",
                "-XX:+ExitOnOutOfMemoryError",
                "-Dio.netty.leakDetection.level=disabled",
                "-Dio.netty.machineId=02:00:00:00:00:01",
                "-Dio.netty.processId=1"));
        return options;
    }
}

package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * A load divided over the worker processes of one machine: how many, what each gets, and what stands in the way. A pure
 * function of the load and the machine's limits.
 *
 * <pre>
 *   descriptors of a process, less a reserve ---+
 *   sockets of a device ------------------------+--&gt; devices of a worker --&gt; workers --&gt; slices, as even as can be
 *   100,000 (pauses of a collection) -----------+                               |
 *   processors (half of them when the target is here too) ----------------------+-----&gt; event loops of each
 *   ports of the kernel's range, 5/14 of them ------------------------------------------&gt; source addresses of each
 * </pre>
 *
 * @param shares one a worker, in the order of their devices; never empty
 * @param problems what stands in the way, the blocking ones first
 */
public record LoadDivision(Load load, MachineLimits limits, List<WorkerShare> shares, List<PreflightProblem> problems) {

    /** A worker gets no more devices than this: the pause of a full collection grows with what lives in its heap. */
    public static final int MOST_DEVICES_OF_A_WORKER = 100_000;

    private static final int LEAST_RESERVED_FILES = 250;
    private static final int DEVICES_WORTH_A_LOOP = 500;
    private static final long MIB = 1L << 20;
    /** Of a device that speaks plain TCP, with its connection's objects in Netty and room for garbage. */
    private static final long HEAP_BYTES_OF_A_DEVICE = 2_048;

    private static final long BASE_HEAP_BYTES = 24 * MIB;
    private static final long HEAP_STEP_BYTES = 16 * MIB;

    /** Divides. */
    public static LoadDivision of(Load load, MachineLimits limits) {
        int workers = workers(load, limits);
        int most = (load.count() + workers - 1) / workers;
        SourcePlan sourcing = SourcePlan.of(load, limits, workers, most);
        int loops = loops(load, limits, workers, most);
        long heapBytes = heapBytes(most);
        List<WorkerShare> shares = new ArrayList<>(workers);
        int first = load.first();
        for (int worker = 0; worker < workers; worker++) {
            int count = load.count() / workers + (worker < load.count() % workers ? 1 : 0);
            Slice slice = new Slice(first, count, load.total(), worker, workers);
            shares.add(new WorkerShare(slice, loops, heapBytes, sourcing.ofWorker(worker)));
            first += count;
        }
        return new LoadDivision(load, limits, shares, Preflight.problems(load, limits, workers, sourcing));
    }

    /**
     * The parts of several machines, by their processors. A machine for which nothing is left gets none: there may be
     * fewer parts than machines.
     */
    public static List<Load> amongMachines(Load whole, List<MachineLimits> machines) {
        long cores = machines.stream().mapToLong(MachineLimits::cores).sum();
        List<Load> parts = new ArrayList<>();
        long coresBefore = 0;
        long given = 0;
        for (MachineLimits machine : machines) {
            coresBefore += machine.cores();
            // Rounded on the running sum, so that nobody is lost and nobody is given twice.
            long upTo = Math.round((double) whole.count() * coresBefore / cores);
            if (upTo > given) {
                parts.add(whole.part(whole.first() + (int) given, (int) (upTo - given)));
            }
            given = upTo;
        }
        return parts;
    }

    /** What each of several machines is to run, with their workers numbered through. */
    public static List<Assignment> assignments(String scenario, List<LoadDivision> machines) {
        int workers = machines.stream().mapToInt(each -> each.shares().size()).sum();
        List<Assignment> assignments = new ArrayList<>();
        int number = 0;
        for (LoadDivision machine : machines) {
            List<WorkerShare> shares = new ArrayList<>();
            for (WorkerShare share : machine.shares()) {
                Slice slice = share.slice();
                Slice numbered = new Slice(slice.first(), slice.count(), slice.total(), number++, workers);
                shares.add(new WorkerShare(numbered, share.loops(), share.heapBytes(), share.sources()));
            }
            assignments.add(new Assignment(scenario, shares));
        }
        return assignments;
    }

    /** Whether nothing blocks. */
    public boolean fits() {
        return problems.stream().noneMatch(PreflightProblem::blocking);
    }

    /** The plan for people, a fact a line, obstacles last. */
    public List<String> lines() {
        return PlanTable.of(this);
    }

    /** Descriptors that a worker may use for devices: the rest is for itself and for connections that overlap. */
    static long filesForDevices(MachineLimits limits) {
        return limits.descriptors() - Math.max(LEAST_RESERVED_FILES, limits.descriptors() / 20);
    }

    /** Devices that a process with these limits may hold; below 1 when there is no room for any. */
    static long devicesOfAWorker(Load load, MachineLimits limits) {
        return Math.min(MOST_DEVICES_OF_A_WORKER, (long) (filesForDevices(limits) / load.socketsPerDevice()));
    }

    /** Processes the load asks for, were there no bound. */
    static long workersWanted(Load load, MachineLimits limits) {
        long each = Math.max(1, devicesOfAWorker(load, limits));
        return (load.count() + each - 1) / each;
    }

    private static int workers(Load load, MachineLimits limits) {
        return (int) Math.min(Assignment.MOST_WORKERS, workersWanted(load, limits));
    }

    /** Where the target is on this machine it gets half of the processors. */
    private static int loops(Load load, MachineLimits limits, int workers, int most) {
        int own = load.allLoopback() ? limits.cores() / 2 : limits.cores();
        int worth = (most + DEVICES_WORTH_A_LOOP - 1) / DEVICES_WORTH_A_LOOP;
        return Math.max(1, Math.min(worth, own / workers));
    }

    private static long heapBytes(int most) {
        long need = BASE_HEAP_BYTES + most * HEAP_BYTES_OF_A_DEVICE;
        return (need + HEAP_STEP_BYTES - 1) / HEAP_STEP_BYTES * HEAP_STEP_BYTES;
    }
}

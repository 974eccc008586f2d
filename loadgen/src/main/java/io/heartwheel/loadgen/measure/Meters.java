package io.heartwheel.loadgen.measure;

/** Meters of a process and its machine since they started, as far as they can be read. */
public interface Meters {

    /** CPU time of all threads, nanoseconds; 0 when the platform does not say. */
    long cpuNanos();

    /** Time spent collecting garbage, nanoseconds, to the millisecond. */
    long collectorNanos();

    /** What the machine's processors have done. */
    default MachineTime machineTime() {
        return MachineTime.UNKNOWN;
    }

    /** Processors of the machine. */
    int processors();

    /** Names the machine's clock: processes that say the same read the same monotonic time. Empty when the platform does not say. */
    default String clockName() {
        return "";
    }

    /** What the process has used so far, as one value. */
    default Usage usage(long atNanos) {
        return new Usage(atNanos, cpuNanos(), collectorNanos());
    }

    /** This process. Any thread; each reading is a system call or a few. */
    static Meters ofThisProcess() {
        return new OwnMeters(Proc.ofThisMachine());
    }
}

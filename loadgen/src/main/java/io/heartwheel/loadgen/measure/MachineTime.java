package io.heartwheel.loadgen.measure;

/**
 * Processor time of a machine since it booted, to some 10 ms.
 *
 * @param busyNanos time all of them together were busy, stolen time included; 0 when the platform does not say
 * @param stolenNanos of it taken by the hypervisor for other machines; 0 when the platform does not say
 */
public record MachineTime(long busyNanos, long stolenNanos) {

    /** Not known. */
    public static final MachineTime UNKNOWN = new MachineTime(0, 0);

    /** What was done since then. */
    public MachineTime since(MachineTime before) {
        return new MachineTime(busyNanos - before.busyNanos, stolenNanos - before.stolenNanos);
    }
}

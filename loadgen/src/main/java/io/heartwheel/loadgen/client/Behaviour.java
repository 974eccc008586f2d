package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;
import io.heartwheel.loadgen.wire.CloseCodes;

/**
 * Behaviour of the devices of a group. One object serves all devices of the group on an event loop; what it must remember of a
 * device is the device's {@code memo}. All methods run on the device's event loop; times are nanoseconds since the run
 * began.
 */
public abstract class Behaviour {

    private final String label;
    private final boolean endsInClose;

    /** A behaviour with this name of devices that nobody has to close. */
    Behaviour(String label) {
        this(label, false);
    }

    /** A behaviour with this name; whether some time its devices have to be closed by the gateway. */
    Behaviour(String label, boolean endsInClose) {
        this.label = label;
        this.endsInClose = endsInClose;
    }

    /** Its name in scenarios and reports. */
    public final String label() {
        return label;
    }

    /** Sockets one device may hold at the same time. */
    public int sockets() {
        return 1;
    }

    /** How often in a second one device hangs up of its own accord, on average: its port then rests in TIME_WAIT. */
    public double leavesPerSecond() {
        return 0;
    }

    /** Send and receive buffer of its sockets, bytes, or 0 for the kernel's own choice. */
    public int bufferBytes() {
        return 0;
    }

    /** Whether some time its devices have to be closed by the gateway. */
    public boolean endsInClose() {
        return endsInClose;
    }

    /** Share of the group's devices that some time have to be closed by the gateway, 0..1. */
    public double closedShare() {
        return endsInClose() ? 1 : 0;
    }

    /**
     * What one device of the group does: this, unless each does something of its own.
     *
     * @param number of the device within its group, from 0
     */
    public Behaviour of(int number) {
        return this;
    }

    /** When its device connects, nanoseconds after the run began, if it does not wait for its place in the ramp; else below 0. */
    public long beginsNanos() {
        return -1;
    }

    /**
     * Whether that time counts from the beginning of observation.
     */
    public boolean isCrowd() {
        return false;
    }

    /** The code by which the gateway may turn its device away: it then comes back when it was told to. {@link CloseCodes#NONE}: by none. */
    int turnedAwayBy() {
        return CloseCodes.NONE;
    }

    /** Number of the device id that its device shares with another one, which displaces it; below 0: it has one of its own. */
    public int sharedId() {
        return -1;
    }

    /** Heartbeat interval its device asks for, milliseconds. */
    long wantedMillis(DeviceDefaults deviceDefaults) {
        return deviceDefaults.wantedMillis();
    }

    /** The connection is made. */
    void connected(Device device) {
        device.dialect().greet(device);
    }

    /** The device was welcomed; answers when it acts first, or {@link SlotRing#DONE}. */
    long opened(Device device, long nowNanos) {
        return device.firstBeatNanos(nowNanos);
    }

    /** Acts as is due; answers when it acts next, or {@link SlotRing#DONE}. */
    abstract long act(Device device, long dueNanos);

    /** When the heartbeat with this number was due; the device is open, and it was sent. */
    long beatDueNanos(Device device, int sequence) {
        return device.evenlyDueNanos(sequence);
    }

    /** Whether its device opens another connection when it lost one through no will of its own. */
    boolean comesBack(LoopContext<Device> loopContext) {
        return loopContext.comeback.comesBack();
    }

    /** How long the device stays away after its connection ended as it wanted; below 0: for good. */
    long pauseNanos(Device device) {
        return -1;
    }

    /** Before this time a device whose close is expected must not be closed. */
    long earliestNanos(Device device) {
        return deadlineNanos(device);
    }

    /** By this time a device whose close is expected must be closed. */
    long deadlineNanos(Device device) {
        return device.silenceDeadlineNanos();
    }
}

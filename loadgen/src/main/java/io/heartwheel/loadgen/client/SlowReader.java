package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;

/**
 * Asks and asks and never reads an answer, until nothing goes through any more either way. When it must have been closed
 * for that, it reads again and sees.
 *
 * <p>Its receive buffer is small, but the kernel lets the gateway's send buffer and both directions' other buffers grow:
 * each of these devices costs up to some 10 MB of kernel memory. When exactly the gateway's socket stopped taking bytes only
 * the gateway knows: after the device was welcomed and before the device's own socket took no more.
 */
final class SlowReader extends Behaviour {

    private static final int RECEIVE_BUFFER_BYTES = 4_096;
    private static final int FLOODS_AT_ONCE = 32;
    private static final long PAUSE_NANOS = 20_000_000L;
    /** A gateway that has taken questions for so long has no bound for its answers. */
    private static final long MOST_FLOOD_NANOS = 15_000_000_000L;

    SlowReader() {
        super("slow-reader");
    }

    @Override
    public int receiveBufferBytes() {
        return RECEIVE_BUFFER_BYTES;
    }

    @Override
    public boolean endsInClose() {
        return true;
    }

    @Override
    long opened(Device device, long nowNanos) {
        device.channel().config().setAutoRead(false);
        device.memo = 0;
        device.finish();
        device.condemn(Fate.STUCK);
        return device.crew().roundUp(nowNanos + PAUSE_NANOS);
    }

    /** {@code memo}: since when its socket takes nothing, or 0 while it does: a gateway that was only slow is asked on. */
    @Override
    long act(Device device, long dueNanos) {
        boolean flooding = dueNanos - device.condemnedNanos() < MOST_FLOOD_NANOS;
        for (int i = 0; flooding && i < FLOODS_AT_ONCE && device.channel().isWritable(); i++) {
            device.dialect().flood(device);
        }
        if (device.channel().isWritable()) {
            device.memo = 0;
        } else if (device.memo == 0) {
            device.memo = dueNanos;
        }
        if (dueNanos - deadlineNanos(device) < device.crew().missedAfterNanos) {
            return dueNanos + PAUSE_NANOS;
        }
        device.channel().config().setAutoRead(true);
        return SlotRing.DONE;
    }

    /** The gateway looks in steps of a sixteenth. */
    @Override
    long deadlineNanos(Device device) {
        long stall = stallNanos(device);
        long since = device.memo > 0 ? device.memo : device.condemnedNanos() + MOST_FLOOD_NANOS;
        return since + stall + stall / 16;
    }

    @Override
    long earliestNanos(Device device) {
        return device.condemnedNanos() + stallNanos(device);
    }

    private static long stallNanos(Device device) {
        long stall = device.timeouts().writeNanos();
        return stall == Timeouts.SILENCE ? device.allowedSilenceNanos() : stall;
    }
}

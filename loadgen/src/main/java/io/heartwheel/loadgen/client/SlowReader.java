package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;

/**
 * Behaviour of a device that sends questions without end and reads no answer, until nothing goes through any more either way. When it must have been closed for that, it reads again and sees.
 *
 * <p>It asks no more than a gateway allows one connection by default, so that it is closed for what it does not read: a
 * burst at first, then {@value #FLOODS_A_SECOND} times {@value Dialect#FLOOD} questions or one long message a second.
 *
 * <p>Its own buffers are small, but the kernel lets the gateway's send buffer grow to some 3 MB: where the gateway echoes it is
 * full at once, where it only answers questions after some 20 s. When exactly the gateway's socket stopped taking bytes only
 * the gateway knows: after the device was welcomed and before the device's own socket took no more.
 */
final class SlowReader extends Behaviour {

    /** A gateway that has taken questions for so long has no bound for its answers. */
    static final long MOST_FLOOD_NANOS = 30_000_000_000L;

    static final int FLOODS_A_SECOND = 25;
    private static final int FLOODS_AT_FIRST = 100;
    private static final int BUFFER_BYTES = 4_096;
    private static final long PAUSE_NANOS = 1_000_000_000L / FLOODS_A_SECOND;

    SlowReader() {
        super("slow-reader", true);
    }

    @Override
    public int bufferBytes() {
        return BUFFER_BYTES;
    }

    @Override
    long opened(Device device, long nowNanos) {
        device.channel().config().setAutoRead(false);
        device.memo = 0;
        device.finish();
        device.expectClose(ExpectedOutcome.STUCK);
        flood(device, FLOODS_AT_FIRST);
        return device.loopContext().roundUp(nowNanos + PAUSE_NANOS);
    }

    /** {@code memo}: since when its socket takes nothing, or 0 while it does: a gateway that was only slow is asked on. */
    @Override
    long act(Device device, long dueNanos) {
        boolean flooding = dueNanos - device.closeExpectedNanos < MOST_FLOOD_NANOS;
        flood(device, flooding ? 1 : 0);
        if (device.channel().isWritable()) {
            device.memo = 0;
        } else if (device.memo == 0) {
            device.memo = dueNanos;
        }
        if (dueNanos - deadlineNanos(device) < device.loopContext().missedAfterNanos) {
            return dueNanos + PAUSE_NANOS;
        }
        device.channel().config().setAutoRead(true);
        return SlotRing.DONE;
    }

    private static void flood(Device device, int most) {
        for (int i = 0; i < most && device.channel().isWritable(); i++) {
            device.dialect().flood(device);
        }
    }

    /** The gateway looks in steps of a sixteenth. */
    @Override
    long deadlineNanos(Device device) {
        long stall = stallNanos(device);
        long since = device.memo > 0 ? device.memo : device.closeExpectedNanos + MOST_FLOOD_NANOS;
        return since + stall + stall / 16;
    }

    @Override
    long earliestNanos(Device device) {
        return device.closeExpectedNanos + stallNanos(device);
    }

    private static long stallNanos(Device device) {
        long stall = device.timeouts().writeNanos();
        return stall == Timeouts.SILENCE ? device.allowedSilenceNanos() : stall;
    }
}

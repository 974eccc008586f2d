package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;

/** Behaviour of a device that begins a message and sends a byte of it now and then. */
final class SlowWriter extends Behaviour {

    /** Bytes sent in this time before a close may not have arrived when it was decided on. */
    private static final long UNDER_WAY_NANOS = 100_000_000L;

    private static final long SECOND = 1_000_000_000L;

    private final long gapNanos;

    SlowWriter(long gapNanos) {
        super("byte-drip", true);
        this.gapNanos = gapNanos;
    }

    @Override
    long act(Device device, long dueNanos) {
        if (device.expectedOutcome() == ExpectedOutcome.LIVE) {
            device.expectClose(ExpectedOutcome.DRIPPING);
            device.finish();
            device.dialect().beginUnfinished(device, device.dialect().unfinishedBytes());
            device.memo = 0;
        } else if (device.memo < device.dialect().unfinishedBytes() - 1) {
            device.memo++;
            device.dialect().drip(device);
        } else {
            return SlotRing.DONE;
        }
        return dueNanos + gapNanos;
    }

    /** The progress timeout from just before its first bytes were sent, and as much more as the bytes sent behind them earn it. */
    @Override
    long deadlineNanos(Device device) {
        Timeouts timeouts = device.timeouts();
        if (timeouts.progressNanos() == Timeouts.SILENCE) {
            return device.silenceDeadlineNanos();
        }
        return device.closeExpectedNanos
                + timeouts.progressNanos()
                + device.memo * SECOND / timeouts.progressBytesPerSecond();
    }

    /** Its last bytes may have crossed the close: the gateway then knew nothing of what they earn. */
    @Override
    long earliestNanos(Device device) {
        if (device.timeouts().progressNanos() == Timeouts.SILENCE) {
            return device.silenceDeadlineNanos();
        }
        long crossing = 1 + UNDER_WAY_NANOS / gapNanos;
        return deadlineNanos(device)
                - Math.min(crossing, device.memo) * SECOND / device.timeouts().progressBytesPerSecond();
    }
}

package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;

/**
 * Asks and asks and never reads an answer, until nothing goes through any more either way. When it must have been closed
 * for that, it reads again and sees.
 */
final class SlowReader extends Behaviour {

    private static final int RECEIVE_BUFFER_BYTES = 4_096;
    private static final int QUESTIONS_AT_ONCE = 64;
    private static final long PAUSE_NANOS = 20_000_000L;

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
        device.finish();
        return device.crew().roundUp(nowNanos + PAUSE_NANOS);
    }

    @Override
    long act(Device device, long dueNanos) {
        if (device.fate() == Fate.STUCK) {
            device.channel().config().setAutoRead(true);
            return SlotRing.DONE;
        }
        for (int i = 0; i < QUESTIONS_AT_ONCE && device.channel().isWritable(); i++) {
            device.dialect().flood(device);
        }
        if (device.channel().isWritable()) {
            return dueNanos + PAUSE_NANOS;
        }
        device.condemn(Fate.STUCK);
        return device.crew().roundUp(deadlineNanos(device) + device.crew().judgedAfterNanos);
    }

    /** Counted from when its own socket took no more; the gateway looks in steps of a sixteenth. */
    @Override
    long deadlineNanos(Device device) {
        long stall = device.crew().timeouts.writeNanos();
        return device.condemnedNanos() + stall + stall / 16;
    }
}

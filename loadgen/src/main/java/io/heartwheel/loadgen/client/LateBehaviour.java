package io.heartwheel.loadgen.client;

/**
 * Behaviour of a device that is late with each so many-th heartbeat, by a share of the granted interval. When that is more than its grace, it breaks its promise each time, and the gateway must close it before it speaks again; so that this can be judged, it then speaks
 * only when it must have been closed. Near the end of the run, when nobody would see that any more, it is punctual.
 */
final class LateBehaviour extends Behaviour {

    private final double byShare;
    private final int every;
    private final long untilNanos;

    LateBehaviour(double byShare, int every, long untilNanos) {
        super("late");
        this.byShare = byShare;
        this.every = every;
        this.untilNanos = untilNanos;
    }

    @Override
    long opened(Device device, long nowNanos) {
        device.memo = 0;
        return super.opened(device, nowNanos);
    }

    @Override
    long act(Device device, long dueNanos) {
        device.speakAgain();
        long next = device.beat(dueNanos);
        device.memo++;
        if (device.memo % every != 0 || dueNanos - device.loopContext().observingFromNanos() > untilNanos) {
            return next;
        }
        long late = device.loopContext().roundUp(next + (long) (byShare * device.grantedMillis() * 1_000_000L));
        long deadline = device.silenceDeadlineNanos();
        if (late < deadline) {
            return late;
        }
        device.expectClose(ExpectedOutcome.SILENT);
        return Math.max(late, device.loopContext().roundUp(deadline + device.loopContext().missedAfterNanos));
    }
}

package io.heartwheel.loadgen.client;

/**
 * Beats, and each so many times is late by a share of the granted interval. When that is more than its grace, it breaks
 * its promise each time, and the gateway must close it before it speaks again.
 */
final class Late extends Behaviour {

    private final double byShare;
    private final int every;

    Late(double byShare, int every) {
        super("late");
        this.byShare = byShare;
        this.every = every;
    }

    @Override
    long opened(Device device, long nowNanos) {
        device.memo = 0;
        return super.opened(device, nowNanos);
    }

    @Override
    long act(Device device, long dueNanos) {
        if (device.cutOff()) {
            return device.later(dueNanos);
        }
        device.speakAgain();
        long next = device.beat(dueNanos);
        device.memo++;
        if (device.memo % every != 0) {
            return next;
        }
        long late = device.crew().roundUp(next + (long) (byShare * device.grantedMillis() * 1_000_000L));
        if (late - device.lastSentNanos() > device.allowedSilenceNanos() + device.crew().judgedAfterNanos) {
            device.condemn(Fate.SILENT);
        }
        return late;
    }
}

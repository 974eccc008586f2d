package io.heartwheel.loadgen.client;

/** Behaviour of a device that beats and sends messages at a rate, at random times (a Poisson process). */
final class MessagingBehaviour extends Behaviour {

    private static final double SECOND = 1e9;

    private final double perSecond;
    private final Payload payload;

    MessagingBehaviour(double perSecond, Payload payload) {
        super("chatty");
        this.perSecond = perSecond;
        this.payload = payload;
    }

    @Override
    long opened(Device device, long nowNanos) {
        long beat = super.opened(device, nowNanos);
        device.memo = beat;
        return Math.min(beat, next(device, nowNanos));
    }

    @Override
    long act(Device device, long dueNanos) {
        if (dueNanos >= device.memo) {
            device.memo = device.beat(dueNanos);
        } else {
            device.message(dueNanos, payload.bytes(device.draw()));
        }
        return Math.min(device.memo, next(device, dueNanos));
    }

    /** Exponentially distributed gaps make a Poisson process. */
    private long next(Device device, long fromNanos) {
        double gap = -Math.log(1 - device.draw()) / perSecond * SECOND;
        return device.loopContext().roundUp(fromNanos + (long) Math.min(gap, Long.MAX_VALUE / 4.0));
    }
}

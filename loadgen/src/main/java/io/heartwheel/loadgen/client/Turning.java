package io.heartwheel.loadgen.client;

/** Beats like a steady device until its moment has come, then does something once. */
abstract class Turning extends Behaviour {

    private final Moment moment;

    Turning(String label, Moment moment) {
        super(label);
        this.moment = moment;
    }

    /** Does it, at the time the next heartbeat would be due. */
    abstract long turn(Device device, long dueNanos);

    @Override
    final long act(Device device, long dueNanos) {
        boolean come = device.memo == 0
                && moment.hasCome(device.index(), dueNanos - device.crew().observingFromNanos());
        return come ? turn(device, dueNanos) : device.beat(dueNanos);
    }
}

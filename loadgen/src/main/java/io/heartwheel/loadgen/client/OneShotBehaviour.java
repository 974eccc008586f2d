package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.SlotRing;

/** Behaviour of a device that beats until its time has come, then does something once. */
class OneShotBehaviour extends Behaviour {

    private final ActionTime moment;
    private final Turn turn;

    /** What it does. */
    interface Turn {

        /** Does it, at the time the next heartbeat would be due. */
        void of(Device device, long dueNanos);
    }

    OneShotBehaviour(String label, ActionTime moment, Turn turn) {
        super(label);
        this.moment = moment;
        this.turn = turn;
    }

    @Override
    final long act(Device device, long dueNanos) {
        boolean come = device.memo == 0
                && moment.hasCome(
                        device.index(), dueNanos - device.loopContext().observingFromNanos());
        if (!come) {
            return device.beat(dueNanos);
        }
        turn.of(device, dueNanos);
        return SlotRing.DONE;
    }
}

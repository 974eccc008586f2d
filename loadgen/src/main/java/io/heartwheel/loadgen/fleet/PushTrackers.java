package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.PushSink;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** Comparisons of all that is pushed to the devices of one event loop, in the order of the scenario's downlinks. Owned by that loop. */
record PushTrackers(List<PushTracker> all) implements PushSink<Device> {

    @Override
    public void startsReading(Device device) {
        all.forEach(each -> each.startsReading(device));
    }

    @Override
    public void stopsReading(Device device) {
        all.forEach(each -> each.stopsReading(device));
    }

    @Override
    public boolean received(Device device, boolean here, long id, boolean ackWanted, ByteBuf in, int at, int length) {
        for (PushTracker each : all) {
            if (each.received(device, here, id, ackWanted, in, at, length)) {
                return true;
            }
        }
        return false;
    }

    /** Takes a report in. */
    void report(PushReport report, long shift) {
        all.get(report.downlink()).report(report.outcomes(), shift);
    }

    void finish() {
        all.forEach(PushTracker::finish);
    }
}

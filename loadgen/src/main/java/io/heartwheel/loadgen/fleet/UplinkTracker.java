package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.UplinkSink;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.scenario.Uplink;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of what the devices of one event loop were told with what came out of the gateways: their acknowledged messages here,
 * and by a {@link PresenceTracker} who of them is connected. Owned by that loop. Times are nanoseconds since the run began.
 */
final class UplinkTracker implements UplinkSink<Device> {

    private final Uplink uplink;
    private final Recorder recorder;
    private final Ledger ledger;
    private final LoopDevices devices;

    private final @Nullable UplinkLog[] logs;
    private final PresenceTracker presence;
    private boolean complete;

    /** Of devices none of which is connected yet. */
    UplinkTracker(Uplink uplink, Recorder recorder, LoopDevices devices) {
        this.uplink = uplink;
        this.recorder = recorder;
        this.ledger = recorder.ledger();
        this.devices = devices;
        this.logs = new @Nullable UplinkLog[devices.all.length];
        this.presence = new PresenceTracker(uplink.settleNanos(), recorder, devices);
    }

    private UplinkLog log(int local) {
        UplinkLog log = logs[local];
        if (log == null) {
            log = new UplinkLog();
            logs[local] = log;
        }
        return log;
    }

    // ---- what devices are told

    @Override
    public void welcomed(Device device, long epoch) {
        presence.welcomed(device, epoch);
        log(devices.local(device)).welcomed(epoch);
    }

    @Override
    public void opened(Device device) {
        presence.opened(device);
    }

    @Override
    public void sent(Device device, long id, int bytes) {
        log(devices.local(device)).sent((int) id, bytes);
    }

    @Override
    public void accepted(Device device, long id) {
        ledger.count(Count.UPLINK_CAME, log(devices.local(device)).accepted((int) id) ? 1 : 0);
    }

    // ---- what comes out

    /** Takes a report in. */
    void report(UplinkReport report) {
        if (devices.isFirst()) {
            report.counts()
                    .forEach((label, many) -> Count.labelled(label).ifPresent(count -> ledger.count(count, many)));
        }
        for (UplinkEvent event : report.events()) {
            presence.gateway(event);
            if (devices.owns(event.device())) {
                int local = devices.local(event.device());
                Device device = devices.all[local];
                if (device == null) {
                    ledger.count(Count.UPLINK_OTHERS);
                } else if (event.kind() == UplinkEvent.Kind.MESSAGE) {
                    if (event.id() != 0 || !uplink.nameless()) {
                        message(device, event);
                    }
                } else {
                    presence.device(local, event);
                }
            }
        }
        complete |= report.complete();
    }

    private void message(Device device, UplinkEvent event) {
        long number = device.messageNumber(event.id());
        UplinkLog log = log(devices.local(device));
        int bytes = log.bytes(number);
        if (bytes < 0) {
            fault(Count.UPLINK_CHANGED, device, "a message came out that was not sent, id %d", event.id());
        } else if (bytes != event.bytes() || device.messageChecksum(number, bytes) != event.checksum()) {
            String text = "message %d came out with %d bytes of %d, or other ones";
            fault(Count.UPLINK_CHANGED, device, text, number, event.bytes(), bytes);
        } else {
            came(device, log, (int) number, presence.told(devices.local(device), event.epoch()));
        }
    }

    private void came(Device device, UplinkLog log, int message, long epoch) {
        UplinkLog.Arrival arrival = log.came(message, epoch);
        switch (arrival) {
            case DOUBLED -> ledger.count(Count.UPLINK_DOUBLED);
            case UNKNOWN -> {
                String text = "message %d came out as one of a connection that did not send it, epoch %s";
                fault(Count.UPLINK_CHANGED, device, text, message, Long.toUnsignedString(epoch));
            }
            case FIRST, OUT_OF_ORDER -> {
                ledger.count(Count.UPLINK_CAME, log.isAccepted(message) ? 1 : 0);
                if (arrival == UplinkLog.Arrival.OUT_OF_ORDER) {
                    fault(Count.UPLINK_OUT_OF_ORDER, device, "message %d came out behind a later one", message);
                }
            }
        }
    }

    private void fault(Count what, Device device, String text, Object... values) {
        recorder.fault(what, 1, GatewayFault.Kind.UPLINK, device, text, values);
    }

    /** Name of the gateway that has the device's newest connection by the events so far; empty: none tells it. */
    String holder(int local) {
        return presence.holder(local);
    }

    // ---- the end

    /** What was acknowledged and did not come out is lost, if there was time enough for it. */
    void finish() {
        for (int local = 0; local < devices.all.length; local++) {
            Device device = devices.all[local];
            UplinkLog log = logs[local];
            if (device == null) {
                continue;
            }
            BitSet missing = log == null ? new BitSet() : log.missing();
            int many = missing.cardinality();
            if (many > 0 && complete) {
                String text = "%,d acknowledged messages never came out, the first is message %d of this device";
                recorder.fault(
                        Count.UPLINK_LOST, many, GatewayFault.Kind.UPLINK, device, text, many, missing.nextSetBit(0));
            } else {
                ledger.count(Count.UPLINK_UNJUDGED, many);
            }
            if (complete) {
                presence.finish(device);
            }
        }
    }
}

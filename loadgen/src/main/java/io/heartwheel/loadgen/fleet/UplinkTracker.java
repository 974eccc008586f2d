package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.client.UplinkSink;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.scenario.Uplink;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of what the devices of one event loop were told with what came out of the gateway: their acknowledged messages,
 * and by its events who of them is connected. Owned by that loop. Times are nanoseconds since the run began.
 *
 * <p>Presence follows the rule for consumers: of two events of a device the one with the larger (epoch, sequence) is newer, and
 * every session of an older incarnation of the gateway is over.
 */
final class UplinkTracker implements UplinkSink<Device> {

    private final Uplink uplink;
    private final Recorder recorder;
    private final Ledger ledger;
    private final LoopDevices devices;

    private final @Nullable UplinkLog[] logs;
    private final long[] welcomedNanos;

    // ---- what the newest event of each device says; the sequence of one without an event is 0
    private final long[] epochs;
    private final long[] sequences;
    private final long[] incarnations;
    private final BitSet present = new BitSet();

    private long incarnation;
    private boolean complete;

    /** Of devices none of which is connected yet. */
    UplinkTracker(Uplink uplink, Recorder recorder, LoopDevices devices) {
        this.uplink = uplink;
        this.recorder = recorder;
        this.ledger = recorder.ledger();
        this.devices = devices;
        int many = devices.all.length;
        this.logs = new @Nullable UplinkLog[many];
        this.welcomedNanos = new long[many];
        this.epochs = new long[many];
        this.sequences = new long[many];
        this.incarnations = new long[many];
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
        int local = devices.local(device);
        welcomedNanos[local] = recorder.clock.nanos();
        log(local).welcomed(epoch);
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
            incarnation = Math.max(incarnation, event.incarnation());
            if (event.kind() != UplinkEvent.Kind.STARTED && devices.owns(event.device())) {
                int local = devices.local(event.device());
                Device device = devices.all[local];
                if (device == null) {
                    ledger.count(Count.UPLINK_OTHERS);
                } else if (event.kind() == UplinkEvent.Kind.MESSAGE) {
                    message(device, event);
                } else {
                    presence(local, event);
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
            came(device, log, (int) number, event.epoch());
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

    private void presence(int local, UplinkEvent event) {
        int newer = Long.compareUnsigned(event.epoch(), epochs[local]);
        if (newer > 0 || (newer == 0 && Long.compareUnsigned(event.sequence(), sequences[local]) > 0)) {
            epochs[local] = event.epoch();
            sequences[local] = event.sequence();
            incarnations[local] = event.incarnation();
            present.set(local, event.kind() == UplinkEvent.Kind.PRESENT);
        }
    }

    private boolean isPresent(int local) {
        return present.get(local) && incarnations[local] >= incarnation;
    }

    private void fault(Count what, Device device, String text, Object... values) {
        recorder.fault(what, 1, GatewayFault.Kind.UPLINK, device, text, values);
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
                presence(device, local);
            }
        }
    }

    /** Of a device whose connection has been as it is for a while. */
    private void presence(Device device, int local) {
        long before = recorder.clock.nanos() - uplink.settleNanos();
        boolean here = device.isOpen()
                && device.expectedOutcome() == ExpectedOutcome.LIVE
                && !device.isUnreachable()
                && welcomedNanos[local] <= before;
        boolean gone = device.isGone() && device.superseded() == null && device.endedNanos() <= before;
        if (here || gone) {
            ledger.count(Count.PRESENCE_JUDGED);
            if (here != isPresent(local)) {
                String text =
                        here ? "connected, and absent by the events (%s)" : "gone, and present by the events (%s)";
                String newest = sequences[local] == 0 && epochs[local] == 0
                        ? "none came"
                        : "epoch " + Long.toUnsignedString(epochs[local]) + ", sequence "
                                + Long.toUnsignedString(sequences[local]) + ", incarnation " + incarnations[local]
                                + " of " + incarnation;
                fault(Count.PRESENCE_WRONG, device, text, newest);
            }
        }
    }
}

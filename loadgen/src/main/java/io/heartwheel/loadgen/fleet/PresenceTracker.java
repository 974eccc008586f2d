package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of who is connected by the events of all gateways with what the devices of one event loop know. Owned by that loop. Times
 * are nanoseconds since the run began.
 *
 * <p>It follows the rule for consumers: of two events of a device the one with the larger (epoch, sequence) is newer, and every
 * connection of an older incarnation of its gateway is over. What an event without a sequence tells is the last of its epoch.
 *
 * <pre>
 *   device 7    epoch 5 at a        epoch 6 at b       epoch 8 at c
 *   by events   present, absent     present            present          6 is open beside 8: nobody told its end
 *   told        WELCOME 5           WELCOME 6          WELCOME 8        grows, and is the newest by the events
 * </pre>
 *
 * <p>Costs some 60 bytes a connection.
 */
final class PresenceTracker {

    private final Recorder recorder;
    private final Ledger ledger;
    private final LoopDevices devices;
    private final long settleNanos;

    private final @Nullable List<Connection>[] logs;
    private final long[] openedNanos;
    /** Epochs that devices were last told; 0: none. */
    private final long[] told;
    /** Who was told one for a connection that is not open yet. */
    private final BitSet welcomed = new BitSet();
    /** Who was told one for the connection that it has now. */
    private final BitSet tells = new BitSet();

    private final Map<String, Long> incarnations = new HashMap<>();
    /** Gateways that ended without a word: events of theirs may be missing. */
    private final Set<String> lossy = new HashSet<>();
    /** By gateway and incarnation, how often its end was told. */
    private final Map<String, Integer> down = new HashMap<>();

    /** A connection as the events tell of it. */
    private static final class Connection {
        private final long epoch;
        private long session;
        private long sequence;
        private String instance = "";
        private long incarnation;
        private boolean present;
        private @Nullable String successor;
        /** The same connection under an earlier epoch: its gateway stood still, was told as lost, and goes on. */
        private @Nullable Connection before;

        Connection(long epoch) {
            this.epoch = epoch;
        }

        boolean isTheSameAs(Connection other) {
            return session == other.session
                    && incarnation == other.incarnation
                    && !instance.isEmpty()
                    && instance.equals(other.instance);
        }

        /** The epoch that its device was told. */
        long told() {
            return before == null ? epoch : before.told();
        }

        boolean isOlderThan(Connection other) {
            return Long.compareUnsigned(epoch, other.epoch) < 0;
        }

        @Override
        public String toString() {
            return "epoch " + Long.toUnsignedString(epoch) + ", sequence " + Long.toUnsignedString(sequence)
                    + ", incarnation " + incarnation + (instance.isEmpty() ? "" : " of " + instance);
        }
    }

    /** Of devices none of which is connected yet. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of lists
    PresenceTracker(long settleNanos, Recorder recorder, LoopDevices devices) {
        this.settleNanos = settleNanos;
        this.recorder = recorder;
        this.ledger = recorder.ledger();
        this.devices = devices;
        this.logs = new List[devices.all.length];
        this.openedNanos = new long[devices.all.length];
        this.told = new long[devices.all.length];
    }

    // ---- what devices are told

    /** The gateway told the epoch of a connection, which opens now. */
    void welcomed(Device device, long epoch) {
        int local = devices.local(device);
        if (told[local] != 0 && Long.compareUnsigned(epoch, told[local]) <= 0) {
            String text = "welcomed with epoch %s after %s";
            String before = Long.toUnsignedString(told[local]);
            fault(Count.EPOCHS_FALLEN, device, text, Long.toUnsignedString(epoch), before);
        }
        told[local] = epoch;
        welcomed.set(local);
    }

    /** A connection is open, in whatever protocol; after {@link #welcomed} if its epoch was told. */
    void opened(Device device) {
        int local = devices.local(device);
        openedNanos[local] = recorder.clock.nanos();
        tells.set(local, welcomed.get(local));
        welcomed.clear(local);
    }

    // ---- what comes out

    /** Takes an event in that is about a gateway, or that tells which start of a gateway it comes from. */
    void gateway(UplinkEvent event) {
        incarnations.merge(event.instance(), event.incarnation(), Math::max);
        if (event.kind() == UplinkEvent.Kind.STARTED && event.detail().equals(UplinkEvent.LOST)) {
            lossy.add(event.instance());
        }
        if (event.kind() == UplinkEvent.Kind.NODE_DOWN && devices.isFirst()) {
            boolean again = down.merge(event.detail(), 1, Integer::sum) > 1;
            ledger.count(again ? Count.NODES_DOWN_AGAIN : Count.NODES_DOWN);
        }
    }

    /** Takes an event of a device's connection in. */
    void device(int local, UplinkEvent event) {
        Connection connection = connection(local, event.epoch());
        boolean takenOver = event.kind() == UplinkEvent.Kind.TAKEN_OVER;
        ledger.count(Count.TAKEOVERS_TOLD, takenOver ? 1 : 0);
        ledger.count(Count.TAKEOVERS_ELSEWHERE, takenOver && !event.detail().isEmpty() ? 1 : 0);
        ledger.count(Count.NODE_LOST, event.detail().equals(UplinkEvent.LOST) ? 1 : 0);
        if (!event.detail().equals(UplinkEvent.LOST)) {
            connection.session = event.session();
            connection.instance = event.instance();
            connection.incarnation = event.incarnation();
            connection.before = before(local, connection);
        }
        if (Long.compareUnsigned(event.sequence(), connection.sequence) > 0) {
            connection.sequence = event.sequence();
            connection.present = event.kind() == UplinkEvent.Kind.PRESENT;
        }
        if (takenOver) {
            connection.successor = event.detail().isEmpty() ? event.instance() : event.detail();
        }
    }

    private Connection connection(int local, long epoch) {
        List<Connection> log = logs[local];
        if (log == null) {
            log = new ArrayList<>(1);
            logs[local] = log;
        }
        for (int i = log.size() - 1; i >= 0; i--) {
            if (log.get(i).epoch == epoch) {
                return log.get(i);
            }
        }
        Connection made = new Connection(epoch);
        log.add(made);
        return made;
    }

    private @Nullable Connection before(int local, Connection connection) {
        Connection before = null;
        for (Connection each : log(local)) {
            boolean earlier = each.isOlderThan(connection) && each.isTheSameAs(connection);
            before = earlier && (before == null || before.isOlderThan(each)) ? each : before;
        }
        return before;
    }

    /** The epoch under which the device knows the connection that has this one in the events. */
    long told(int local, long epoch) {
        for (Connection each : log(local)) {
            if (each.epoch == epoch) {
                return each.told();
            }
        }
        return epoch;
    }

    /** Name of the gateway that has the newest connection; empty: nobody tells it. */
    String holder(int local) {
        Connection newest = newest(local);
        return newest == null ? "" : newest.instance;
    }

    private @Nullable Connection newest(int local) {
        return log(local).stream()
                .reduce((one, other) -> one.isOlderThan(other) ? other : one)
                .orElse(null);
    }

    private List<Connection> log(int local) {
        List<Connection> log = logs[local];
        return log == null ? List.of() : log;
    }

    // ---- the end

    /** Judges a device whose connection has been as it is for a while. */
    void finish(Device device) {
        int local = devices.local(device);
        long before = recorder.clock.nanos() - settleNanos;
        boolean here = device.isOpen()
                && device.expectedOutcome() == ExpectedOutcome.LIVE
                && !device.isUnreachable()
                && openedNanos[local] <= before;
        boolean gone = device.isGone() && device.superseded() == null && device.endedNanos() <= before;
        if (!here && !gone) {
            return;
        }
        ledger.count(Count.PRESENCE_JUDGED);
        List<Connection> log = log(local);
        Connection newest = newest(local);
        String seen = newest == null ? "none came" : newest + " of " + incarnations.get(newest.instance);
        if (here != (newest != null && isPresent(newest))) {
            String text = here ? "connected, and absent by the events (%s)" : "gone, and present by the events (%s)";
            fault(Count.PRESENCE_WRONG, device, text, seen);
        } else if (here && tells.get(local) && newest != null && newest.told() != told[local]) {
            String text = "connected with epoch %s, and with another one by the events (%s)";
            fault(Count.PRESENCE_WRONG, device, text, Long.toUnsignedString(told[local]), seen);
        }
        for (Connection each : log) {
            if (newest != null && each != newest) {
                older(device, each, newest);
            }
            successor(device, each, log);
        }
    }

    private boolean isPresent(Connection connection) {
        return connection.present && connection.incarnation >= incarnations.getOrDefault(connection.instance, 0L);
    }

    private void older(Device device, Connection connection, Connection newest) {
        if (isPresent(connection)) {
            String text = "still open by the events (%s) beside a newer one (%s)";
            fault(Count.HOLDERS_STALE, device, text, connection, newest);
        }
    }

    /** Who took a connection over must have been told of, unless its gateway could not tell. */
    private void successor(Device device, Connection connection, List<Connection> log) {
        String at = connection.successor;
        if (at != null
                && !lossy.contains(at)
                && log.stream().noneMatch(other -> connection.isOlderThan(other) && other.instance.equals(at))) {
            String text = "taken over (%s) by a connection of %s that no event tells";
            fault(Count.TAKEOVERS_UNTOLD, device, text, connection, at);
        }
    }

    private void fault(Count what, Device device, String text, Object... values) {
        recorder.fault(what, 1, GatewayFault.Kind.UPLINK, device, text, values);
    }
}

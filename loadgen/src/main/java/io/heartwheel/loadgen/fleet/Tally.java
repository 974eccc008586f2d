package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.DeviceObserver;
import io.heartwheel.loadgen.client.Ending;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the devices of one event loop saw. Owned by that loop; merged into another tally on request, on the loop's thread,
 * so nothing here needs a lock.
 */
final class Tally implements DeviceObserver {

    private static final int MOST_OF_A_KIND = 10;
    private static final int MOST_REFUSALS = 20;

    private boolean observing;

    final Contract contract;
    final NanoClock clock;

    long opened;
    long refused;
    long ownFailures;
    long beatsSent;
    long beatsAnswered;
    long probesToLive;
    long probesToSilent;
    long dataSent;
    long dataAccepted;
    long dataRefused;
    long violations;
    long detected;
    long falseKills;
    long wrongCodes;
    long ownFaults;
    long grantedLeast = Long.MAX_VALUE;
    long grantedMost;
    final Map<String, Long> refusals = new TreeMap<>();
    final Map<Integer, Long> silentCloses = new TreeMap<>();
    final Map<Integer, Long> liveCloses = new TreeMap<>();
    private final Map<Evidence.Kind, Integer> kinds = new EnumMap<>(Evidence.Kind.class);
    final List<Evidence> evidence = new ArrayList<>();

    final Latencies sinceIntended = Latencies.coarse();
    final Latencies sinceSent = Latencies.coarse();
    final Latencies pacing = Latencies.coarse();
    final Latencies lateness = Latencies.fine();
    /** Round trips since the last look at the progress. */
    final Latencies recent = Latencies.coarse();

    Tally(Contract contract, NanoClock clock) {
        this.contract = contract;
        this.clock = clock;
    }

    /** From now on timing counts; what is counted by the piece always did. */
    void observe() {
        observing = true;
    }

    @Override
    public void opened(Device device) {
        opened++;
        grantedLeast = Math.min(grantedLeast, device.grantedMillis());
        grantedMost = Math.max(grantedMost, device.grantedMillis());
    }

    @Override
    public void refused(Device device, Ending ending, int code, String detail) {
        if (ending == Ending.LEFT) {
            return;
        }
        refused++;
        if (ending == Ending.OWN_FAILURE) {
            ownFailures++;
        }
        String what = code == CloseCodes.NONE ? (ending + " " + detail).strip() : code + " " + CloseCodes.name(code);
        if (refusals.size() < MOST_REFUSALS || refusals.containsKey(what)) {
            refusals.merge(what, 1L, Long::sum);
        }
    }

    @Override
    public void beatSent(Device device, long lagNanos) {
        beatsSent++;
        if (observing) {
            pacing.record(lagNanos);
        }
    }

    @Override
    public void beatAnswered(Device device, long sinceIntendedNanos, long sinceSentNanos) {
        beatsAnswered++;
        recent.record(sinceIntendedNanos);
        if (observing) {
            sinceIntended.record(sinceIntendedNanos);
            if (sinceSentNanos >= 0) {
                sinceSent.record(sinceSentNanos);
            }
        }
    }

    @Override
    public void probed(Device device) {
        if (device.silent()) {
            probesToSilent++;
        } else {
            probesToLive++;
        }
    }

    @Override
    public void data(Device device, boolean acknowledged, boolean accepted) {
        if (!acknowledged) {
            dataSent++;
        } else if (accepted) {
            dataAccepted++;
        } else {
            dataRefused++;
        }
    }

    @Override
    public void violated(Device device, String detail) {
        violations++;
        note(Evidence.Kind.WIRE_BROKEN, device, CloseCodes.NONE, detail);
    }

    @Override
    public void ended(Device device, Ending ending, int code, String detail) {
        if (ending == Ending.LEFT || ending == Ending.VIOLATION) {
            return;
        }
        Oracle.Close close = new Oracle.Close(
                device.silent(),
                ending,
                code,
                device.lastSentNanos(),
                device.widestGapNanos(),
                device.allowedSilenceNanos(),
                device.endedNanos());
        (device.silent() ? silentCloses : liveCloses).merge(code, 1L, Long::sum);
        judged(device, close, detail);
    }

    private void judged(Device device, Oracle.Close close, String detail) {
        switch (Oracle.judge(close, contract)) {
            case DETECTED:
                detected++;
                lateness.record(close.latenessNanos());
                break;
            case EARLY:
                falseKills++;
                note(Evidence.Kind.CLOSED_EARLY, device, close.code(), detail);
                break;
            case FALSE_KILL:
                falseKills++;
                note(Evidence.Kind.LIVE_CLOSED, device, close.code(), close.ending() + " " + detail);
                break;
            case WRONG_CODE:
                wrongCodes++;
                lateness.record(close.latenessNanos());
                note(Evidence.Kind.WRONG_CODE, device, close.code(), close.ending() + " " + detail);
                break;
            case OWN_FAULT:
                ownFaults++;
                note(Evidence.Kind.OWN_FAULT, device, close.code(), detail);
                break;
        }
    }

    @Override
    public void gone(Device device) {
        // The muster at the end asks who is not.
    }

    void note(Evidence.Kind kind, Device device, int code, String detail) {
        if (kinds.merge(kind, 1, Integer::sum) <= MOST_OF_A_KIND) {
            evidence.add(Evidence.of(kind, device, clock.nanos(), code, detail));
        }
    }

    /** Adds this tally to another one; on the loop's thread, while no other thread touches {@code sum}. */
    void addTo(Tally sum) {
        sum.opened += opened;
        sum.refused += refused;
        sum.ownFailures += ownFailures;
        sum.beatsSent += beatsSent;
        sum.beatsAnswered += beatsAnswered;
        sum.probesToLive += probesToLive;
        sum.probesToSilent += probesToSilent;
        sum.dataSent += dataSent;
        sum.dataAccepted += dataAccepted;
        sum.dataRefused += dataRefused;
        sum.violations += violations;
        sum.detected += detected;
        sum.falseKills += falseKills;
        sum.wrongCodes += wrongCodes;
        sum.ownFaults += ownFaults;
        sum.grantedLeast = Math.min(sum.grantedLeast, grantedLeast);
        sum.grantedMost = Math.max(sum.grantedMost, grantedMost);
        refusals.forEach((what, count) -> sum.refusals.merge(what, count, Long::sum));
        silentCloses.forEach((code, count) -> sum.silentCloses.merge(code, count, Long::sum));
        liveCloses.forEach((code, count) -> sum.liveCloses.merge(code, count, Long::sum));
        sum.evidence.addAll(evidence);
        sum.sinceIntended.add(sinceIntended);
        sum.sinceSent.add(sinceSent);
        sum.pacing.add(pacing);
        sum.lateness.add(lateness);
    }
}

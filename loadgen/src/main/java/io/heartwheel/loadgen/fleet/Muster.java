package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.wire.CloseCodes;
import org.jspecify.annotations.Nullable;

/**
 * The roll call at the end of the observed time, before anybody is dismissed: who should be gone and is not, who should
 * have been answered and was not. Counts of one event loop, added up over all.
 */
final class Muster {

    long started;
    long waiting;
    long liveOpen;
    long silentDevices;
    long missed;
    long unjudged;
    long leftOpen;
    long unansweredBeats;
    long unansweredDevices;

    /** Looks at the devices of one loop; on its thread. */
    void inspect(@Nullable Device[] devices, long nowNanos, Contract contract, Tally tally) {
        for (Device device : devices) {
            if (device != null) {
                started++;
                inspect(device, nowNanos, contract, tally);
            }
        }
    }

    private void inspect(Device device, long nowNanos, Contract contract, Tally tally) {
        if (device.silent()) {
            silentDevices++;
        }
        if (device.isWaiting()) {
            waiting++;
        } else if (device.isClosing()) {
            if (nowNanos - device.endedNanos() > contract.missedAfterNanos()) {
                leftOpen++;
                tally.note(Evidence.Kind.LEFT_OPEN, device, CloseCodes.NONE, "");
            }
        } else if (device.isOpen()) {
            inspectOpen(device, nowNanos, contract, tally);
        }
    }

    private void inspectOpen(Device device, long nowNanos, Contract contract, Tally tally) {
        int unanswered = device.overdueAnswers(nowNanos - contract.answerWithinNanos());
        if (device.silent()) {
            long overdue = nowNanos - device.lastSentNanos() - device.allowedSilenceNanos();
            if (overdue > contract.missedAfterNanos()) {
                missed++;
                tally.note(Evidence.Kind.NEVER_CLOSED, device, CloseCodes.NONE, "");
            } else {
                unjudged++;
            }
            return;
        }
        liveOpen++;
        if (device.meantToFallSilent()) {
            unjudged++;
        }
        if (unanswered > 0) {
            unansweredBeats += unanswered;
            unansweredDevices++;
            tally.note(Evidence.Kind.UNANSWERED, device, CloseCodes.NONE, unanswered + " heartbeats");
        }
    }

    void addTo(Muster sum) {
        sum.started += started;
        sum.waiting += waiting;
        sum.liveOpen += liveOpen;
        sum.silentDevices += silentDevices;
        sum.missed += missed;
        sum.unjudged += unjudged;
        sum.leftOpen += leftOpen;
        sum.unansweredBeats += unansweredBeats;
        sum.unansweredDevices += unansweredDevices;
    }
}

package io.heartwheel.session;

import io.heartwheel.session.Directory.Wait;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takeovers of the last minute, by device id. Two connections that take one id from each other would do so for ever; from the fifth takeover within a minute on
 * the newcomer waits, longer each time.
 *
 * <pre>
 *   takeover 1, 2, 3, 4 | 2 s | takeover 5 | 4 s | 6 | 8 s | 7 | 16 s | 8 | 32 s | 9 | 40 s | 10 | 40 s | ...
 *                         `-- from the arrival of the first who has to wait; whoever comes meanwhile changes nothing
 * </pre>
 *
 * Whoever comes 15 s or more after the latest takeover waits for nobody, unless there were four within the minute: at that pace they would be free anyway. Then the
 * next wait is half as long, down to none. So a device alone, whose connections die and which comes back again and again, gets in; rivals come back sooner, because
 * being displaced is what brings them. After a minute without anybody who wants the id it is forgotten, and counts from the beginning; so it is when the
 * holder does not answer a probe, or was at another gateway and has ended.
 *
 * <p>Of takeovers between two gateways of a fleet either has all: the one that takes an id has counted it, and tells the other with its kick how long somebody
 * had to wait for it. So the next wait is the same at both.
 *
 * <p>Nobody waits for an id that has no holder, or for a holder that has ended, so the time is the holder's, and an id is closed to nobody for longer than one wait. Only
 * ids that were taken over stand here, so only who was admitted makes an entry, at most {@value #MOST} of them, 5 MB; beyond that the one that was asked for
 * the longest time ago is forgotten.
 *
 * <p>Any thread; guarded by this, for some hundred nanoseconds.
 */
final class Takeovers {
    static final int MOST = 16_384;
    /** Takeovers of one id within a minute for which nobody waits. */
    static final int FREE = 4;

    private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Whoever comes so long after a takeover, each time, takes over no more often than is free. */
    private static final long SOON_NANOS = FORGOTTEN_NANOS / FREE;

    private static final long FIRST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Whoever is told to wait comes back up to half as long later, {@link Session}: a minute in all. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(40);

    private static final class Recent {
        /** When the latest were, in turn. */
        final long[] takeoverNanos = new long[FREE];

        int takeovers;
        /** The latest wait, halved since by each that came late; 0: it is no conflict. */
        long waitNanos;
        /** Somebody has to wait for this session, until then; else when the latest takeover was. */
        boolean waiting;

        /** For whom somebody waits; else, after a takeover elsewhere, the epoch that the id has there. */
        long holder;

        long sinceNanos;

        boolean isOver(long nowNanos) {
            return nowNanos - sinceNanos >= FORGOTTEN_NANOS;
        }

        boolean isOneTooMany(long nowNanos) {
            boolean often = takeovers >= FREE && nowNanos - takeoverNanos[takeovers % FREE] < FORGOTTEN_NANOS;
            return often || (waitNanos > 0 && nowNanos - sinceNanos < SOON_NANOS);
        }

        Wait beginWait(long holderSession, long nowNanos) {
            boolean begins = waitNanos == 0;
            waitNanos = begins ? FIRST_WAIT_NANOS : Math.min(LONGEST_WAIT_NANOS, 2 * waitNanos);
            waiting = true;
            holder = holderSession;
            sinceNanos = nowNanos + waitNanos;
            return new Wait(waitNanos, begins);
        }

        void endWait() {
            waiting = false;
            sinceNanos = takeoverNanos[(takeovers - 1) % FREE];
        }

        void takeOver(long nowNanos) {
            if (!waiting) {
                waitNanos = waitNanos / 2 < FIRST_WAIT_NANOS ? 0 : waitNanos / 2;
            }
            takeoverNanos[takeovers % FREE] = nowNanos;
            takeovers++;
            endWait();
        }
    }

    private final Map<String, Recent> byDevice = new LinkedHashMap<>();

    private Recent recent(String deviceId, long nowNanos) {
        Recent known = byDevice.remove(deviceId);
        Iterator<Recent> oldest = byDevice.values().iterator();
        while (oldest.hasNext() && (oldest.next().isOver(nowNanos) || byDevice.size() >= MOST)) {
            oldest.remove();
        }
        Recent recent = known == null || known.isOver(nowNanos) ? new Recent() : known;
        byDevice.put(deviceId, recent);
        return recent;
    }

    /**
     * Somebody wants an id that has a holder.
     *
     * @param holder the session that has it; at another gateway its epoch
     * @param nowNanos monotonic
     * @return null if it takes the id over, which is counted; else how long it has to wait
     */
    synchronized @Nullable Wait claim(String deviceId, long holder, long nowNanos) {
        Recent recent = recent(deviceId, nowNanos);
        if (recent.waiting && recent.holder != holder) {
            recent.endWait();
        }
        if (recent.waiting && recent.sinceNanos - nowNanos > 0) {
            return new Wait(recent.sinceNanos - nowNanos, false);
        }
        if (!recent.waiting && recent.isOneTooMany(nowNanos)) {
            return recent.beginWait(holder, nowNanos);
        }
        recent.takeOver(nowNanos);
        return null;
    }

    /**
     * An id was taken over at another gateway. Told again of the same, it changes nothing.
     *
     * @param epoch of the one that has it now
     * @param waitNanos what {@link #waitNanos} is there
     */
    synchronized void takenElsewhere(String deviceId, long epoch, long waitNanos, long nowNanos) {
        Recent recent = recent(deviceId, nowNanos);
        if (recent.waiting || recent.holder != epoch) {
            recent.takeOver(nowNanos);
            recent.holder = epoch;
            recent.waitNanos = Math.max(recent.waitNanos, Math.min(LONGEST_WAIT_NANOS, waitNanos));
        }
    }

    /** The latest wait for this id, nanoseconds, as the next one follows from it; 0: it is no conflict. */
    synchronized long waitNanos(String deviceId) {
        Recent recent = byDevice.get(deviceId);
        return recent == null ? 0 : recent.waitNanos;
    }

    /** The holder was dead, or had ended at another gateway: nobody waits for it, and what was before counts no more. */
    synchronized void forget(String deviceId) {
        byDevice.remove(deviceId);
    }

    /** Ids of which somebody had to wait, and that are not forgotten. */
    synchronized long conflicts(long nowNanos) {
        return byDevice.values().stream()
                .filter(recent -> recent.waitNanos > 0 && !recent.isOver(nowNanos))
                .count();
    }

    /** Ids that are remembered. */
    synchronized int size() {
        return byDevice.size();
    }
}

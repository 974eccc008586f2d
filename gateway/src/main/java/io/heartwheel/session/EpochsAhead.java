package io.heartwheel.session;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Epochs that ran ahead of those a process issues by itself, because a device remembered a later one: kept by device until the process has
 * caught up, so that a device that forgets does not fall behind. That is rare: after a restart with a clock that was set back, or a lie. Keeps
 * {@value #MOST} at most, 3 MB, and forgets the oldest beyond that.
 *
 * <p>Any thread; all fields but {@code any} are guarded by this. {@code any} is written under the lock and read anywhere, together with the
 * stripe's lock under which the device's own entry is written: a reader never misses that.
 */
final class EpochsAhead {
    static final int MOST = 16_384;

    private final Map<String, Long> byDevice = new LinkedHashMap<>();
    private volatile boolean any;

    /**
     * Notes a device's latest epoch.
     *
     * @param issued what the process has issued by itself: what is not beyond it needs no memory
     */
    synchronized void note(String deviceId, long epoch, long issued) {
        Long known = byDevice.remove(deviceId);
        Iterator<Long> oldest = byDevice.values().iterator();
        while (oldest.hasNext() && (oldest.next() <= issued || byDevice.size() >= MOST)) {
            oldest.remove();
        }
        byDevice.put(deviceId, known == null ? epoch : Math.max(known, epoch));
        any = true;
    }

    /** The latest epoch of a session's device, if it ran ahead; 0 otherwise. */
    long of(Session session) {
        return any ? find(session.deviceId()) : 0;
    }

    private synchronized long find(String deviceId) {
        Long epoch = byDevice.get(deviceId);
        return epoch == null ? 0 : epoch;
    }

    /** How many are kept. */
    synchronized int size() {
        return byDevice.size();
    }
}

package io.heartwheel.auth.http;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log lines about the service: of each kind at most one in ten seconds, with a count of what was left out. One thread. */
final class HookLog {
    private static final Logger LOG = LoggerFactory.getLogger(HookLog.class);
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Lines of one kind. */
    private static final class Kind {
        private long toldNanos;
        private boolean everTold;
        private long count;

        /** What has come since the latest line, this included; 0 if it is too early for a line. */
        long take(long more, long nowNanos) {
            count += more;
            if (everTold && nowNanos - toldNanos < EVERY_NANOS) {
                return 0;
            }
            long all = count;
            everTold = true;
            toldNanos = nowNanos;
            count = 0;
            return all;
        }
    }

    private final String place;
    private final Kind malformed = new Kind();
    private final Kind opened = new Kind();
    private final Kind unasked = new Kind();
    /** Whether the latest opening has a line, so that the end has one too. */
    private boolean openingTold;

    /** @param place of the service, without what may be a secret */
    HookLog(String place) {
        this.place = place;
    }

    /** An answer made no sense, or was about the gateway. */
    void malformed(String detail, long nowNanos) {
        long count = malformed.take(1, nowNanos);
        if (count > 0) {
            LOG.warn("{} answers of {} say nothing of the device, the latest: {}", count, place, detail);
        }
    }

    /** The breaker has opened. */
    void opened(String detail, long waitNanos, long nowNanos) {
        if (opened.take(1, nowNanos) > 0) {
            openingTold = true;
            LOG.warn("{} is left alone for {} ms: {}", place, TimeUnit.NANOSECONDS.toMillis(waitNanos), detail);
        }
    }

    /** The breaker has closed. */
    void back() {
        if (openingTold) {
            openingTold = false;
            LOG.info("{} is asked again", place);
        }
    }

    /** Devices were admitted although nobody was asked. */
    void admittedUnasked(int devices, long nowNanos) {
        long count = unasked.take(devices, nowNanos);
        if (count > 0) {
            LOG.warn("{} devices admitted without asking {}: auth.http.on-outage = admit", count, place);
        }
    }
}

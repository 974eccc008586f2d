package io.heartwheel.transport;

import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether there is memory for anybody new, from one reading after the other and nothing else.
 *
 * <pre>
 *   share  1.0 |              JVM in trouble
 *              |
 *   refuse-above ....... short: newcomers are told OVERLOADED, /readyz says so
 *              |         ^    |     in between nothing changes, so that it does not flutter
 *   admit-below .........|....v  taken again
 *              |
 *          0.0 |
 * </pre>
 *
 * <p>Who is connected stays connected. One thread looks; any may ask.
 */
public final class MemoryGuard {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryGuard.class);

    private volatile MemorySettings settings;
    private volatile MemoryReading latest = MemoryReading.NOTHING;
    private volatile boolean isShort;
    private volatile long shortages;

    /** Starts with memory to spare. */
    public MemoryGuard(MemorySettings settings) {
        this.settings = settings;
    }

    /** Decides by these from the next reading on. Any thread. */
    public void reconfigure(MemorySettings fresh) {
        settings = fresh;
    }

    /** What it decides by. Any thread. */
    public MemorySettings settings() {
        return settings;
    }

    /**
     * Takes a reading and decides. The watching thread only.
     *
     * @return whether memory is short now
     */
    boolean look(MemoryReading reading) {
        latest = reading;
        double worst = reading.worstShare();
        if (!isShort && settings.enabled() && worst >= settings.refuseAbove()) {
            begin(reading);
        } else if (isShort && worst < settings.admitBelow()) {
            isShort = false;
            LOG.warn("memory is no longer short: {}; new connections are taken again", told(reading));
        }
        return isShort;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void begin(MemoryReading reading) {
        isShort = true;
        shortages = shortages + 1;
        LOG.warn(
                "memory is short: {}; new connections are refused until it is below {} %",
                told(reading), percent(settings.admitBelow()));
    }

    private static String told(MemoryReading reading) {
        return String.format(Locale.ROOT, "%s %d %% full", reading.worstName(), percent(reading.worstShare()));
    }

    private static long percent(double share) {
        return Math.round(share * 100);
    }

    /** Whether newcomers are refused now. One volatile read. */
    public boolean isShort() {
        return isShort;
    }

    /** Times it has become short since start. */
    public long shortages() {
        return shortages;
    }

    /** What was seen last. */
    public MemoryReading latest() {
        return latest;
    }
}

package io.heartwheel.transport.tls;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that does the upkeep of {@link TlsListeners}, once a second; there is none without TLS. Any thread may start and end it. */
public final class TlsUpkeep implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TlsUpkeep.class);

    private final TlsListeners listeners;
    private @Nullable ScheduledExecutorService thread;

    /** Not started yet. */
    public TlsUpkeep(TlsListeners listeners) {
        this.listeners = listeners;
    }

    /** Starts it, once. */
    public synchronized void start() {
        if (thread == null) {
            thread = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread made = new Thread(task, "tls-upkeep");
                made.setDaemon(true);
                return made;
            });
            thread.scheduleWithFixedDelay(this::turn, 1, 1, TimeUnit.SECONDS);
        }
    }

    private void turn() {
        try {
            listeners.upkeep();
        } catch (RuntimeException fault) {
            LOG.error("the upkeep of TLS failed; it is tried again", fault);
        }
    }

    @Override
    public synchronized void close() {
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}

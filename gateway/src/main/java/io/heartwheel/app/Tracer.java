package io.heartwheel.app;

import io.heartwheel.backend.SinkFactory;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.event.EventSink;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.session.LivenessPolicy;
import io.heartwheel.session.TraceSettings;
import io.heartwheel.session.Tracks;
import java.io.IOException;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The liveness trace and its file, if there is one. Whoever starts and ends the gateway. */
final class Tracer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tracer.class);

    /** As many bits as a JSON number keeps everywhere. */
    private static final int TRACE_BITS = 53;

    private final @Nullable EventSink sink;
    private final @Nullable Tracks tracks;

    /**
     * Opens the file.
     *
     * @throws IOException naming it, if it cannot be opened or created
     */
    Tracer(GatewaySettings settings, GatewayMetrics metrics) throws IOException {
        TraceSettings trace = settings.trace();
        if (!trace.enabled()) {
            sink = null;
            tracks = null;
            return;
        }
        EventSink file = SinkFactory.trace(trace, metrics.trace());
        sink = file;
        tracks = new Tracks(
                trace,
                new SecureRandom().nextLong() >>> (Long.SIZE - TRACE_BITS),
                new LivenessPolicy(settings.liveness()),
                file,
                metrics,
                System::nanoTime,
                System::currentTimeMillis);
        LOG.info("tracing {} of the connections to {}", trace.share(), trace.file());
    }

    /** Who is traced; null: nobody. */
    @Nullable
    Tracks tracks() {
        return tracks;
    }

    /** Writes what waits. After the last connection has ended. */
    @Override
    public void close() {
        if (sink != null) {
            try {
                sink.close();
            } catch (IOException failed) {
                LOG.warn("the trace did not close: {}", failed.getMessage());
            }
        }
    }
}

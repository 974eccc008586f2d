package io.heartwheel.app;

import io.heartwheel.config.GatewaySettings;
import io.heartwheel.event.EventSink;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.session.ActivityTraces;
import io.heartwheel.session.TraceSettings;
import io.heartwheel.sink.SinkFactory;
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
    private final @Nullable ActivityTraces activityTraces;

    /**
     * Opens the file.
     *
     * @throws IOException naming it, if it cannot be opened or created
     */
    Tracer(GatewaySettings settings, GatewayMetrics metrics) throws IOException {
        TraceSettings trace = settings.trace();
        if (!trace.enabled()) {
            sink = null;
            activityTraces = null;
            return;
        }
        EventSink file = SinkFactory.trace(trace, metrics.trace());
        sink = file;
        activityTraces = new ActivityTraces(
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
    ActivityTraces activityTraces() {
        return activityTraces;
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

package io.heartwheel.transport;

import io.heartwheel.session.ActivityTraces;
import io.heartwheel.session.ActivityTraces.ActivityTrace;
import io.heartwheel.session.Session;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/**
 * Handler before a traced connection: lets it read, then looks whether complete frames were among the bytes.
 *
 * <pre>
 *   [TLS] --&gt; TraceHandler --&gt; the connection, or what comes before it
 *                |              |
 *           ActivityTrace &lt;--look--+  last in the pipeline
 * </pre>
 */
final class TraceHandler extends ChannelInboundHandlerAdapter {
    private final ActivityTraces activityTraces;
    private final long sessionId;
    private final long acceptedNanos;
    private @Nullable ActivityTrace activityTrace;

    TraceHandler(ActivityTraces activityTraces, long sessionId, long acceptedNanos) {
        this.activityTraces = activityTraces;
        this.sessionId = sessionId;
        this.acceptedNanos = acceptedNanos;
    }

    /** Not before: the end of a session that could not be begun is told by nobody. */
    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        activityTrace = activityTraces.begin(
                sessionId, acceptedNanos, () -> ctx.pipeline().last() instanceof Session session ? session : null);
        ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        look(); // at what was kept until a claim was answered
        ctx.fireChannelRead(message);
        look();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        look();
        ctx.fireChannelWritabilityChanged();
        if (activityTrace != null) {
            activityTrace.moved();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        ctx.fireChannelInactive();
        activityTraces.forget(sessionId);
    }

    private void look() {
        if (activityTrace != null) {
            activityTrace.look();
        }
    }
}

package io.heartwheel.app;

import io.heartwheel.admin.Insight;
import io.heartwheel.backend.CloseLog;
import io.heartwheel.backend.RecentCloses;
import io.heartwheel.backend.RecentIncidents;
import io.heartwheel.backend.ShadowLedger;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.drain.DrainCounts;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Incident;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.session.Breaker;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.Tracks;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everyone who is told what sessions go through: figures, memory, log, sink. */
final class Witnesses {
    private final GatewaySettings settings;
    private final RecentCloses closes;
    private final RecentIncidents incidents = new RecentIncidents();
    private final ShadowLedger shadow = new ShadowLedger(System::currentTimeMillis);
    private final CloseLog log = new CloseLog(System::nanoTime);
    private final SessionObserver all;

    /** @param tracks those who are traced; null: nobody */
    Witnesses(
            GatewaySettings settings,
            GatewayMetrics metrics,
            EventSink sink,
            @Nullable Tracks tracks,
            DrainCounts drainCounts) {
        this.settings = settings;
        closes = new RecentCloses(settings.evidence());
        SessionObserver publisher = new SessionObserver() {
            @Override
            public void incident(Incident incident) {
                sink.publish(incident);
            }
        };
        List<SessionObserver> told =
                new ArrayList<>(List.of(metrics, closes, incidents, shadow, log, publisher, drainCounts));
        if (tracks != null) {
            told.add(tracks);
        }
        all = SessionObserver.all(told.toArray(new SessionObserver[0]));
    }

    /** All of them as one. */
    SessionObserver all() {
        return all;
    }

    /** To be called once a second, and at the end. Any thread. */
    void tell() {
        log.tell();
    }

    /** What the operator may ask of them. */
    Insight insight(Breaker breaker) {
        var tried = settings.shadow();
        return new Insight(
                closes,
                breaker,
                incidents,
                tried == null ? null : new Insight.Shadow(tried, settings.liveness(), shadow));
    }
}

package io.heartwheel.history;

import io.heartwheel.event.Incident;
import io.heartwheel.session.SessionObserver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The latest {@value #KEPT} incidents that are over. Any thread; takes a lock for a moment. */
public final class RecentIncidents implements SessionObserver {
    /** So many are remembered. */
    public static final int KEPT = 16;

    /** Newest first. */
    private final Deque<Incident> ended = new ArrayDeque<>(KEPT);

    @Override
    public synchronized void incident(Incident incident) {
        if (incident.ended()) {
            if (ended.size() == KEPT) {
                ended.removeLast();
            }
            ended.addFirst(incident);
        }
    }

    /** Newest first. */
    public synchronized List<Incident> latest() {
        return List.copyOf(ended);
    }
}

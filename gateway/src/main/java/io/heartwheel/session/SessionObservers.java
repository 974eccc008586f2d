package io.heartwheel.session;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.event.TlsFailure;
import java.util.List;
import java.util.function.Consumer;

/** Several observers as one, told in order. */
record SessionObservers(List<SessionObserver> all) implements SessionObserver {

    private void tell(Consumer<SessionObserver> fact) {
        all.forEach(fact);
    }

    @Override
    public void secured(String version, boolean resumed, long nanos) {
        tell(one -> one.secured(version, resumed, nanos));
    }

    @Override
    public void tlsFailed(TlsFailure failure) {
        tell(one -> one.tlsFailed(failure));
    }

    @Override
    public void established(String protocol) {
        tell(one -> one.established(protocol));
    }

    @Override
    public void closed(Evidence close) {
        // thousands at once: neither a lambda nor an iterator
        for (int i = 0; i < all.size(); i++) {
            all.get(i).closed(close);
        }
    }

    @Override
    public void traced() {
        tell(SessionObserver::traced);
    }

    @Override
    public void probed() {
        tell(SessionObserver::probed);
    }

    @Override
    public void keptAlive() {
        tell(SessionObserver::keptAlive);
    }

    @Override
    public void tookOver() {
        tell(SessionObserver::tookOver);
    }

    @Override
    public void idConflict(ConnectionEvent.IdConflict conflict) {
        tell(one -> one.idConflict(conflict));
    }

    @Override
    public void readingPaused() {
        tell(SessionObserver::readingPaused);
    }

    @Override
    public void rateLimited() {
        tell(SessionObserver::rateLimited);
    }

    @Override
    public void reprieved() {
        tell(SessionObserver::reprieved);
    }

    @Override
    public void credited(long creditNanos) {
        tell(one -> one.credited(creditNanos));
    }

    @Override
    public void stalled(int loop, long nanos) {
        tell(one -> one.stalled(loop, nanos));
    }

    @Override
    public void judged(int loop, int lookedAt, long tookNanos) {
        tell(one -> one.judged(loop, lookedAt, tookNanos));
    }

    @Override
    public void suspected() {
        tell(SessionObserver::suspected);
    }

    @Override
    public void suspectSettled(SuspectOutcome outcome, long heldNanos) {
        tell(one -> one.suspectSettled(outcome, heldNanos));
    }

    @Override
    public void incident(Incident incident) {
        tell(one -> one.incident(incident));
    }

    @Override
    public void shadowed(DeadlineKind kind) {
        tell(one -> one.shadowed(kind));
    }

    @Override
    public void shadowSettled(DeadlineKind kind, ShadowOutcome outcome, long nanosAfter, String deviceId) {
        tell(one -> one.shadowSettled(kind, outcome, nanosAfter, deviceId));
    }
}

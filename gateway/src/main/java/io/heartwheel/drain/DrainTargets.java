package io.heartwheel.drain;

import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Devices that a drain sends away: all, or a share of them. Iterators are for the drain's thread, the rest for any. */
sealed interface DrainTargets {

    /** Devices that are to go and are here still. */
    long remaining();

    /** One way through those who may have to be told. A way that begins later finds who has come meanwhile. */
    Iterator<Session> toTell();

    /** One way through those who are to be closed. */
    Iterator<Session> toClose();

    /** Whether this is the end of one of them. On the loop of the session, once for each. */
    boolean ends(Evidence close);

    /** Whether whoever comes now is one of them. */
    boolean includesNewcomers();

    /** Whoever is here, and whoever comes. */
    record All(SessionRegistry registry) implements DrainTargets {
        @Override
        public long remaining() {
            return registry.size();
        }

        @Override
        public Iterator<Session> toTell() {
            return registry.round();
        }

        @Override
        public Iterator<Session> toClose() {
            return registry.round();
        }

        @Override
        public boolean ends(Evidence close) {
            return true;
        }

        @Override
        public boolean includesNewcomers() {
            return true;
        }
    }

    /**
     * Some of those who are here, drawn in one way through the registry: each is as likely to be drawn as any other, however long it has been here, and the
     * number is exact (selection sampling: Knuth, The Art of Computer Programming 3.4.2, algorithm S), less at most those who leave by themselves before they
     * are passed. Nobody is drawn twice, and no newcomer.
     *
     * <p>Those who were drawn are kept by session id until they are gone. A session is closed first and then told to {@link #ends}; so one that was not closed
     * when it had been put there is found there.
     */
    final class Share implements DrainTargets, Iterator<Session> {
        private final RandomGenerator random;
        private final long startNanos;
        private final Iterator<Session> round;
        private final Map<Long, Session> leaving = new ConcurrentHashMap<>();
        private long notPassed;
        private @Nullable Session drawn;
        private volatile long notDrawn;

        /**
         * Draws while it is walked through.
         *
         * @param wanted so many; all that are here if they are fewer
         * @param startNanos whoever connected after it is not drawn
         */
        Share(SessionRegistry registry, long wanted, RandomGenerator random, long startNanos) {
            this.random = random;
            this.startNanos = startNanos;
            round = registry.round();
            notPassed = registry.size();
            notDrawn = wanted;
        }

        @Override
        public long remaining() {
            return notDrawn + leaving.size();
        }

        @Override
        public Iterator<Session> toTell() {
            return this;
        }

        @Override
        public Iterator<Session> toClose() {
            while (hasNext()) {
                next();
            }
            return leaving.values().iterator();
        }

        @Override
        public boolean ends(Evidence close) {
            return leaving.remove(close.identity().sessionId()) != null;
        }

        @Override
        public boolean includesNewcomers() {
            return false;
        }

        @Override
        public boolean hasNext() {
            while (drawn == null && notDrawn > 0) {
                if (!round.hasNext()) {
                    notDrawn = 0;
                } else {
                    draw(round.next());
                }
            }
            return drawn != null;
        }

        private void draw(Session session) {
            if (session.openedNanos() - startNanos > 0) {
                return;
            }
            long wanted = notDrawn;
            boolean isDrawn = random.nextDouble() * notPassed < wanted;
            notPassed--;
            if (isDrawn && session.state() == ConnectionState.ESTABLISHED) {
                leaving.put(session.sessionId(), session);
                boolean isGone =
                        session.state() == ConnectionState.CLOSED && leaving.remove(session.sessionId()) != null;
                drawn = isGone ? null : session;
                notDrawn = isGone ? wanted : wanted - 1;
            }
        }

        @Override
        public Session next() {
            Session next = hasNext() ? drawn : null;
            if (next == null) {
                throw new NoSuchElementException();
            }
            drawn = null;
            return next;
        }
    }
}

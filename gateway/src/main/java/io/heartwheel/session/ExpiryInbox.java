package io.heartwheel.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one event loop that the wheel found due, waiting for the loop to judge them.
 *
 * <p>The wheel's thread pushes; the loop takes all at once. Sessions are linked through a field of their own, so nothing is allocated, and one
 * task on the loop serves any number of them. What looks dead at the first look gets a second one after the loop has read its sockets: a
 * peer whose frame had reached us before its deadline lives, however late we look. Where the kernel tells when it last heard of the peer, and that is
 * after the last frame we took in, a few more looks follow: one round of a loop does not always reach every ready socket.
 *
 * <p>Shared state: {@code head} (wheel: compare-and-set push; loop: get-and-set take) and each session's {@code proposed} flag and link. The
 * flag is set by the wheel thread only and cleared by the loop only, before it judges; a proposal dropped because the flag was still set is
 * harmless, because every judgement ends with arming the wheel anew or with the end of the session.
 */
public final class ExpiryInbox {
    private static final VarHandle HEAD;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(ExpiryInbox.class, "head", Session.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The event loop, seen from here. */
    public interface Loop {
        /** Runs the task on the loop soon. Any thread. @throws RejectedExecutionException if the loop has ended */
        void execute(Runnable task);

        /** Runs the task on the loop after every socket that is ready now has been offered to its handler. Loop only. */
        void executeAfterReads(Runnable task);
    }

    private final Loop loop;
    private final LongSupplier nanoClock;
    private final SessionObserver observer;
    private final Runnable firstLook = this::firstLook;
    private final Runnable secondLook = this::secondLook;

    @SuppressWarnings("unused") // through HEAD
    private volatile @Nullable Session head;

    /** Loop only: sessions that looked dead once. */
    private @Nullable Session doubted;

    /** Sees no time but the clock's, and acts on the loop alone. */
    public ExpiryInbox(Loop loop, LongSupplier nanoClock, SessionObserver observer) {
        this.loop = loop;
        this.nanoClock = nanoClock;
        this.observer = observer;
    }

    /** Proposes a session. Wheel thread only; never blocks. */
    void propose(Session session) {
        if (!session.markProposed()) {
            return;
        }
        Session before;
        do {
            before = (Session) HEAD.getVolatile(this);
            session.nextProposed = before;
        } while (!HEAD.compareAndSet(this, before, session));
        if (before == null) {
            try {
                loop.execute(firstLook);
            } catch (RejectedExecutionException ended) {
                // the loop has ended and with it every channel it owned; nobody is left to judge
                HEAD.setVolatile(this, null);
            }
        }
    }

    private void firstLook() {
        Session session = (Session) HEAD.getAndSet(this, null);
        long nowNanos = nanoClock.getAsLong();
        while (session != null) {
            Session next = session.nextProposed;
            session.nextProposed = null;
            if (Liveness.judge(session, nowNanos).closes()) {
                doubt(session);
            } else {
                session.clearProposed();
                session.enforce(nowNanos);
            }
            session = next;
        }
    }

    private void doubt(Session session) {
        if (doubted == null) {
            loop.executeAfterReads(secondLook);
        }
        session.nextProposed = doubted;
        doubted = session;
    }

    private void secondLook() {
        Session session = doubted;
        doubted = null;
        long nowNanos = nanoClock.getAsLong();
        while (session != null) {
            Session next = session.nextProposed;
            session.nextProposed = null;
            boolean closes = Liveness.judge(session, nowNanos).closes();
            if (closes && session.hasUnreadBytes(nowNanos)) {
                doubt(session);
            } else {
                session.clearProposed();
                if (!closes) {
                    observer.reprieved();
                }
                session.enforce(nowNanos);
            }
            session = next;
        }
    }
}

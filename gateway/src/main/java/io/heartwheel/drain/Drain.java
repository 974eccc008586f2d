package io.heartwheel.drain;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.GoAway;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.wheel.Deadline;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

/**
 * One drain under way. It goes round the registry again and again, so that whoever says HELLO late is found too, and holds a turn's devices at a time.
 *
 * <p>Framed peers get a GOAWAY with their window. Plain peers have no word for that: they are closed at the same pace. Who is left near the end
 * is closed, spread over the last part of the deadline as long as there are many; who has not been told yet is told with it.
 *
 * <p>If there is a notice, nothing happens before it is over, also if nobody is here: balancers still send newcomers. Then the plan is made anew.
 *
 * <p>A share of the devices goes in the same way, but the gateway goes on taking newcomers; whoever comes back here may stay.
 *
 * <p>Owner: one thread, which calls {@link #turn} when it is told to; sessions act on their own loops. {@link #progress} by any thread.
 */
public final class Drain {
    /** What {@link #turn} returns when it is over. */
    public static final long OVER = Long.MAX_VALUE;

    static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** When nobody was found to be told, for so long nobody is looked for. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** Loops that are slow to close what they were told to are waited for so long. */
    private static final long LAST_WORDS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** In the notice there is nothing to do but to tell how it goes. */
    private static final long NOTICE_TURN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String GOING_DOWN = "the gateway is going down";
    private static final String SENT_AWAY = "the gateway takes no devices now";
    private static final String REBALANCED = "the gateway sends some of its devices to the others";

    private final SessionRegistry registry;
    private final DrainTargets targets;
    private final DrainCounts counts;
    private final IntFunction<String> leastLoaded;
    private final Runnable stopListening;
    private final long startNanos;
    private final long startedEpochMillis;
    private final long tellNanos;
    private final long endNanos;
    private final long arrivedBefore;
    private final long toldBefore;
    private final long leftBefore;
    private final long closedBefore;

    private DrainPace pace;
    private Iterator<Session> round;
    private boolean roundFoundSome;
    private long nextRoundNanos;

    private volatile boolean listening = true;
    private volatile DrainPlan plan;
    private volatile DrainPhase phase;
    private volatile boolean stay;
    private volatile long overNanos;

    /**
     * Begins.
     *
     * @param plan for the devices of this registry
     * @param stopListening run by the first turn after the notice: nobody new is taken from then on, until {@link #cancel}
     * @param counts told by the observer of the same sessions
     * @param leastLoaded where so many devices go that are told now, if that is not configured; empty: to the same address
     * @param random draws a share's devices
     * @param startedEpochMillis the same as startNanos, milliseconds since 1970
     */
    public Drain(
            SessionRegistry registry,
            DrainPlan plan,
            Runnable stopListening,
            DrainCounts counts,
            IntFunction<String> leastLoaded,
            RandomGenerator random,
            long startNanos,
            long startedEpochMillis) {
        this.registry = registry;
        this.leastLoaded = leastLoaded;
        this.counts = counts;
        this.plan = plan;
        this.startNanos = startNanos;
        this.startedEpochMillis = startedEpochMillis;
        this.stopListening = stopListening;
        tellNanos = startNanos + plan.order().notice().toNanos();
        endNanos = startNanos + plan.order().whole().toNanos();
        phase = tellNanos == startNanos ? DrainPhase.TELLING : DrainPhase.NOTICE;
        pace = new DrainPace(plan, tellNanos);
        nextRoundNanos = tellNanos;
        targets = plan.order().isShare()
                ? new DrainTargets.Share(registry, plan.devices(), random, startNanos)
                : new DrainTargets.All(registry);
        round = targets.toTell();
        stay = plan.order().stay();
        arrivedBefore = counts.arrivedTotal();
        toldBefore = counts.toldTotal();
        leftBefore = counts.leftTotal();
        closedBefore = counts.closedTotal();
        counts.count(phase == DrainPhase.TELLING ? targets : null);
    }

    /** Reckons what such a drain would do with the devices of this registry; walks over all of them. */
    public static DrainPlan forecast(SessionRegistry registry, DrainSettings settings, DrainOrder order) {
        long devices = 0;
        long plain = 0;
        Iterator<Session> all = registry.round();
        while (all.hasNext()) {
            devices++;
            plain += all.next().takesGoAway() ? 0 : 1;
        }
        long share = order.share() == null ? devices : order.share().of(devices);
        return DrainPlan.of(settings, order, share, devices == 0 ? 0 : Math.round((double) plain * share / devices));
    }

    // ------------------------------------------------------------------ turns

    /**
     * Does what is due.
     *
     * @return when to call again, or {@link #OVER}
     */
    public long turn(long nowNanos) {
        if (phase.isOver()) {
            return OVER;
        }
        if (listening && !isShare()) {
            if (nowNanos - tellNanos < 0) {
                return nowNanos + Math.min(tellNanos - nowNanos, NOTICE_TURN_NANOS);
            }
            endNotice();
        }
        long remaining = targets.remaining();
        if (remaining == 0 || nowNanos - endNanos >= LAST_WORDS_NANOS) {
            end(DrainPhase.DRAINED, nowNanos);
            return OVER;
        }
        if (phase != DrainPhase.CLOSING && endNanos - nowNanos <= closingNanos(remaining)) {
            phase = DrainPhase.CLOSING;
            round = targets.toClose();
        }
        if (phase == DrainPhase.CLOSING) {
            closeSome(remaining, nowNanos);
        } else {
            tellSome(nowNanos);
        }
        return nowNanos + TURN_NANOS;
    }

    /** Nobody new is taken from now on; of who has come meanwhile the plan knows nothing. */
    private void endNotice() {
        listening = false;
        stopListening.run();
        if (phase == DrainPhase.NOTICE) {
            plan = forecast(registry, plan.settings(), plan.order());
            pace = new DrainPace(plan, tellNanos);
            phase = DrainPhase.TELLING;
            counts.count(targets);
        }
    }

    /** For so long before the end those who stayed are closed, as many a second as are admitted; not spread if they fit one turn. */
    private long closingNanos(long remaining) {
        double needed = remaining / (double) plan.order().admitPerSecond() * NANOS;
        double most = plan.order().deadline().toNanos() * DrainPlan.CLOSE_SHARE;
        long turns = (long) (Math.min(needed, most) / TURN_NANOS);
        return turns * TURN_NANOS;
    }

    private void tellSome(long nowNanos) {
        int due = pace.due(nowNanos);
        if (due == 0 || nowNanos - nextRoundNanos < 0) {
            pace.notUsed(due);
            return;
        }
        List<Session> batch = new ArrayList<>(due);
        while (batch.size() < due && round.hasNext()) {
            Session session = round.next();
            if (session.state() == ConnectionState.ESTABLISHED) {
                batch.add(session);
            }
        }
        GoAway window = window(nowNanos, batch);
        for (Session session : batch) {
            session.onLoop(() -> sendAway(session, window));
        }
        roundFoundSome |= !batch.isEmpty();
        if (batch.size() < due) {
            pace.notUsed(due - batch.size());
            roundEnded(nowNanos);
        }
    }

    /** Of those of a batch who are told now. */
    private GoAway window(long nowNanos, List<Session> batch) {
        int told = (int) batch.stream()
                .filter(each -> each.takesGoAway() && each.state() == ConnectionState.ESTABLISHED)
                .count();
        if (told == 0) {
            return GoAway.AT_ONCE;
        }
        GoAway window = pace.window(nowNanos, told);
        return window.alternateHost().equals(DrainSettings.LEAST_LOADED) ? window.to(leastLoaded.apply(told)) : window;
    }

    private void roundEnded(long nowNanos) {
        if (!roundFoundSome) {
            phase = DrainPhase.WAITING;
        }
        nextRoundNanos = nowNanos + REST_NANOS;
        roundFoundSome = false;
        round = targets.toTell();
    }

    private void closeSome(long remaining, long nowNanos) {
        long leftNanos = endNanos - nowNanos;
        long due = leftNanos <= TURN_NANOS
                ? Long.MAX_VALUE
                : Math.max(1, (long) Math.ceil(remaining * (double) TURN_NANOS / leftNanos));
        List<Session> batch = new ArrayList<>((int) Math.min(due, remaining));
        while (batch.size() < due && round.hasNext()) {
            batch.add(round.next());
        }
        GoAway window = window(nowNanos, batch);
        for (Session session : batch) {
            session.onLoop(() -> closeOnLoop(session, window));
        }
        if (!round.hasNext() && leftNanos > 0) {
            round = targets.toClose();
        }
    }

    /** On the session's loop. Whoever was not told yet learns its window at least with the close. */
    private void closeOnLoop(Session session, GoAway window) {
        sendAway(session, window);
        if (phase != DrainPhase.CANCELLED) {
            session.closeSoon(CloseReason.SHUTDOWN, closeText());
        }
    }

    /** On the session's loop. */
    private void sendAway(Session session, GoAway window) {
        if (phase == DrainPhase.CANCELLED) {
            return;
        }
        if (!session.takesGoAway()) {
            session.closeSoon(CloseReason.SHUTDOWN, closeText());
        } else if (session.sendAway(CloseReason.SHUTDOWN, window, Deadline.NO_DEADLINE)) {
            counts.told();
        }
    }

    private String closeText() {
        if (isShare()) {
            return REBALANCED;
        }
        return stay ? SENT_AWAY : GOING_DOWN;
    }

    // ------------------------------------------------------------------ its end

    /** The process is to end after it. */
    public void doNotStay() {
        stay = false;
    }

    /** Closes whoever said HELLO when it was over. For the owner, now and then, while the process stays. */
    public void closeLate() {
        if (registry.size() > 0) {
            registry.forEach(session -> session.onLoop(() -> closeOnLoop(session, GoAway.AT_ONCE)));
        }
    }

    /** Takes it back: devices that were told and are here still may stay. For the owner. */
    public void cancel(long nowNanos) {
        boolean wasOver = phase.isOver();
        phase = DrainPhase.CANCELLED;
        if (!wasOver) {
            overNanos = nowNanos;
        }
        counts.count(null);
        registry.forEach(session -> {
            if (session.state() == ConnectionState.LEAVING) {
                session.onLoop(session::stayAfterAll);
            }
        });
    }

    private void end(DrainPhase how, long nowNanos) {
        overNanos = nowNanos;
        phase = how;
    }

    /** Whether it is of a share of the devices, and newcomers are taken. Any thread. */
    public boolean isShare() {
        return plan.order().isShare();
    }

    /** Whether newcomers are taken still: it is of a share, or its notice is not over. Any thread. */
    public boolean isListening() {
        return listening;
    }

    /** Whether nothing more happens. Any thread. */
    public boolean isOver() {
        return phase.isOver();
    }

    /** Where it stands. Any thread. */
    public DrainProgress progress(long nowNanos) {
        DrainPhase seen = phase;
        DrainPlan reckoned = plan;
        long remaining = targets.remaining();
        return new DrainProgress(
                seen,
                reckoned,
                stay,
                startedEpochMillis,
                (seen.isOver() ? overNanos : nowNanos) - startNanos,
                seen == DrainPhase.NOTICE ? remaining : reckoned.devices() + counts.arrivedTotal() - arrivedBefore,
                counts.toldTotal() - toldBefore,
                counts.leftTotal() - leftBefore,
                counts.closedTotal() - closedBefore,
                remaining);
    }
}

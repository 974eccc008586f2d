package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Incident;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What the oracle knows of mass expiries: when the gateway said that one began and ended, how many of the dead were closed while it said nothing, and
 * who was asked once more.
 */
final class Incidents {
    private static final long NEVER = Long.MAX_VALUE;

    private final Oracle oracle;
    private final MassRules rules;
    private final List<long[]> lasted = new ArrayList<>();
    /** Closes of the dead outside of incidents, and how many stood then. */
    private final Deque<long[]> closes = new ArrayDeque<>();
    /** Closes of suspects. */
    private final Deque<Long> suspectCloses = new ArrayDeque<>();

    private boolean all;
    private long lastDeathNanos;
    private int standing;
    private int everStood;

    Incidents(Oracle oracle, MassRules rules) {
        this.oracle = oracle;
        this.rules = rules;
    }

    // ------------------------------------------------------------------ true events

    void established() {
        standing++;
        everStood++;
    }

    void reported(Incident incident, long nowNanos) {
        if (incident.ended() == !isOpen()) {
            oracle.violate(null, nowNanos, "an incident " + (incident.ended() ? "ended" : "began") + " twice");
        } else if (incident.ended()) {
            lasted.get(lasted.size() - 1)[1] = nowNanos;
        } else {
            all = incident.scopes().contains("all");
            lasted.add(new long[] {nowNanos, NEVER});
            closes.clear();
            if (dueByNow(nowNanos) < rules.least()) {
                oracle.violate(null, nowNanos, "an incident although only " + dueByNow(nowNanos) + " were due");
            }
        }
    }

    /** Who is dead by now, or was within a window, closed or not. */
    private int dueByNow(long nowNanos) {
        int due = 0;
        for (Fate fate : oracle.fates()) {
            due += fate.wasDeadSince(nowNanos - rules.windowMillis() * 1_100_000, nowNanos) ? 1 : 0;
        }
        return due;
    }

    /** Before anything happens to a connection. */
    void look(Fate fate, long nowNanos) {
        if (rules.on()) {
            if (fate.noteDeath(nowNanos)) {
                lastDeathNanos = nowNanos;
            }
        }
    }

    boolean isOpen() {
        return !lasted.isEmpty() && lasted.get(lasted.size() - 1)[1] == NEVER;
    }

    /** An established connection ends. */
    void closed(Fate fate, CloseReason reason, long nowNanos) {
        Due due = Due.behind(reason);
        boolean dead = due != null && due.isDeath();
        standing--;
        if (!dead || !rules.on()) {
            return;
        }
        if (fate.isSuspect()) {
            suspectClosed(fate, nowNanos);
        } else if (holdsAll(nowNanos) && due != Due.WRITE_PROGRESS) {
            oracle.violate(fate, nowNanos, "closed in an incident of all without being asked once more");
        } else if (!isOpen()) {
            closedUnseen(fate, nowNanos);
        }
    }

    private void suspectClosed(Fate fate, long nowNanos) {
        if (nowNanos - fate.suspectNanos() < rules.patienceNanos()) {
            oracle.violate(
                    fate,
                    nowNanos,
                    "closed before the breaker's patience was over, suspect since "
                            + Oracle.seconds(fate.suspectNanos()));
        }
        suspectCloses.add(nowNanos);
        while (nowNanos - suspectCloses.element() > 1_000_000_000L) {
            suspectCloses.remove();
        }
        // each in its turn, but turns that passed while a loop stood still or until the wheel's tick come together
        boolean punctual = fate.loop.count() == 0 && oracle.wheel.count() == 0;
        double most = rules.closesASecond() * (1 + 2 * oracle.tickNanos / 1e9) + 2;
        if (punctual && suspectCloses.size() > most) {
            oracle.violate(fate, nowNanos, suspectCloses.size() + " suspects closed within a second");
        }
    }

    /** Should the breaker have said something by now? It counts in tenths of its window, so nine of them for sure. */
    private void closedUnseen(Fate fate, long nowNanos) {
        closes.add(new long[] {nowNanos, standing + 1});
        long from = nowNanos - rules.windowMillis() * 900_000;
        while (closes.element()[0] <= from) {
            closes.remove();
        }
        int count = closes.size();
        long base = 0;
        for (long[] close : closes) {
            base = Math.max(base, close[1]);
        }
        if (count >= rules.least() && count * 100L > rules.shareHundredths() * (base + count)) {
            oracle.violate(fate, nowNanos, count + " of " + base + " closed as dead, and no incident");
        }
    }

    // ------------------------------------------------------------------ what follows

    /** The latest time of a close that is due by then, if the breaker held it back. */
    long latest(Fate fate, Due due, long latestNanos) {
        if (!rules.on() || !due.isDeath() || !wasOpenWithin(fate.earliest(due), latestNanos)) {
            return latestNanos;
        }
        long patience = fate.acts(latestNanos + rules.patienceNanos(), 0);
        return fate.acts(patience + everStood * rules.stepNanos(), 0);
    }

    /** In its first second an incident of all holds back everybody; a suspect that does not drain cannot be asked. */
    private boolean holdsAll(long nowNanos) {
        return isOpen() && all && nowNanos - lasted.get(lasted.size() - 1)[0] < 1_000_000_000L;
    }

    private boolean wasOpenWithin(long fromNanos, long untilNanos) {
        for (int i = lasted.size() - 1; i >= 0; i--) {
            long[] one = lasted.get(i);
            if (one[1] < fromNanos) {
                return false;
            }
            if (one[0] <= untilNanos) {
                return true;
            }
        }
        return false;
    }

    void end(long nowNanos) {
        if (standing != 0) {
            oracle.violate(null, nowNanos, standing + " still stand");
        }
        // nobody is left; the window has to pass, and it is looked for the end once a second
        if (isOpen() && nowNanos - lastDeathNanos > rules.windowMillis() * 1_100_000 + 3_000_000_000L) {
            oracle.violate(null, nowNanos, "an incident that does not end");
        }
    }
}

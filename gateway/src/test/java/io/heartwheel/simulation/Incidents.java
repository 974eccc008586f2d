package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Incident;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The oracle's knowledge of mass expiries: when the gateway said that one began and ended, how many of the dead were closed while it said nothing, and
 * who was asked once more.
 */
final class Incidents {
    private static final long NEVER = Long.MAX_VALUE;
    /** Who stood still for so long may have missed its turn, and has one more. */
    private static final long LEAST_MISSED_NANOS = 25_000_000;

    private final Oracle oracle;
    private final MassRules rules;
    /** When each was last seen dead, its subnet, and whether it is one of those whose deaths hardly ever stand out: 1, else 0. */
    private final List<long[]> deaths = new ArrayList<>();

    private final List<long[]> lasted = new ArrayList<>();
    /** Closes of the dead outside of incidents, and how many stood then. */
    private final Deque<long[]> closes = new ArrayDeque<>();
    /** Closes of suspects. */
    private final Deque<Long> suspectCloses = new ArrayDeque<>();

    /** When those that hardly ever die last stood out by chance, together and by subnet. */
    private long chanceNanos = Long.MIN_VALUE;

    private final Map<Integer, Long> subnetChanceNanos = new HashMap<>();

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
            all = incident.failureGroups().contains("all");
            lasted.add(new long[] {nowNanos, NEVER});
            closes.clear();
            if (dueByNow(nowNanos) < rules.least()) {
                oracle.violate(null, nowNanos, "an incident although only " + deaths.size() + " were due");
            }
        }
    }

    /** Deaths within a window. Who speaks and dies again dies twice. */
    private int dueByNow(long nowNanos) {
        for (TrueHistory history : oracle.histories()) {
            look(history, nowNanos);
        }
        deaths.removeIf(death -> death[0] < nowNanos - rules.windowMillis() * 1_100_000);
        return deaths.size();
    }

    /** Before anything happens to a connection: whether it was dead until now. */
    void look(TrueHistory history, long nowNanos) {
        if (!rules.on()) {
            return;
        }
        if (!history.isDead(nowNanos)) {
            history.death = null;
            return;
        }
        lastDeathNanos = nowNanos;
        if (history.death == null) {
            history.death = new long[] {0, history.subnet, history.mayBeHeld ? 0 : 1};
            deaths.add(history.death);
        }
        history.death[0] = nowNanos;
        if (!history.mayBeHeld) {
            noteChance(history.subnet, nowNanos);
        }
    }

    /**
     * Whether the deaths of those that hardly ever die stood out after all, by chance, and what opened then may be open still: nearly the share of them died,
     * or nearly that of their subnet. Looser than what is true now, because a scope opens by the deaths of one window, when fewer may have been
     * established, and stays open for another.
     */
    boolean standsOutByChance(TrueHistory history, long nowNanos) {
        dueByNow(nowNanos);
        noteChance(history.subnet, nowNanos);
        long since = nowNanos - rules.windowMillis() * 1_100_000;
        return chanceNanos >= since || subnetChanceNanos.getOrDefault(history.subnet, Long.MIN_VALUE) >= since;
    }

    private void noteChance(int subnet, long nowNanos) {
        deaths.removeIf(death -> death[0] < nowNanos - rules.windowMillis() * 1_100_000);
        long dead = deaths.stream().mapToLong(death -> death[2]).sum();
        long deadThere = deaths.stream().filter(death -> death[1] == subnet).count();
        long stand = 0;
        long standThere = 0;
        for (TrueHistory each : oracle.histories()) {
            boolean counts = !each.mayBeHeld && each.isEstablished();
            stand += counts ? 1 : 0;
            standThere += counts && each.subnet == subnet ? 1 : 0;
        }
        if (deaths.size() >= rules.least() && dead * 100 > rules.shareHundredths() * stand * 9 / 10) {
            chanceNanos = nowNanos;
        }
        if (deadThere >= rules.least() && deadThere * 100 > rules.groupHundredths() * standThere * 9 / 10) {
            subnetChanceNanos.put(subnet, nowNanos);
        }
    }

    boolean isOpen() {
        return !lasted.isEmpty() && lasted.get(lasted.size() - 1)[1] == NEVER;
    }

    /** An established connection ends. */
    void closed(TrueHistory history, CloseReason reason, long nowNanos) {
        Due due = Due.behind(reason);
        boolean dead = due != null && due.isDeath();
        standing--;
        if (!dead || !rules.on()) {
            return;
        }
        if (history.isSuspect()
                && !(history.isPerhapsNoSuspect() && nowNanos - history.suspectNanos() < rules.patienceNanos())) {
            suspectClosed(history, nowNanos);
        } else if (due != Due.WRITE_PROGRESS
                && history.drainedBefore(history.earliest(due))
                && wasHeld(history.latest(due), nowNanos)) {
            oracle.violate(history, nowNanos, "closed in an incident of all without being asked once more");
        } else if (!isOpen()) {
            closedUnseen(history, nowNanos);
        }
    }

    private void suspectClosed(TrueHistory history, long nowNanos) {
        if (nowNanos - history.suspectNanos() < rules.patienceNanos()) {
            oracle.violate(
                    history,
                    nowNanos,
                    "closed before the breaker's patience was over, suspect since "
                            + Oracle.seconds(history.suspectNanos()));
        }
        suspectCloses.add(nowNanos);
        while (nowNanos - suspectCloses.element() > 1_000_000_000L) {
            suspectCloses.remove();
        }
        // each in its turn, but turns that passed while a thread stood still, or until the wheel's tick, come together
        boolean punctual = oracle.ranSince(nowNanos - 1_000_000_000L - 2 * oracle.tickNanos);
        double most = rules.closesASecond() * (1 + 2 * oracle.tickNanos / 1e9) + 2;
        if (punctual && suspectCloses.size() > most) {
            oracle.violate(history, nowNanos, suspectCloses.size() + " suspects closed within a second");
        }
    }

    /** Should the breaker have said something by now? It counts in tenths of its window, so nine of them for sure. */
    private void closedUnseen(TrueHistory history, long nowNanos) {
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
            oracle.violate(history, nowNanos, count + " of " + base + " closed as dead, and no incident");
        }
    }

    // ------------------------------------------------------------------ what follows

    /** The latest time of a close that is due by then, if the breaker held it back. */
    long latest(TrueHistory history, Due due, long latestNanos) {
        // a suspect that speaks and does not drain is asked again when its time is over; one on its way out is told
        // nothing
        boolean held = due.isDeath() || due == Due.PROBE || due == Due.KEEP_ALIVE;
        // while one is suspect nobody looks at what it takes, so that its progress is seen late
        long from = due == Due.WRITE_PROGRESS ? history.progressNanos() : history.earliest(due);
        // who does not drain is not asked until it does, so nobody sees whether it is held because deaths stand out
        // everywhere by chance
        boolean drained = history.drainedBefore(from);
        boolean perhapsHeld = history.mayBeHeld || history.isSuspect() || !drained;
        if (!rules.on() || !held || !perhapsHeld || !wasOpenWithin(from, latestNanos)) {
            return latestNanos;
        }
        long askedNanos =
                drained || !history.isSuspect() ? latestNanos : Math.max(latestNanos, history.firstAskedNanos);
        long patience = history.acts(askedNanos + rules.patienceNanos(), 0);
        long turn = patience + everStood * rules.stepNanos();
        boolean missed = history.loop.either.stoodWithin(patience, turn, LEAST_MISSED_NANOS);
        return history.acts(missed ? history.acts(turn, 0) + everStood * rules.stepNanos() : turn, 0);
    }

    /**
     * Whether who was due at that time at the latest and is closed now was surely held back: an incident of all holds back everybody in its first
     * second at least.
     */
    private boolean wasHeld(long latestNanos, long nowNanos) {
        long began = all ? lasted.get(lasted.size() - 1)[0] : NEVER;
        return began < nowNanos && latestNanos < began + 1_000_000_000L;
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

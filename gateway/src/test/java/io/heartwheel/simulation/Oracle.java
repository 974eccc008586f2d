package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges what the gateway does to its connections, from true events alone. The first violation stands; it is kept, not thrown, because much of the
 * gateway guards itself against what it calls.
 */
final class Oracle {
    final Rules rules;
    final StallCredit credit;
    final long tickNanos;
    final TrueStalls wheel;

    final Incidents incidents;
    final TrueGroups groups;
    private final List<TrueStalls> loops = new ArrayList<>();
    private final List<TrueHistory> histories = new ArrayList<>();
    private final Map<CloseReason, Integer> closes = new EnumMap<>(CloseReason.class);
    private final Map<CloseReason, Integer> counted = new EnumMap<>(CloseReason.class);
    private final List<Integer> connects = new ArrayList<>();
    private final List<@Nullable CloseReason> disconnects = new ArrayList<>();
    private final Map<Integer, Long> sequences = new HashMap<>();
    private @Nullable Violation violation;
    private long livedNanos;
    private int judged;
    private long toldLatenessNanos;

    Oracle(Rules rules, MassRules mass, StallCredit credit, long tickNanos, TrueStalls wheel, TrueGroups groups) {
        this.groups = groups;
        incidents = new Incidents(this, mass);
        this.rules = rules;
        this.credit = credit;
        this.tickNanos = tickNanos;
        this.wheel = wheel;
    }

    TrueHistory opened(String device, TrueStalls.OfLoop loop, long nowNanos) {
        TrueHistory history = new TrueHistory(this, histories.size(), device, loop, nowNanos);
        histories.add(history);
        if (!loops.contains(loop)) {
            loops.add(loop);
        }
        connects.add(0);
        disconnects.add(null);
        return history;
    }

    // ------------------------------------------------------------------ judging

    /** Before anything happens to a connection: whether something should have happened to it already. */
    void look(TrueHistory history, long nowNanos) {
        if (violation != null || history.stage == TrueHistory.Stage.GONE) {
            return;
        }
        incidents.look(history, nowNanos);
        for (Due due : Due.all()) {
            if (history.runs(due)) {
                long latest = incidents.latest(history, due, history.latest(due));
                if (latest < nowNanos) {
                    String late = due.reason == null ? "nothing came" : "not closed";
                    violate(history, nowNanos, late + " for " + due + ", due at the latest at " + seconds(latest));
                }
            }
        }
        if (history.orderIsOverdue(nowNanos)) {
            violate(history, nowNanos, "not closed although its loop was told to");
        }
    }

    /** The gateway does something that has a time: asks, sends away, cuts. */
    void acts(TrueHistory history, Due due, long nowNanos) {
        look(history, nowNanos);
        if (due == Due.PROBE && isDeadInAnIncident(history, nowNanos)) {
            boolean anyway = history.isAskedAnyway(nowNanos);
            history.suspected(nowNanos, anyway);
            if (!history.mayBeHeld && !anyway && !incidents.standsOutByChance(history, nowNanos)) {
                violate(history, nowNanos, "held back although deaths stand out in another subnet alone");
            }
        } else if (!history.runs(due)) {
            violate(history, nowNanos, due + " although it does not run");
        } else if (history.earliest(due) > nowNanos) {
            violate(history, nowNanos, due + " too early, due at the earliest at " + seconds(history.earliest(due)));
        }
    }

    /** Whether to be asked means to be a suspect, unless somebody else has asked for it. */
    boolean isDeadInAnIncident(TrueHistory history, long nowNanos) {
        return incidents.isOpen() && history.isDead(nowNanos);
    }

    /**
     * A connection ends.
     *
     * @param wire what lies unread in its socket
     */
    void closed(TrueHistory history, Unread wire, CloseReason reason, long nowNanos) {
        look(history, nowNanos);
        judged++;
        closes.merge(reason, 1, Integer::sum);
        livedNanos += nowNanos - history.openedNanos;
        Due due = Due.behind(reason);
        if (history.isEstablished()) {
            incidents.closed(history, reason, nowNanos);
        }
        if (!history.isOpen()) {
            violate(history, nowNanos, "closed twice: " + history.reason + ", then " + reason);
        } else if (due != null) {
            acts(history, due, nowNanos);
            checkLateness(history, due, nowNanos);
            if (due != Due.CLAIM
                    && due != Due.AUTHENTICATION
                    && due != Due.EXPIRY
                    && wire.savedBy(due, history.earliest(due))) {
                violate(history, nowNanos, "closed by " + due + " with what saves it unread in its socket");
            }
        } else if (reason == CloseReason.PEER_CLOSED) {
            if (!history.hungUp) {
                violate(history, nowNanos, "the peer has not hung up");
            }
        } else if (!history.isOrdered(reason)) {
            violate(history, nowNanos, "closed for no reason: " + reason);
        }
    }

    /** Bytes in a socket that were not read. */
    interface Unread {
        /** Whether something came before this time that would have moved this deadline. */
        boolean savedBy(Due due, long deadlineNanos);
    }

    // ------------------------------------------------------------------ what the gateway tells

    /** The observer was told of a close; what ends is told right behind it. */
    void counted(CloseReason reason, long latenessNanos) {
        counted.merge(reason, 1, Integer::sum);
        toldLatenessNanos = latenessNanos;
    }

    private void checkLateness(TrueHistory history, Due due, long nowNanos) {
        // it is told in whole microseconds
        long most = nowNanos - history.earliest(due) + 1_000;
        if (toldLatenessNanos < 0 || toldLatenessNanos > most) {
            violate(
                    history,
                    nowNanos,
                    "told to be " + seconds(toldLatenessNanos) + " late, is at most " + seconds(most));
        }
    }

    void published(ConnectionEvent event, long nowNanos) {
        int number = (int) event.identity().sessionId();
        TrueHistory history = histories.get(number);
        if (event.sequence() != 0 && sequences.merge(number, 1L, Long::sum) != event.sequence()) {
            violate(history, nowNanos, "out of sequence: " + event);
        }
        if (event instanceof ConnectionEvent.Connected) {
            connects.set(number, connects.get(number) + 1);
            if (connects.get(number) > 1) {
                violate(history, nowNanos, "Connected twice");
            }
        } else if (event instanceof ConnectionEvent.Ended gone && !(gone instanceof ConnectionEvent.Refused)) {
            if (connects.get(number) != 1 || disconnects.get(number) != null) {
                violate(history, nowNanos, "Ended without Connected, or twice");
            }
            if (event instanceof ConnectionEvent.TakenOver != (gone.evidence().reason() == CloseReason.TAKEN_OVER)) {
                violate(history, nowNanos, "taken over, or not: " + event);
            }
            disconnects.set(number, gone.evidence().reason());
        }
    }

    /** The world is over and everybody was sent home. */
    void end(long nowNanos) {
        for (TrueHistory history : histories) {
            look(history, nowNanos);
            boolean connected = connects.get(history.number) == 1;
            if (history.stage != TrueHistory.Stage.GONE) {
                violate(history, nowNanos, "never ended, is " + history.stage);
            } else if (connected && disconnects.get(history.number) != history.reason) {
                violate(history, nowNanos, "closed by " + history.reason + ", told " + disconnects.get(history.number));
            }
        }
        incidents.end(nowNanos);
        if (!closes.equals(counted)) {
            violate(null, nowNanos, "closes " + closes + " were counted as " + counted);
        }
    }

    /** Whether nothing stood still since then. */
    boolean ranSince(long sinceNanos) {
        return wheel.ranSince(sinceNanos) && loops.stream().allMatch(loop -> loop.ranSince(sinceNanos));
    }

    void violate(@Nullable TrueHistory history, long nowNanos, String what) {
        if (violation == null) {
            violation = new Violation(history, nowNanos, what);
        }
    }

    boolean isViolated() {
        return violation != null;
    }

    @Nullable
    Violation violation() {
        return violation;
    }

    Map<CloseReason, Integer> closes() {
        return closes;
    }

    int judged() {
        return judged;
    }

    long livedNanos() {
        return livedNanos;
    }

    List<TrueHistory> histories() {
        return histories;
    }

    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.9f s", nanos / 1e9);
    }
}

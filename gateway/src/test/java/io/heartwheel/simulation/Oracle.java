package io.heartwheel.simulation;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import java.util.ArrayList;
import java.util.EnumMap;
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
    private final List<TrueStalls> loops = new ArrayList<>();
    private final List<Fate> fates = new ArrayList<>();
    private final Map<CloseReason, Integer> closes = new EnumMap<>(CloseReason.class);
    private final Map<CloseReason, Integer> counted = new EnumMap<>(CloseReason.class);
    private final List<Integer> connects = new ArrayList<>();
    private final List<@Nullable CloseReason> disconnects = new ArrayList<>();
    private @Nullable Violation violation;
    private long livedNanos;
    private int judged;
    private long toldLatenessNanos;

    Oracle(Rules rules, MassRules mass, StallCredit credit, long tickNanos, TrueStalls wheel) {
        incidents = new Incidents(this, mass);
        this.rules = rules;
        this.credit = credit;
        this.tickNanos = tickNanos;
        this.wheel = wheel;
    }

    Fate opened(String device, TrueStalls.OfLoop loop, long nowNanos) {
        Fate fate = new Fate(this, fates.size(), device, loop, nowNanos);
        fates.add(fate);
        if (!loops.contains(loop)) {
            loops.add(loop);
        }
        connects.add(0);
        disconnects.add(null);
        return fate;
    }

    // ------------------------------------------------------------------ judging

    /** Before anything happens to a connection: whether something should have happened to it already. */
    void look(Fate fate, long nowNanos) {
        if (violation != null || fate.stage == Fate.Stage.GONE) {
            return;
        }
        incidents.look(fate, nowNanos);
        for (Due due : Due.all()) {
            if (fate.runs(due)) {
                long latest = incidents.latest(fate, due, fate.latest(due));
                if (latest < nowNanos) {
                    String late = due.reason == null ? "nothing came" : "not closed";
                    violate(fate, nowNanos, late + " for " + due + ", due at the latest at " + seconds(latest));
                }
            }
        }
        if (fate.orderIsOverdue(nowNanos)) {
            violate(fate, nowNanos, "not closed although its loop was told to");
        }
    }

    /** The gateway does something that has a time: asks, sends away, cuts. */
    void acts(Fate fate, Due due, long nowNanos) {
        look(fate, nowNanos);
        if (due == Due.PROBE && incidents.isOpen() && fate.isDead(nowNanos)) {
            boolean anyway = fate.isAskedAnyway(nowNanos);
            fate.suspected(nowNanos, anyway);
            if (!fate.mayBeHeld && !anyway && !incidents.isEverywhere(nowNanos)) {
                violate(fate, nowNanos, "held back although deaths stand out in another subnet alone");
            }
        } else if (!fate.runs(due)) {
            violate(fate, nowNanos, due + " although it does not run");
        } else if (fate.earliest(due) > nowNanos) {
            violate(fate, nowNanos, due + " too early, due at the earliest at " + seconds(fate.earliest(due)));
        }
    }

    /**
     * A connection ends.
     *
     * @param wire what lies unread in its socket
     */
    void closed(Fate fate, Unread wire, CloseReason reason, long nowNanos) {
        look(fate, nowNanos);
        judged++;
        closes.merge(reason, 1, Integer::sum);
        livedNanos += nowNanos - fate.openedNanos;
        Due due = Due.behind(reason);
        if (fate.isEstablished()) {
            incidents.closed(fate, reason, nowNanos);
        }
        if (!fate.isOpen()) {
            violate(fate, nowNanos, "closed twice: " + fate.reason + ", then " + reason);
        } else if (due != null) {
            acts(fate, due, nowNanos);
            checkLateness(fate, due, nowNanos);
            if (due != Due.CLAIM && wire.savedBy(due, fate.earliest(due))) {
                violate(fate, nowNanos, "closed by " + due + " with what saves it unread in its socket");
            }
        } else if (reason == CloseReason.PEER_CLOSED) {
            if (!fate.hungUp) {
                violate(fate, nowNanos, "the peer has not hung up");
            }
        } else if (!fate.isOrdered(reason)) {
            violate(fate, nowNanos, "closed for no reason: " + reason);
        }
    }

    /** What lies in a socket and was not taken in. */
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

    private void checkLateness(Fate fate, Due due, long nowNanos) {
        // it is told in whole microseconds
        long most = nowNanos - fate.earliest(due) + 1_000;
        if (toldLatenessNanos < 0 || toldLatenessNanos > most) {
            violate(fate, nowNanos, "told to be " + seconds(toldLatenessNanos) + " late, is at most " + seconds(most));
        }
    }

    void published(ConnectionEvent event, long nowNanos) {
        int number = (int) event.identity().sessionId();
        Fate fate = fates.get(number);
        if (event instanceof ConnectionEvent.Connected) {
            connects.set(number, connects.get(number) + 1);
            if (connects.get(number) > 1) {
                violate(fate, nowNanos, "Connected twice");
            }
        } else if (event instanceof ConnectionEvent.Disconnected gone) {
            if (connects.get(number) != 1 || disconnects.get(number) != null) {
                violate(fate, nowNanos, "Disconnected without Connected, or twice");
            }
            disconnects.set(number, gone.evidence().reason());
        }
    }

    /** The world is over and everybody was sent home. */
    void end(long nowNanos) {
        for (Fate fate : fates) {
            look(fate, nowNanos);
            boolean connected = connects.get(fate.number) == 1;
            if (fate.stage != Fate.Stage.GONE) {
                violate(fate, nowNanos, "never ended, is " + fate.stage);
            } else if (connected && disconnects.get(fate.number) != fate.reason) {
                violate(fate, nowNanos, "closed by " + fate.reason + ", told " + disconnects.get(fate.number));
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

    void violate(@Nullable Fate fate, long nowNanos, String what) {
        if (violation == null) {
            violation = new Violation(fate, nowNanos, what);
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

    List<Fate> fates() {
        return fates;
    }

    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.9f s", nanos / 1e9);
    }
}

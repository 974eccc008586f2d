package io.heartwheel.simulation;

import java.util.ArrayList;
import java.util.List;

/** Faults that the oracle has to find. */
final class Mutants {
    private static final String CONNECTION = "liveness/MonitoredConnection.java";
    private static final String LIVENESS = "liveness/Liveness.java";
    private static final String QUEUE = "liveness/ExpiryQueue.java";
    private static final String STALLS = "liveness/Stalls.java";
    private static final String SESSION = "session/Session.java";
    private static final String ALLOWANCE = "session/Allowance.java";
    private static final String QUOTAS = "session/ConnectionQuotas.java";
    private static final String RING = "wheel/Ring.java";
    private static final String TURNER = "wheel/Turner.java";
    private static final String WHEEL = "wheel/TimingWheel.java";

    private Mutants() {}

    /** No fault: what is compiled and loaded like the mutants has to pass. */
    static Mutant sane() {
        return new Mutant("none", LIVENESS, "private Liveness() {}", "private Liveness() {}");
    }

    static List<Mutant> all() {
        List<Mutant> all = new ArrayList<>(wheel());
        all.addAll(looks());
        all.addAll(deadlines());
        all.addAll(expiry());
        all.addAll(probes());
        all.addAll(progress());
        all.addAll(pauses());
        all.addAll(fullSink());
        all.addAll(writes());
        all.addAll(stalls());
        all.addAll(breaker());
        all.addAll(takeovers());
        all.addAll(lives());
        return all;
    }

    private static List<Mutant> wheel() {
        return List.of(
                new Mutant(
                        "filed a bucket too late",
                        RING,
                        "levels[level].push((int) (tick >>> up) & mask, entry);",
                        "levels[level].push((int) ((tick >>> up) + 1) & mask, entry);"),
                new Mutant(
                        "does not ask whether the deadline moved later",
                        TURNER,
                        "long deadline = later(wanted, asked, now);",
                        "long deadline = wanted;"),
                new Mutant(
                        "expires what was disarmed",
                        WHEEL,
                        "entry.exchangeWanted(Deadline.NO_DEADLINE) != Deadline.NO_DEADLINE;",
                        "true;"));
    }

    private static List<Mutant> looks() {
        return List.of(
                new Mutant(
                        "closes at the first look",
                        QUEUE,
                        "                lookTwice(connection, nowNanos);\n            } else {\n                act(connection, nowNanos);",
                        "                act(connection, nowNanos);\n            } else {\n                act(connection, nowNanos);"),
                new Mutant(
                        "closes at the second look without judging again",
                        QUEUE,
                        "observer.reprieved();\n            act(connection, nowNanos);\n        } else if",
                        "connection.clearProposed();\n"
                                + "connection.closeByDeadline(Verdict.CLOSE_HEARTBEAT, \"\");\n"
                                + "        } else if"),
                new Mutant(
                        "stays proposed for ever",
                        QUEUE,
                        "connection.clearProposed();\n        connection.enforce(nowNanos);",
                        "connection.enforce(nowNanos);"),
                new Mutant(
                        "looks a second time before the sockets are read",
                        QUEUE,
                        "loop.executeAfterReads(secondLook);",
                        "loop.execute(secondLook);"),
                new Mutant(
                        "does not ask what lies unread",
                        QUEUE,
                        "return silent && connection.isEstablished() && !connection.framesWait() && connection.nothingUnread();",
                        "return silent && connection.isEstablished();"),
                new Mutant(
                                "takes one deadline for another that was over before the reads",
                                QUEUE,
                                "return Liveness.judge(connection, readNanos) != verdict;",
                                "return !Liveness.judge(connection, readNanos).closes();")
                        .foundIn(115723),
                new Mutant(
                                "asks who is read again before its socket was read",
                                QUEUE,
                                "return bySilence && connection.mayWaitUnread();",
                                "return bySilence && connection.readingPaused();")
                        .foundIn(-7650931969318912982L));
    }

    private static List<Mutant> expiry() {
        return List.of(
                new Mutant(
                        "expiry is never armed",
                        LIVENESS,
                        "earlier(s.expiryNanos(), s.expiryWarningNanos())",
                        "s.expiryWarningNanos()"),
                new Mutant(
                        "expiry is never told",
                        LIVENESS,
                        "if (isPast(s.expiryWarningNanos(), nowNanos)) {",
                        "if (isPast(s.expiryWarningNanos(), nowNanos) && s.isSuspect()) {"),
                new Mutant(
                        "expiry does not wait for a token that is being checked",
                        ALLOWANCE,
                        "return check.deadlineNanos() - expiryNanos > 0 ? check.deadlineNanos() : expiryNanos;",
                        "return expiryNanos;"),
                new Mutant(
                        "a token that is being checked saves for ever",
                        ALLOWANCE,
                        "return check.deadlineNanos() - expiryNanos > 0 ? check.deadlineNanos() : expiryNanos;",
                        "return check.deadlineNanos() - expiryNanos > 0 ? NO_DEADLINE : expiryNanos;"),
                new Mutant(
                        "an answer is waited for for ever",
                        LIVENESS,
                        "policy == s.policy() ? s.phaseDeadlineNanos() : NO_DEADLINE;",
                        "NO_DEADLINE;"),
                new Mutant(
                        "a short token is warned of at once",
                        ALLOWANCE,
                        "Math.min(warnBeforeNanos, leftNanos / 3)",
                        "warnBeforeNanos"),
                new Mutant(
                        "every newer token is looked at",
                        ALLOWANCE,
                        "return renewalNanos == NO_DEADLINE || ",
                        "return renewalNanos != 1 || "),
                new Mutant(
                        "a full group is entered by taking over any connection",
                        QUOTAS,
                        "full(grant, own == null ? Grant.NONE : own);",
                        "own == null ? full(grant, Grant.NONE) : null;"),
                new Mutant(
                        "a connection in a full group cannot be taken over",
                        QUOTAS,
                        "&& !replaced.groups().contains(group)",
                        ""),
                new Mutant(
                        "a newer token changes nothing",
                        SESSION,
                        "allowance(allowanceOf(admitted, true));\n            sendAuth",
                        "allowance(Allowance.withoutCheck(before, sessionContext.nanoTime()));\n            sendAuth"),
                new Mutant(
                        "a refused newer token closes later",
                        SESSION,
                        "        rearm();\n    }\n\n    /** Whether a method was asked",
                        "    }\n\n    /** Whether a method was asked"));
    }

    private static List<Mutant> deadlines() {
        String due = "return deadlineNanos != NO_DEADLINE && nowNanos - deadlineNanos >= 0;";
        return List.of(
                new Mutant("a nanosecond late", LIVENESS, due, due.replace(">= 0", "> 0")),
                new Mutant("ten milliseconds early", LIVENESS, due, due.replace(">= 0", ">= -10_000_000")),
                new Mutant(
                        "compares times by size",
                        LIVENESS,
                        due,
                        due.replace("nowNanos - deadlineNanos >= 0", "nowNanos >= deadlineNanos")),
                new Mutant(
                        "the handshake deadline is never armed",
                        LIVENESS,
                        "linger(s, clock) : handshake(s, policy, clock);",
                        "linger(s, clock) : NO_DEADLINE;"),
                new Mutant(
                        "the bytes of a frame on its way end no silence",
                        CONNECTION,
                        "frame == null || policy().readProgressNanos",
                        "frame != null || policy().readProgressNanos"),
                new Mutant(
                        "a frame on its way holds silence",
                        CONNECTION,
                        "return paused != null && (paused.pauseCauses & ~Backlog.PEER) != 0;",
                        "return unfinished() != null || paused != null && (paused.pauseCauses & ~Backlog.PEER) != 0;"),
                new Mutant(
                        "what goes out counts as activity",
                        CONNECTION,
                        "LAST_FRAME_OUT.setOpaque(this, nowNanos);",
                        "LAST_FRAME_OUT.setOpaque(this, nowNanos);\n        LAST_FRAME_IN.setOpaque(this, nowNanos);"),
                new Mutant(
                        "a probe is never answered",
                        CONNECTION,
                        "OpenChecks after = before.answered();",
                        "OpenChecks after = before;"));
    }

    private static List<Mutant> probes() {
        return List.of(
                new Mutant(
                        "a late probe leaves no time",
                        LIVENESS,
                        "clock.dueNanos(probedNanos, policy.answerNanos(s.intervalMillis))",
                        "clock.dueNanos(probedNanos, policy.answerNanos(s.intervalMillis) / 1_000)"),
                new Mutant(
                        "who is punctual is asked each time",
                        "liveness/LivenessPolicy.java",
                        "/ 100 * probeMarginHundredths;",
                        "/ 100 * Math.min(1, probeMarginHundredths);"),
                new Mutant(
                        "a probe at the last moment",
                        "liveness/LivenessPolicy.java",
                        "/ 100 * probeMarginHundredths;",
                        "/ 100 * 100;"),
                new Mutant(
                        "a probe waits for others for too long",
                        "liveness/LivenessPolicy.java",
                        "slackNanos((latestNanos - probeAfterNanos(intervalMillis)) / 2)",
                        "2 * mostSlackNanos"),
                new Mutant(
                        "a close waits for others, as a probe does",
                        LIVENESS,
                        "return earlier(earlier(signs, shadow(s, clock)), housekeeping(s, policy));",
                        "return together(earlier(signs, housekeeping(s, policy)), LivenessPolicy.MOST_SLACK_NANOS);"));
    }

    private static List<Mutant> progress() {
        return List.of(
                new Mutant(
                        "a frame inherits the deadline of the one before it",
                        CONNECTION,
                        "begun.begin(nowNanos, bytes);",
                        "begun.bytes = bytes;"),
                new Mutant(
                        "a burst buys stillness",
                        "liveness/PartialFrame.java",
                        "coveredNanos = earlier(coveredNanos + more * policy.nanosPerByte, nowNanos);",
                        "coveredNanos += more * policy.nanosPerByte;"),
                new Mutant(
                        "any byte keeps up",
                        "liveness/PartialFrame.java",
                        "coveredNanos = earlier(coveredNanos + more * policy.nanosPerByte, nowNanos);",
                        "coveredNanos = nowNanos;"),
                new Mutant(
                        "bytes that cannot be deciphered yet are none",
                        CONNECTION,
                        "incomplete(begun, before + more, nowNanos);",
                        ""),
                new Mutant(
                        "bytes that come do not clear",
                        CONNECTION,
                        "if (before.isProbed() || marked ||",
                        "if (marked && before.isProbed() ||"));
    }

    private static List<Mutant> pauses() {
        return List.of(
                new Mutant(
                        "a pause holds silence",
                        CONNECTION,
                        "return paused != null && (paused.pauseCauses & ~Backlog.PEER) != 0;",
                        "return paused != null && paused.pauseCauses != 0;"),
                new Mutant(
                        "a pause is silence of the peer, whatever waits unread",
                        CONNECTION,
                        "            readOnce();\n        }",
                        "        }"),
                new Mutant(
                        "who floods is taken for silent while it is not read",
                        CONNECTION,
                        "return paused != null && (paused.pauseCauses & ~Backlog.PEER) != 0;",
                        "return paused != null && (paused.pauseCauses & Backlog.SINK) != 0;"),
                new Mutant(
                        "a pause counts as no time",
                        CONNECTION,
                        "creditPause((before & ~Backlog.PEER) != 0,",
                        "creditPause(before != 0,"),
                new Mutant(
                        "one that is not read is asked before it is heard",
                        QUEUE,
                        "case PROBE, CLOSE_HEARTBEAT,",
                        "case CLOSE_HEARTBEAT,"),
                new Mutant(
                        "a look that was asked for before is taken for one's own",
                        QUEUE,
                        "connection.unlistened();\n            push(connection);",
                        "defer(connection);"),
                new Mutant(
                                "a suspect that drains again is asked before it is heard",
                                QUEUE,
                                "if (connection.isSuspect()) {",
                                "if (connection.state() == null) {")
                        .foundIn(271993),
                new Mutant(
                        "one read is taken for all that waits",
                        CONNECTION,
                        "        unlistened();\n        if",
                        "        if"));
    }

    private static List<Mutant> fullSink() {
        return List.of(
                new Mutant(
                        "who is not read because the sink is full counts as silent",
                        CONNECTION,
                        "(paused.pauseCauses & ~Backlog.PEER) != 0;",
                        "(paused.pauseCauses & Backlog.RATE) != 0;"),
                new Mutant(
                        "the time for which the sink was full counts as silence",
                        CONNECTION,
                        "LAST_FRAME_IN.setOpaque(this, lastFrameInNanos() + pausedNanos);",
                        ""),
                new Mutant(
                        "a device with frames that waits for the sink counts as one that does not drain",
                        CONNECTION,
                        "pauseReading(Backlog.SINK, true, nowNanos);",
                        "pauseReading(!\"plain\".equals(((io.heartwheel.session.Session) this).protocolName())"
                                + " ? Backlog.PEER : Backlog.SINK, true, nowNanos);"),
                new Mutant(
                        "the message of a connection that ends while it waits is forgotten",
                        SESSION,
                        "        publishHeld();\n        forgetTroubles();",
                        "        forgetTroubles();"));
    }

    private static List<Mutant> writes() {
        return List.of(
                new Mutant(
                        "progress of writing is not seen",
                        "liveness/Backlog.java",
                        "acknowledgedBytes = acknowledgedNow;\n            progressNanos = nowNanos;",
                        "acknowledgedBytes = acknowledgedNow;"),
                new Mutant(
                        "what the peer's kernel acknowledges is not looked at",
                        "liveness/Backlog.java",
                        " || acknowledgedNow > acknowledgedBytes",
                        ""),
                new Mutant(
                        "each look at the kernel is progress",
                        "liveness/Backlog.java",
                        "acknowledgedNow > acknowledgedBytes",
                        "acknowledgedNow >= Math.max(0, acknowledgedBytes)"),
                new Mutant(
                        "new writes look like progress",
                        CONNECTION,
                        "backlog.enqueuedBytes += bytes;",
                        "backlog.enqueuedBytes += bytes + 1;"),
                new Mutant(
                        "nobody looks at a backlog",
                        LIVENESS,
                        "backlog.lookedNanos + timeoutNanos / 16;",
                        "NO_DEADLINE;"));
    }

    private static List<Mutant> stalls() {
        return List.of(
                new Mutant(
                        "stalls are not credited",
                        STALLS,
                        "return quiet || !credit ? dueNanos",
                        "return quiet || thresholdNanos > 0 ? dueNanos"),
                new Mutant(
                        "stalls are credited twice",
                        STALLS,
                        "creditNanos + (endNanos[at] - lostFromNanos)",
                        "creditNanos + 2 * (endNanos[at] - lostFromNanos)"),
                new Mutant(
                        "credit without end",
                        STALLS,
                        "Math.min(maxCreditNanos, creditNanos",
                        "Math.max(0, creditNanos"),
                new Mutant(
                        "what was lost before the timeout began is credited",
                        STALLS,
                        "long lostFromNanos = beginNanos[at] - fromNanos > 0 ? beginNanos[at] : fromNanos;",
                        "long lostFromNanos = beginNanos[at];"),
                new Mutant("few stalls are remembered", STALLS, "REMEMBERED = 1_024;", "REMEMBERED = 64;")
                        .foundIn(13084),
                new Mutant(
                        "a verdict does not count the stall before it",
                        QUEUE,
                        "stalls.turned(nowNanos, sinceNanos == NOBODY_WAITS ? nowNanos : sinceNanos);",
                        ""),
                new Mutant(
                        "a loop that was idle does not ask whether the process stood still",
                        STALLS,
                        "seenBy.witness().standstills(lastTurnNanos, nowNanos, this::enterRest);",
                        ""),
                new Mutant(
                        "all the time in which a loop has nothing to do is a stall",
                        STALLS,
                        "if (seenBy == null || seenBy.isRunning()) {",
                        "if (seenBy != null) {"),
                new Mutant(
                        "a loop is idle whatever is due soon",
                        "liveness/LoopLagProbe.java",
                        "turnedSince || stalls.isExact();",
                        "turnedSince;"));
    }

    private static List<Mutant> breaker() {
        return List.of(
                new Mutant(
                        "never trips",
                        "liveness/FailureGroups.java",
                        "all.dead() >= settings.least() && openWhatStandsOut(nowNanos)",
                        "all.dead() < 0 && openWhatStandsOut(nowNanos)"),
                new Mutant("counts for ever", "liveness/FailureGroupCounts.java", "allDead -= old[subnet];", ""),
                new Mutant(
                                "blames all for one subnet",
                                "liveness/FailureGroups.java",
                                "boolean everywhere = isSpread(all, settings.share(), blamed);",
                                "boolean everywhere = isLoud(all.dead(), all.base(), settings.share());")
                        .foundIn(198),
                new Mutant(
                        "counts nobody who dies before it has spoken for an interval",
                        "liveness/FailureGroups.java",
                        "return !connection.checksOrNone().isSuspect();",
                        "return !connection.checksOrNone().isSuspect() && connection.lastFrameInNanos() - connection.openedNanos() >= connection.intervalMillis() * 1_000_000L;"),
                new Mutant("has no patience", CONNECTION, "nowNanos + suspects.patienceNanos()", "nowNanos"),
                new Mutant(
                        "suspects are closed all at once",
                        "liveness/Breaker.java",
                        "turnNanos + nanosPerClose",
                        "turnNanos"),
                new Mutant(
                                "suspects are not asked",
                                CONNECTION,
                                "probed(nowNanos);\n            sendProbe();\n        }\n        rearm();",
                                "probed(nowNanos);\n        }\n        rearm();")
                        .foundIn(108),
                new Mutant(
                        "what has drained is counted as dead",
                        QUEUE,
                        "        connection.lookAtWrites(nowNanos);\n        Verdict",
                        "        Verdict"));
    }

    private static List<Mutant> takeovers() {
        return List.of(
                new Mutant(
                        "who comes while somebody waits for an id takes it over",
                        "session/Takeovers.java",
                        "if (recent.waiting && recent.sinceNanos - nowNanos > 0) {",
                        "if (recent.waiting && recent.sinceNanos - nowNanos > 5_000_000_000L) {"),
                new Mutant(
                        "who comes while somebody waits for an id makes it wait longer",
                        "session/Takeovers.java",
                        "return new Wait(recent.sinceNanos - nowNanos, false);",
                        "return recent.beginWait(holder, nowNanos);"),
                new Mutant(
                        "an id stays in conflict while anybody comes once a minute",
                        "session/Takeovers.java",
                        "(waitNanos > 0 && nowNanos - sinceNanos < SOON_NANOS)",
                        "waitNanos > 0"),
                new Mutant(
                        "a holder gives its id away before it can answer",
                        LIVENESS,
                        "clockOf(s).dueNanos(checks.probe().sentNanos(), answerNanos)",
                        "checks.probe().sentNanos()"),
                new Mutant(
                        "who waits for its id is not looked at again",
                        LIVENESS,
                        "phase = earlier(phase, s.phaseDeadlineNanos());",
                        ""));
    }

    private static List<Mutant> lives() {
        return List.of(
                new Mutant(
                        "who is taken over takes its successor out of the registry",
                        "session/SessionRegistry.java",
                        "while (here != null && here != session) {",
                        "while (here != null && !Arrays.equals(here.deviceIdBytes(), session.deviceIdBytes())) {"),
                new Mutant("who is taken over lives on", SESSION, "predecessor.takenOverBy(this);", ""),
                new Mutant(
                        "an end is told of who never came",
                        "session/SessionContext.java",
                        "if (!close.established()) {",
                        "if (close == null) {"),
                new Mutant(
                        "lateness is told without credit",
                        CONNECTION,
                        "long deadlineNanos = Liveness.deadlineNanos(this, kind);",
                        "long deadlineNanos = Liveness.uncreditedNanos(this, kind);"),
                new Mutant(
                        "sent away and closed at once", SESSION, "nowNanos + policy().goawayLeadNanos()", "nowNanos"),
                new Mutant(
                        "a linger that runs while the loop stands",
                        LIVENESS,
                        "isPast(linger(s, clockOf(s)), nowNanos)",
                        "isPast(linger(s, TimeoutClock.PLAIN), nowNanos)"),
                new Mutant("a linger that never ends", SESSION, "linger(saidAll, nowNanos, MOST_LINGER_NANOS);", ""),
                new Mutant(
                        "who sends on is cut while it has not read why",
                        CONNECTION,
                        "if (nowNanos - lastFrameInNanos() > 0) {",
                        "if (nowNanos - lastFrameInNanos() < 0) {"),
                new Mutant(
                        "who sends on is waited for without end",
                        LIVENESS,
                        "earlier(clock.dueNanos(s.lastFrameInNanos(), MonitoredConnection.LINGER_NANOS), mostNanos)",
                        "clock.dueNanos(s.lastFrameInNanos(), MonitoredConnection.LINGER_NANOS)"),
                new Mutant(
                        "cut before the last frame is written",
                        SESSION,
                        "boolean saidAll = pendingBytes() == 0 ||",
                        "boolean saidAll = pendingBytes() >= 0 ||"));
    }
}

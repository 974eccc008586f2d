package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.scenario.Gateways;
import io.heartwheel.loadgen.scenario.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Record of what the timeline did to gateways, and what that excuses of the answers to pushes. Owned by the devices' event loop. Times are
 * nanoseconds since the run began.
 *
 * <pre>
 *   one gateway of several    stopped        taken for lost by the others      goes on     writes its rows again
 *                                |------ 14 s ------|------------------------------|------ excuse ------|
 *   its devices are absent                          |&lt;------------ excused ----------------------------&gt;|
 *   a call at it, or to one of its devices, fails  |&lt;------------------- excused -----------------------&gt;|
 * </pre>
 *
 * <p>One that is killed loses its connections at once, so nobody may say of a device that stays connected that it is absent.
 */
final class GatewayOutages {

    /** A fleet takes for lost who was not heard of for 15 s, and who is there says so once a second. */
    static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(14);

    private final Gateways gateways;
    private final IntFunction<String> holders;
    private final List<Outage> ofOne = new ArrayList<>(0);
    private final List<Disturbance> all = new ArrayList<>(0);
    private long ofAllUntilNanos = Long.MIN_VALUE;

    /** What excuses a call that failed. */
    enum Excuse {
        NO,
        YES,
        /** Only the gateway that has the device: the one that was asked was well. */
        BY_HOLDER
    }

    /** @param lostNanos from when on its devices may be told as absent; {@link Long#MAX_VALUE}: never */
    private record Outage(int node, String name, long fromNanos, long lostNanos, long untilNanos) {

        boolean isDuring(long calledNanos, long answeredNanos) {
            return answeredNanos >= fromNanos && calledNanos <= untilNanos;
        }
    }

    /**
     * A step, with what it excuses.
     *
     * @param stoppedUntilNanos until when it stops gateways: those that run schedules; before it began: it stops none
     */
    private record Disturbance(long fromNanos, long stoppedUntilNanos, long untilNanos) {}

    /**
     * Nothing was done yet.
     *
     * @param holders by a device's place in its loop, the name of the gateway that has its connection by the events; empty: none tells it
     */
    GatewayOutages(Gateways gateways, IntFunction<String> holders) {
        this.gateways = gateways;
        this.holders = holders;
    }

    /** A step that happens to gateways, or to what they speak to, begins now. */
    void add(Step step, long nowNanos) {
        long until = nowNanos + step.forNanos() + step.excuseNanos();
        boolean frozen = step.action() == Step.Action.FREEZE;
        boolean atOnce = frozen || step.action() == Step.Action.KILL;
        long stopped = !step.service().isEmpty() ? Long.MIN_VALUE : atOnce ? nowNanos : until;
        all.add(new Disturbance(nowNanos, stopped, until));
        String name = step.service().isEmpty() && step.node() != Step.ALL ? gateways.name(step.node()) : "";
        if (name.isEmpty() || !atOnce) {
            ofAllUntilNanos = Math.max(ofAllUntilNanos, until);
            return;
        }
        long lost = frozen && step.forNanos() > LOST_NANOS ? nowNanos + LOST_NANOS : Long.MAX_VALUE;
        ofOne.add(new Outage(step.node(), name, nowNanos, lost, until));
    }

    /** Whether a call that failed may have failed for what was done: to all gateways, to what they speak to, or to the one that was asked. */
    Excuse ofCall(Downlink downlink, PushOutcome outcome, long calledNanos, long answeredNanos) {
        if (calledNanos <= ofAllUntilNanos) {
            return Excuse.YES;
        }
        List<Outage> then = ofOne.stream()
                .filter(each -> each.isDuring(calledNanos, answeredNanos))
                .toList();
        if (then.isEmpty() || downlink.toAll() || !downlink.http().isFleet()) {
            return then.isEmpty() ? Excuse.NO : Excuse.YES;
        }
        int addresses = downlink.http().addresses().size();
        int asked = Downlink.Http.first(outcome.recipient(), outcome.sequence(), addresses);
        return then.stream().anyMatch(each -> each.node == asked) ? Excuse.YES : Excuse.BY_HOLDER;
    }

    /** Whether one may have failed for what was done to the gateway that has the device; also if nobody knows which that is. */
    boolean ofHolder(int local, long calledNanos, long answeredNanos) {
        String holder = holders.apply(local);
        return holder.isEmpty()
                || ofOne.stream()
                        .anyMatch(each -> each.name.equals(holder) && each.isDuring(calledNanos, answeredNanos));
    }

    /** Whether the gateway that has the device was taken for lost, so that the device may be told as absent. */
    boolean isTakenForLost(int local, long calledNanos, long answeredNanos) {
        String holder = holders.apply(local);
        return ofOne.stream()
                .anyMatch(each ->
                        each.name.equals(holder) && answeredNanos >= each.lostNanos && calledNanos <= each.untilNanos);
    }

    /** Whether nothing that was done lasted, or was excused, in that time. */
    boolean isCalm(long fromNanos, long untilNanos) {
        return all.stream().allMatch(each -> each.untilNanos < fromNanos || each.fromNanos > untilNanos);
    }

    /** Whether all that was done is over by then. */
    boolean isOver(long nanos) {
        return all.stream().allMatch(each -> each.untilNanos < nanos);
    }

    /** Whether any gateway was killed, frozen or told to end in that time. */
    boolean wasStopped(long fromNanos, long untilNanos) {
        return all.stream().anyMatch(each -> each.stoppedUntilNanos >= fromNanos && each.fromNanos <= untilNanos);
    }
}

package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.scenario.Scenario;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * End of the observed time: devices send no new messages, and those under way get their time; then they send nothing more, and the last heartbeats get
 * theirs. So all that was sent is counted, and judged. Over at once when all was answered; after 10 s, or when nothing of it can be in time any more.
 *
 * <pre>
 *   observed | no new messages: 3 x answer-within, or echo-within | nothing more: as long, or as all may be silent | final check
 * </pre>
 */
public final class Settling {

    private static final long WATCH_MILLIS = 100;
    /** So long at the most for what is late: what cannot come in time any more is judged as it is. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** What is late may still come, and where nothing is acknowledged is not lost before: it is waited for so many times as long as it may take. */
    private static final int LATE_FACTOR = 3;

    private final NanoClock clock;
    private final Supplier<Ledger> snapshot;
    private final BooleanSupplier stop;

    private Settling(NanoClock clock, Supplier<Ledger> snapshot, BooleanSupplier stop) {
        this.clock = clock;
        this.snapshot = snapshot;
        this.stop = stop;
    }

    /**
     * Waits for what is under way, some seconds at the most.
     *
     * @param snapshot takes a look at the run and answers what was counted so far
     * @param stop whether not to wait any longer
     */
    public static void settle(
            Worker worker, Scenario scenario, NanoClock clock, Supplier<Ledger> snapshot, BooleanSupplier stop)
            throws InterruptedException {
        Settling settling = new Settling(clock, snapshot, stop);
        boolean echo = scenario.contract().messages().echo();
        int behind = scenario.timeline().size();
        worker.act(behind);
        settling.await(messagesNanos(scenario), seen -> messagesAnswered(seen, echo));
        if (!stop.getAsBoolean()) {
            worker.act(behind + 1);
            settling.await(beatsNanos(scenario), Settling::beatsAnswered);
        }
    }

    /** How long messages under way are waited for. */
    static long messagesNanos(Scenario scenario) {
        Contract contract = scenario.contract();
        long answers = contract.answerWithinNanos();
        long echo = contract.messages().echo() ? contract.messages().echoWithinNanos() : 0;
        boolean acknowledged =
                scenario.targets().stream().allMatch(target -> target.dialect().has(Dialect.Trait.ACKNOWLEDGES));
        long needed = acknowledged ? answers + echo : Math.max(answers, LATE_FACTOR * echo);
        return Math.max(needed, Math.min(LONG_NANOS, LATE_FACTOR * Math.max(answers, echo)));
    }

    /** How long heartbeats are waited for then. */
    static long beatsNanos(Scenario scenario) {
        return Math.min(
                LONG_NANOS, Math.min(LATE_FACTOR * scenario.contract().answerWithinNanos(), spareNanos(scenario)));
    }

    /** Half of what devices may be silent for beyond the time between two heartbeats. */
    private static long spareNanos(Scenario scenario) {
        DeviceDefaults defaults = scenario.deviceDefaults();
        long allowed = TimeUnit.MILLISECONDS.toNanos(defaults.wantedMillis()) * defaults.graceHundredths() / 100;
        return Math.max(0, allowed - defaults.cadence(defaults.wantedMillis()).periodNanos()) / 2;
    }

    private static boolean messagesAnswered(Ledger seen, boolean echo) {
        long answered = seen.of(Count.DATA_ACCEPTED) + seen.of(Count.DATA_UNASKED);
        return answered + seen.of(Count.DATA_REFUSED) >= seen.of(Count.DATA_SENT)
                && (!echo || seen.of(Count.DATA_ECHOED) >= answered);
    }

    private static boolean beatsAnswered(Ledger seen) {
        return seen.of(Count.BEATS_ANSWERED) + seen.of(Count.BEATS_UNANSWERED) + seen.of(Count.BEATS_OPEN)
                >= seen.of(Count.BEATS_SENT);
    }

    private void await(long nanos, Predicate<Ledger> done) throws InterruptedException {
        long until = clock.nanos() + nanos + TimeUnit.MILLISECONDS.toNanos(WATCH_MILLIS);
        while (!stop.getAsBoolean() && !done.test(snapshot.get()) && clock.nanos() - until < 0) {
            TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
        }
    }
}

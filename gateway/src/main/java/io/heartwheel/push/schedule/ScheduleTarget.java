package io.heartwheel.push.schedule;

import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.push.PushResult.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Taker of messages that are due. Called by one thread; never blocks. */
@FunctionalInterface
public interface ScheduleTarget {
    /**
     * Brings the message to whom {@link ScheduleSpec#to} says, with its {@code ack}, {@code timeoutMillis} and {@code store}.
     *
     * @param messageId the same whenever this run is repeated, after a crash too; the highest bit is set, so that it is none of the ids that count up
     * @param payload nobody changes it
     * @return completes once, on any thread, when the run is over: the next one of the schedule waits for it, and until then a crash repeats it. With a {@link
     *     RejectedExecutionException} if nothing could be begun for now: the run is tried again
     */
    CompletionStage<RunResult> deliver(ScheduleSpec spec, long messageId, byte[] payload);

    /**
     * Messages to one device as pushes are. Tried again is what the disk does not take, and what is to be kept if nobody knows whether it is, or if it finds a
     * limit reached and has no other time.
     *
     * @param one takes those to one device; a {@link RejectedExecutionException} as the cause if nothing could be done for now
     * @param many takes those to a group or to all
     * @param shutForGood whether no device comes back before the next start: a run that finds its device away is none then; any thread
     */
    static ScheduleTarget of(
            Function<Push, CompletionStage<PushResult>> one, ScheduleTarget many, BooleanSupplier shutForGood) {
        return (spec, messageId, payload) -> spec.to().kind() != ScheduleSpec.Kind.DEVICE
                ? many.deliver(spec, messageId, payload)
                : one.apply(new Push(
                                spec.to().name(),
                                messageId,
                                spec.text(),
                                payload,
                                spec.ack(),
                                false,
                                TimeUnit.MILLISECONDS.toNanos(spec.timeoutMillis()),
                                spec.store()))
                        .thenCompose(result -> isToBeTriedAgain(spec, result.outcome(), shutForGood)
                                ? CompletableFuture.<RunResult>failedFuture(
                                        new RejectedExecutionException(result.detail()))
                                : CompletableFuture.completedFuture(RunResult.of(result.outcome(), spec.store())));
    }

    /** Whether a run failed so that it is tried again. */
    static boolean isRefusal(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof RejectedExecutionException;
    }

    private static boolean isToBeTriedAgain(ScheduleSpec spec, Outcome outcome, BooleanSupplier shutForGood) {
        return outcome == Outcome.NOT_STORED
                || (outcome == Outcome.UNKNOWN && spec.store()) // under the same id: who keeps it already says so
                || (outcome == Outcome.OFFLINE && shutForGood.getAsBoolean())
                || (outcome == Outcome.FULL && spec.store() && spec.repeat() == ScheduleSpec.Repeat.ONCE);
    }
}

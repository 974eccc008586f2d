package io.heartwheel.push.group;

import io.heartwheel.push.PushResult.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Progress of a job at one moment. Immutable; any thread.
 *
 * @param id of the job
 * @param broadcast what it does; without its payload when it is over
 * @param startedMillis since 1970
 * @param elapsedNanos until now, or until its end
 * @param devices how many it is for; -1 while they are counted
 * @param handed devices whose turn has come
 * @param unanswered those of them without a result
 * @param outcomes the others, by what became of it; without those that are 0
 * @param notReached the first that it did not reach, at most {@link #MOST_NOT_REACHED}
 */
public record JobProgress(
        long id,
        Broadcast broadcast,
        State state,
        long startedMillis,
        long elapsedNanos,
        int devices,
        int handed,
        int unanswered,
        Map<Outcome, Integer> outcomes,
        List<NotReached> notReached) {
    /** Devices that are told by their ids. */
    public static final int MOST_NOT_REACHED = 100;

    /** A device that did not get it. */
    public record NotReached(String deviceId, Outcome outcome) {}

    /** State of a job. */
    public enum State {
        /** Devices get the message, one after the other. */
        RUNNING,
        /** Each has had its turn; results are waited for. */
        WAITING,
        /** Each has its result. */
        DONE,
        /** What is not acknowledged is taken back. */
        CANCELLING,
        /** It ended before its time. */
        CANCELLED;

        /** As in answers. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether nothing more happens. */
        public boolean isOver() {
            return this == DONE || this == CANCELLED;
        }
    }

    /** Whether a device with this outcome has the message, or will have it. */
    public static boolean isReached(Outcome outcome) {
        return switch (outcome) {
            case SENT, RECEIVED, ACKNOWLEDGED, REPLIED, QUEUED -> true;
            default -> false;
        };
    }
}

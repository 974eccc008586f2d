package io.heartwheel.cluster;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts of what the cluster did, since the start. Any thread; nothing blocks. */
public final class ClusterCounts {
    private final AtomicLongArray counts = new AtomicLongArray(What.values().length);

    /** What is counted. */
    public enum What {
        /** Claims granted after the row was written. */
        CLAIM_GRANTED,
        /** Claims granted without the engine. */
        CLAIM_LOCAL,
        /** Claims refused because the engine was not to be had. */
        CLAIM_REFUSED,
        /** Claims of a connection that a newer one of the same device replaced before their end. */
        CLAIM_SUPERSEDED,
        /** Claims that have to wait, because connections at two nodes take the id from each other again and again. */
        CLAIM_CONFLICT,
        /** Kicks that the other node has answered. */
        KICK_ANSWERED,
        /** Kicks to a node that is gone. */
        KICK_NO_NODE,
        /** Kicks without an answer. */
        KICK_LOST,
        /** Kicks of other nodes for a device that was here. */
        KICK_RECEIVED,
        /** Rows that were as they should be. */
        SWEEP_KEPT,
        /** Rows written again. */
        SWEEP_REASSERTED,
        /** Own devices that were told as lost, and are told as connected again. */
        SWEEP_RENEWED,
        /** Own devices that another node has taken over, found by the sweep. */
        SWEEP_TAKEN,
        /** Rows that could not be read or written, or changed meanwhile. */
        SWEEP_FAILED,
        /** Ids given back. */
        RELEASE_DONE,
        /** Ids not given back: the engine was not to be had, or too many were under way. */
        RELEASE_DROPPED,
        /** Requests of the API that another node has answered. */
        CALL_ANSWERED,
        /** Those whose device was not there any more. */
        CALL_ABSENT,
        /** Those to a node that takes no more, or more than may be under way. */
        CALL_BUSY,
        /** Those to a node of an earlier release. */
        CALL_UNSUPPORTED,
        /** Those that fit in no message, or whose answer does not. */
        CALL_TOO_LARGE,
        /** Those to a node that is gone. */
        CALL_NO_NODE,
        /** Those without an answer in time. */
        CALL_LOST,
        /** Requests of the API that came in at other nodes and were answered here. */
        SERVED_ANSWERED,
        /** Those whose device is not here. */
        SERVED_ABSENT,
        /** Those refused because too much is under way. */
        SERVED_BUSY,
        /** Messages kept here that the gateway of their device keeps now. */
        GIVEN_TAKEN,
        /** Those that it does not take, but perhaps others. */
        GIVEN_LEFT,
        /** Those that it does not take now, or of which nobody knows; they are tried again. */
        GIVEN_REFUSED,
        /** Schedules that this node runs from now on, because another is gone or the hash names this one. */
        SCHEDULE_TAKEN,
        /** Those that it gave back when it ended. */
        SCHEDULE_LEFT,
        /** Nodes that this one has told as lost. */
        NODE_DOWN,
        /** Ids of lost nodes given back, and told. */
        LOST_RELEASED,
        /** Ids of lost nodes whose device came back meanwhile. */
        LOST_SKIPPED,
        /** Ids of lost nodes of which nobody knows whether they were given back; they are tried again. */
        LOST_FAILED;

        /** As the metrics call it, without the first word. */
        public String label() {
            return name().substring(name().indexOf('_') + 1).toLowerCase(Locale.ROOT);
        }

        /** The first word, in lower case. */
        public String subject() {
            return name().substring(0, name().indexOf('_')).toLowerCase(Locale.ROOT);
        }
    }

    /** One more. */
    public void add(What what) {
        counts.incrementAndGet(what.ordinal());
    }

    /** How many so far. */
    public long get(What what) {
        return counts.get(what.ordinal());
    }
}

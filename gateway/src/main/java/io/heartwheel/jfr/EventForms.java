package io.heartwheel.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Forms of our events in a recording; what each of them and its fields mean stands in their descriptions. */
final class EventForms {
    private EventForms() {}

    /** Base of all of them. */
    @Category("Heartwheel")
    @StackTrace(false)
    private abstract static class HeartwheelEvent extends Event {}

    @Name("io.heartwheel.ExpiryBatch")
    @Label("Expiry Batch")
    @Description("An event loop has judged what the wheel had found due; told when nothing is left of it.")
    static final class ExpiryBatchEvent extends HeartwheelEvent {
        @Label("Event Loop")
        @Description("Its index.")
        int loop;

        @Label("Looked At")
        @Description("Connections found due and looked at.")
        int lookedAt;

        @Label("Closed")
        @Description("Closed by a deadline since the loop's last batch.")
        int closed;

        @Label("Worst Lateness")
        @Description("Close decided minus deadline, the greatest of these closes.")
        @Timespan
        long worstLateness;

        @Label("Took")
        @Description("From the first that was found due until nothing was left.")
        @Timespan
        long took;
    }

    @Name("io.heartwheel.WheelTurn")
    @Label("Wheel Turn")
    @Description("The wheel has worked off entries.")
    static final class WheelTurnEvent extends HeartwheelEvent {
        @Label("Expired")
        @Description("Entries whose deadline was reached.")
        int expired;

        @Label("Moved")
        @Description("Entries filed again because their deadline had moved later.")
        int moved;

        @Label("Lag")
        @Description("The time less the oldest tick to be worked off; under one tick when on time.")
        @Timespan
        long lag;
    }

    @Name("io.heartwheel.LoopStall")
    @Label("Event Loop Stall")
    @Description("An event loop stood still, so that it heard no peer; their deadlines have moved by as much.")
    static final class LoopStallEvent extends HeartwheelEvent {
        @Label("Event Loop")
        @Description("Its index.")
        int loop;

        @Label("Lost")
        @Description("For how long it stood still, until now.")
        @Timespan
        long lost;

        @Label("In Collections")
        @Description("Time in collections that stop the world since the last look, at most two seconds before.")
        @Timespan
        long collected;

        @Label("Cause")
        @Description(
                "gc: at least half of it was such collections. other: a stopped process, a busy machine, a handler that blocks.")
        String cause = "";
    }

    @Name("io.heartwheel.MassExpiry")
    @Label("Mass Expiry")
    @Description("The breaker tripped, or an incident is over.")
    static final class MassExpiryEvent extends HeartwheelEvent {
        @Label("Number")
        @Description("1 for the first of this process.")
        long number;

        @Label("State")
        @Description("begun or ended.")
        String state = "";

        @Label("Lasted")
        @Description("Since its begin.")
        @Timespan(Timespan.MILLISECONDS)
        long lasted;

        @Label("Scopes")
        @Description("Where deaths stood out: all, a listener, an event loop, a subnet.")
        String scopes = "";

        @Label("Expired")
        @Description("Connections found dead in the window when it began.")
        long expired;

        @Label("Connections")
        @Description("Established ones at that moment.")
        long connections;

        @Label("Suspects")
        @Description("Held back and asked again so far.")
        long suspects;

        @Label("Absolved")
        @Description("Of these, spoke after all.")
        long absolved;

        @Label("Closed")
        @Description("Of these, closed.")
        long closed;

        @Label("Left")
        @Description("Of these, ended for other reasons.")
        long left;
    }

    @Name("io.heartwheel.Drain")
    @Label("Drain")
    @Description("The orderly end goes on: what the gateway says of it.")
    static final class DrainEvent extends HeartwheelEvent {
        @Label("Progress")
        @Description("As in the log.")
        String progress = "";
    }

    @Name("io.heartwheel.Admission")
    @Label("Admission")
    @Description("Who comes in; once a second unless set otherwise.")
    @Period("1 s")
    static final class AdmissionEvent extends HeartwheelEvent {
        @Label("Open")
        @Description("Connections now, handshakes among them.")
        int open;

        @Label("Limit")
        @Description("Connections there may be.")
        int limit;

        @Label("Accepted")
        @Description("Connections taken from the kernel since start.")
        long accepted;

        @Label("Refused")
        @Description("Of these, refused for want of room.")
        long refused;

        @Label("Accept Pauses")
        @Description("Times a listener rested because descriptors or memory had run out.")
        long acceptPauses;
    }
}

package io.heartwheel.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** An event loop stood still, so that it heard no peer; their deadlines have moved by as much. */
@Name("io.heartwheel.LoopStall")
@Label("Event Loop Stall")
@Category("Heartwheel")
@Description("An event loop stood still, so that it heard no peer; their deadlines have moved by as much.")
@StackTrace(false)
final class LoopStallEvent extends Event {
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

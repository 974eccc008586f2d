package io.heartwheel.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** An event loop has judged what the wheel had found due; told when nothing is left of it. */
@Name("io.heartwheel.ExpiryBatch")
@Label("Expiry Batch")
@Category("Heartwheel")
@Description("An event loop has judged what the wheel had found due; told when nothing is left of it.")
@StackTrace(false)
final class ExpiryBatchEvent extends Event {
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

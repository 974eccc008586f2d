package io.heartwheel.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The breaker tripped, or an incident is over. */
@Name("io.heartwheel.MassExpiry")
@Label("Mass Expiry")
@Category("Heartwheel")
@Description("The breaker tripped, or an incident is over.")
@StackTrace(false)
final class MassExpiryEvent extends Event {
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

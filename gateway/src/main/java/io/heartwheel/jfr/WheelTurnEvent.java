package io.heartwheel.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The wheel has worked off entries. */
@Name("io.heartwheel.WheelTurn")
@Label("Wheel Turn")
@Category("Heartwheel")
@Description("The wheel has worked off entries.")
@StackTrace(false)
final class WheelTurnEvent extends Event {
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

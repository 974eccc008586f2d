package io.heartwheel.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The orderly end goes on: what the gateway says of it. */
@Name("io.heartwheel.Drain")
@Label("Drain")
@Category("Heartwheel")
@Description("The orderly end goes on: what the gateway says of it.")
@StackTrace(false)
final class DrainEvent extends Event {
    @Label("Progress")
    @Description("As in the log.")
    String progress = "";
}

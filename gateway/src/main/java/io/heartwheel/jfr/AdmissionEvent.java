package io.heartwheel.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** Who comes in; once a second unless set otherwise. */
@Name("io.heartwheel.Admission")
@Label("Admission")
@Category("Heartwheel")
@Description("Who comes in; once a second unless set otherwise.")
@StackTrace(false)
@Period("1 s")
final class AdmissionEvent extends Event {
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

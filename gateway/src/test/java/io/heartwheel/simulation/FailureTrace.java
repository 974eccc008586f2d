package io.heartwheel.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Trace of a failure: the least part of its world in which it still happens, and the events there. */
final class FailureTrace {
    private static final int MOST_LINES = 60;

    private final Simulation simulation;
    private final Circumstances is;
    private World.Cut cut;
    private Violation violation;

    FailureTrace(Simulation simulation, Circumstances is, Violation violation) {
        this.simulation = simulation;
        this.is = is;
        this.violation = violation;
        cut = World.Cut.whole(is);
    }

    String tell() {
        int device = device(violation);
        if (device < 0 || !keep(new World.Cut(device, device, cut.stalls(), null))) {
            halve();
        }
        keep(new World.Cut(cut.firstDevice(), cut.lastDevice(), false, null));
        String traced = violation.history() == null ? "device-" + cut.firstDevice() : violation.history().device;
        World last = simulation.run(is, new World.Cut(cut.firstDevice(), cut.lastDevice(), cut.stalls(), traced));
        return text(last.trace());
    }

    private void halve() {
        while (cut.firstDevice() < cut.lastDevice()) {
            int middle = (cut.firstDevice() + cut.lastDevice()) >>> 1;
            if (!keep(new World.Cut(cut.firstDevice(), middle, cut.stalls(), null))
                    && !keep(new World.Cut(middle + 1, cut.lastDevice(), cut.stalls(), null))) {
                return;
            }
        }
    }

    /** Takes the smaller world if it goes wrong there too. */
    private boolean keep(World.Cut smaller) {
        @Nullable Violation still = simulation.run(is, smaller).oracle.violation();
        if (still == null) {
            return false;
        }
        cut = smaller;
        violation = still;
        return true;
    }

    private static int device(Violation violation) {
        TrueHistory history = violation.history();
        return history == null ? -1 : Integer.parseInt(history.device.substring(history.device.indexOf('-') + 1));
    }

    private String text(List<String> trace) {
        TrueHistory history = violation.history();
        StringBuilder text = new StringBuilder("seed ").append(is.seed()).append(": ");
        text.append(history == null ? "the gateway" : "connection " + history.number + " of " + history.device)
                .append(" at ")
                .append(Oracle.seconds(violation.atNanos()))
                .append(": ")
                .append(violation.what())
                .append("\nworld: ")
                .append(is)
                .append("\nreduced to devices ")
                .append(cut.firstDevice())
                .append("..")
                .append(cut.lastDevice())
                .append(cut.stalls() ? ", with stalls" : ", without stalls")
                .append("\ntrace:");
        int first = Math.max(0, trace.size() - MOST_LINES);
        if (first > 0) {
            text.append("\n  (").append(first).append(" lines before)");
        }
        // stalls of other loops only fill the page
        trace.subList(first, trace.size()).forEach(line -> text.append("\n  ").append(line));
        return text.append("\n  ")
                .append(Oracle.seconds(violation.atNanos()))
                .append("  ")
                .append(violation.what())
                .toString();
    }
}

package io.heartwheel.app.doctor;

import static io.heartwheel.app.doctor.Descriptors.number;

import io.heartwheel.session.TraceSettings;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.sink.SinkSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Check of the free disk space for files that the gateway writes. */
final class Disks {
    private static final String AREA = "disk";
    private static final long LITTLE_BYTES = 1L << 30;
    private static final long NONE_BYTES = 64L << 20;
    private static final int MEBI = 20;

    private Disks() {}

    static List<Finding> of(CheckContext context) {
        List<Finding> found = new ArrayList<>();
        SinkSettings sink = context.settings().sink();
        if (sink.kind() == SinkKind.FILE) {
            found.add(look(context, "sink.file", sink.file(), LITTLE_BYTES));
        }
        TraceSettings trace = context.settings().trace();
        if (trace.enabled()) {
            found.add(look(context, "trace.file", trace.file(), trace.maxBytes()));
        }
        return found;
    }

    private static Finding look(CheckContext context, String key, Path file, long wantedBytes) {
        OptionalLong free = context.probes().freeBytes(file);
        if (free.isEmpty()) {
            return Finding.ok(AREA, key + " = " + file + ": how much room is left is not known");
        }
        String what = key + " = " + file + ": " + number(free.getAsLong() >> MEBI) + " MiB free";
        String remedy = "make room in " + file.toAbsolutePath().getParent() + " (du -x -d1), or take another file";
        if (free.getAsLong() < NONE_BYTES) {
            return Finding.fail(AREA, what, "when it is full DATA is refused and events are dropped", remedy);
        }
        return free.getAsLong() < wantedBytes
                ? Finding.warn(AREA, what, "it will be full some day soon; then events are dropped", remedy)
                : Finding.ok(AREA, what);
    }
}

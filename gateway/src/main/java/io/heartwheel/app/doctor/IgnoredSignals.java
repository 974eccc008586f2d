package io.heartwheel.app.doctor;

import java.util.ArrayList;
import java.util.List;

/** Signals that whoever starts a process here has it ignore: nohup, the background of a shell, many a CI runner. */
final class IgnoredSignals {
    private static final String AREA = "signals";
    private static final String MASK = "SigIgn:";
    private static final int HUP = 1;
    private static final int INT = 2;
    private static final int TERM = 15;

    private IgnoredSignals() {}

    static List<Finding> of(CheckContext context) {
        String status = context.machine().text("proc/self/status");
        long ignored = status.lines()
                .filter(line -> line.startsWith(MASK))
                .map(line -> line.substring(MASK.length()).strip())
                .mapToLong(hex -> Long.parseUnsignedLong(hex, 16))
                .findFirst()
                .orElse(0);
        List<Finding> found = new ArrayList<>();
        note(found, ignored, HUP, "HUP", "the configuration is read again by POST /v1/reload alone");
        note(found, ignored, INT, "INT", "Ctrl-C does not end it; SIGTERM does");
        note(found, ignored, TERM, "TERM", "only SIGKILL ends it, without a drain");
        return found.isEmpty() ? List.of(Finding.ok(AREA, "none of SIGHUP, SIGINT and SIGTERM is ignored")) : found;
    }

    private static void note(List<Finding> found, long ignored, int number, String name, String effect) {
        if ((ignored & 1L << (number - 1)) != 0) {
            found.add(Finding.warn(
                    AREA,
                    "SIG" + name + " is ignored by what is started from here, as from nohup",
                    effect,
                    "start it by systemd, or with: env --default-signal=" + name + " heartwheel-gateway"));
        }
    }
}

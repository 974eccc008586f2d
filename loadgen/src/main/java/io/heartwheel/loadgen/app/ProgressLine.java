package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.Progress;
import java.io.PrintWriter;
import java.util.Locale;

/** How a run stands: one line that rewrites itself on a terminal, else a line every two seconds. One thread. */
final class ProgressLine {

    private static final long REWRITE_MILLIS = 250;
    private static final long APPEND_MILLIS = 2_000;
    private static final double MILLI = 1e6;

    private final PrintWriter out;
    private final boolean terminal;
    private long lastBeats;
    private long lastNanos;

    ProgressLine(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Milliseconds between two looks. */
    long periodMillis() {
        return terminal ? REWRITE_MILLIS : APPEND_MILLIS;
    }

    void show(Progress now) {
        String text = text(now);
        lastBeats = now.beatsSent();
        lastNanos = now.elapsedNanos();
        if (terminal) {
            out.print("\r\u001b[2K" + text);
        } else {
            out.println(text);
        }
        out.flush();
    }

    /** Leaves the line behind. */
    void done() {
        if (terminal) {
            out.println();
            out.flush();
        }
    }

    private String text(Progress now) {
        double seconds = Math.max(1, now.elapsedNanos() - lastNanos) / 1e9;
        String refused = now.refused() == 0 ? "" : String.format(Locale.ROOT, " (%,d refused)", now.refused());
        return String.format(
                Locale.ROOT,
                "[%5.1fs] connected %,d/%,d%s | beats %,.0f/s | round trip p99 %.1f ms | silent %,d closed %,d"
                        + " | false kills %,d | own lag p99 %.1f ms",
                now.elapsedNanos() / 1e9,
                now.opened(),
                now.clients(),
                refused,
                (now.beatsSent() - lastBeats) / seconds,
                now.recentP99Nanos() / MILLI,
                now.silent(),
                now.closed(),
                now.falseKills(),
                now.pacingP99Nanos() / MILLI);
    }
}

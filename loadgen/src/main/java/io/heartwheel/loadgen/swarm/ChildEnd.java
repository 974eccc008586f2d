package io.heartwheel.loadgen.swarm;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** How a child process is ended: asked by closing its input, then told, then made to. Stateless; any thread. */
final class ChildEnd {

    private static final long ASKED_SECONDS = 3;
    private static final long TOLD_SECONDS = 3;
    private static final long MADE_SECONDS = 10;

    private ChildEnd() {}

    /** Ends it and waits, 16 s at the most. At once when it has ended before. */
    static void end(Process child) {
        try {
            child.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already, or is told below.
        }
        if (!ended(child, ASKED_SECONDS)) {
            child.destroy();
            if (!ended(child, TOLD_SECONDS)) {
                child.destroyForcibly();
                ended(child, MADE_SECONDS);
            }
        }
    }

    static boolean ended(Process child, long seconds) {
        try {
            return child.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            child.destroyForcibly();
            return false;
        }
    }
}

package io.heartwheel.outlet;

import io.heartwheel.output.ConsoleOutput;
import io.heartwheel.output.LineOutput;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;

/** Outlet to standard output, JSON Lines. One thread. */
public final class ConsoleOutlet implements Outlet {
    private final LineOutput output;
    private final JsonLines lines = new JsonLines();

    /** To the process's own. */
    public ConsoleOutlet() {
        this(new ConsoleOutput());
    }

    ConsoleOutlet(LineOutput output) {
        this.output = output;
    }

    @Override
    public void deliver(List<OutletEvent> events, int attempt) throws OutletException, InterruptedException {
        try {
            output.write(lines.of(events));
        } catch (ClosedByInterruptException e) {
            throw interrupted(e);
        } catch (IOException e) {
            throw OutletException.retry("standard output: " + e.getMessage(), OutletException.NOT_SAID, e);
        }
    }

    private static InterruptedException interrupted(IOException cause) {
        InterruptedException interrupt = new InterruptedException();
        interrupt.initCause(cause);
        return interrupt;
    }

    @Override
    public void close() {}
}

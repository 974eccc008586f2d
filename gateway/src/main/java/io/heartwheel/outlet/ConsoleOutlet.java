package io.heartwheel.outlet;

import io.heartwheel.output.ConsoleOutput;
import io.heartwheel.output.LineOutput;
import java.io.IOException;
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
    public void deliver(List<OutletEvent> events, int attempt) throws IOException {
        output.write(lines.of(events));
    }

    @Override
    public void close() {}
}

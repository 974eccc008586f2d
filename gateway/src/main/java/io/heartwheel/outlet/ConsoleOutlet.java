package io.heartwheel.outlet;

import io.heartwheel.output.ConsoleOutput;
import io.heartwheel.output.LineOutput;
import java.io.IOException;
import java.util.List;

/** Outlet to standard output, JSON Lines. One thread. */
final class ConsoleOutlet implements Outlet {
    private final LineOutput output = new ConsoleOutput();

    @Override
    public void deliver(List<OutletEvent> events, int attempt) throws IOException {
        output.write(OutletEvent.lines(events));
    }

    @Override
    public void close() {}
}

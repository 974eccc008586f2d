package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.Result;
import io.heartwheel.loadgen.report.HtmlReport;
import io.heartwheel.loadgen.report.LiveView;
import io.heartwheel.loadgen.report.Look;
import io.heartwheel.loadgen.report.MetricsServer;
import io.heartwheel.loadgen.report.ResultJson;
import io.heartwheel.loadgen.report.VerdictTable;
import io.heartwheel.loadgen.scenario.Addresses;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Where a run is shown: terminal, metrics, files. One thread. */
final class Outlets implements AutoCloseable {

    private final PrintWriter out;
    private final LoadOptions options;
    private final @Nullable Terminal terminal;
    private final LiveView view;
    private final @Nullable MetricsServer metrics;

    /** Opens them; a metrics address that cannot be had ends the run before it begins. */
    Outlets(PrintWriter out, LoadOptions options, @Nullable Terminal terminal) throws IOException {
        this.out = out;
        this.options = options;
        this.terminal = terminal;
        this.view = LiveView.on(out, terminal == null ? null : terminal::screen, System.getenv());
        String address = options.metrics;
        this.metrics = address == null ? null : new MetricsServer(MetricsServer.address(address));
        if (metrics != null) {
            out.printf("metrics at http://%s/metrics%n", Addresses.text(metrics.address()));
        }
    }

    void show(Look now) {
        view.show(now);
        MetricsServer server = metrics;
        if (server != null) {
            server.publish(now);
        }
    }

    /** The end: table, files. */
    void conclude(Result result, @Nullable String aside) throws IOException {
        view.close();
        if (aside != null) {
            Terminal.print(out, terminal, aside);
        }
        VerdictTable.of(result).forEach(line -> Terminal.print(out, terminal, line));
        out.flush();
        if (options.json != null) {
            ResultJson.write(options.json, result);
        }
        if (options.html != null) {
            HtmlReport.write(options.html, result);
        }
    }

    @Override
    public void close() {
        MetricsServer server = metrics;
        if (server != null) {
            server.close();
        }
    }
}

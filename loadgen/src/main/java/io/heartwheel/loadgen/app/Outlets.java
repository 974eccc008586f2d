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
    private final LiveView view;
    private final @Nullable MetricsServer metrics;

    /** Opens them; a metrics address that cannot be had ends the run before it begins. */
    Outlets(PrintWriter out, LoadOptions options) throws IOException {
        this.out = out;
        this.options = options;
        this.view = LiveView.on(out, Terminal.isThere(), System.getenv());
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
            out.println(aside);
        }
        VerdictTable.of(result).forEach(out::println);
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

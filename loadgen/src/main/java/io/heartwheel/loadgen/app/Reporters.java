package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.report.HtmlReport;
import io.heartwheel.loadgen.report.LiveView;
import io.heartwheel.loadgen.report.MetricsServer;
import io.heartwheel.loadgen.report.ResultJson;
import io.heartwheel.loadgen.report.Snapshot;
import io.heartwheel.loadgen.report.VerdictTable;
import io.heartwheel.loadgen.scenario.Addresses;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Outputs of a run: terminal, metrics, files. One thread. */
final class Reporters implements AutoCloseable {

    private final PrintWriter out;
    private final @Nullable Terminal terminal;
    private final LiveView view;
    private final @Nullable MetricsServer metrics;
    private final @Nullable OutputFile json;
    private final @Nullable OutputFile html;

    /**
     * Opens them.
     *
     * @throws IllegalArgumentException when one cannot be had: every option at fault on a line of its own
     */
    Reporters(PrintWriter out, LoadOptions options, @Nullable Terminal terminal) {
        this.out = out;
        this.terminal = terminal;
        this.view = new LiveView(out, terminal == null ? null : terminal::screen);
        List<String> mistakes = new ArrayList<>();
        this.json = opened("--json", options.json, mistakes);
        this.html = opened("--html", options.html, mistakes);
        if (json != null && html != null && json.target().equals(html.target())) {
            mistakes.add("--html = " + options.html + ": need another file than --json's");
        }
        this.metrics = served(options.metrics, mistakes);
        if (!mistakes.isEmpty()) {
            close();
            throw new IllegalArgumentException(String.join("\n", mistakes));
        }
        if (metrics != null) {
            out.printf("metrics at http://%s/metrics%n", Addresses.text(metrics.address()));
        }
    }

    private static @Nullable OutputFile opened(String option, @Nullable Path path, List<String> mistakes) {
        try {
            return path == null ? null : OutputFile.open(option, path);
        } catch (IllegalArgumentException e) {
            mistakes.add(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static @Nullable MetricsServer served(@Nullable String address, List<String> mistakes) {
        try {
            return address == null ? null : new MetricsServer(MetricsServer.address(address));
        } catch (IllegalArgumentException e) {
            mistakes.add(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            mistakes.add("--metrics = " + address + ": cannot be served: " + e.getMessage());
        }
        return null;
    }

    void show(Snapshot now) {
        view.show(now);
        if (metrics != null) {
            metrics.publish(now);
        }
    }

    /** The end: table, files. A file that cannot be written any more is complained of, and changes no verdict. */
    void conclude(Result result, List<String> aside) {
        view.close();
        aside.forEach(line -> Terminal.print(out, terminal, line));
        VerdictTable.of(result).forEach(line -> Terminal.print(out, terminal, line));
        out.flush();
        write(json, () -> ResultJson.text(result));
        write(html, () -> HtmlReport.text(result));
    }

    private static void write(@Nullable OutputFile file, Supplier<String> text) {
        if (file != null) {
            try {
                file.write(text.get());
            } catch (IOException | RuntimeException e) {
                System.err.println(file.complaint(e));
            }
        }
    }

    @Override
    public void close() {
        if (metrics != null) {
            metrics.close();
        }
        if (json != null) {
            json.close();
        }
        if (html != null) {
            html.close();
        }
    }
}

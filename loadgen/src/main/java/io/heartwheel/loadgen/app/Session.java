package io.heartwheel.loadgen.app;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.heartwheel.loadgen.fleet.Fleet;
import io.heartwheel.loadgen.fleet.Outcome;
import io.heartwheel.loadgen.fleet.Plan;
import io.heartwheel.loadgen.fleet.Progress;
import io.heartwheel.loadgen.measure.Meters;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One run from the ramp to the verdict, shown on the terminal. One thread. */
final class Session {

    private static final long LOOK_MILLIS = 100;
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(8);

    private Session() {}

    /** Something to ask while all devices are still connected. */
    @FunctionalInterface
    interface Aside {

        /** A line to print above the table, if any. */
        Optional<String> line() throws InterruptedException;
    }

    /** Runs the plan, prints the table, writes the JSON if asked for. */
    static Outcome run(Plan plan, PrintWriter out, @Nullable Path json, Aside aside)
            throws IOException, InterruptedException {
        ProgressLine line = new ProgressLine(out, System.console() != null);
        Outcome outcome;
        try (Fleet fleet = new Fleet(plan, System::nanoTime, Meters.ofThisProcess())) {
            fleet.begin();
            rampUp(fleet, plan, line);
            fleet.observe();
            while (fleet.observedNanos() < plan.durationNanos()) {
                long left = TimeUnit.NANOSECONDS.toMillis(plan.durationNanos() - fleet.observedNanos()) + 1;
                TimeUnit.MILLISECONDS.sleep(Math.min(line.periodMillis(), left));
                line.show(fleet.progress());
            }
            line.done();
            outcome = fleet.outcome();
            aside.line().ifPresent(out::println);
            fleet.dismiss(FAREWELL_NANOS);
        }
        VerdictTable.of(outcome).forEach(out::println);
        out.flush();
        if (json != null) {
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(json.toFile(), outcome);
        }
        return outcome;
    }

    /** Waits until every device was welcomed or refused, or the patience for that is over. */
    static Progress rampUp(Fleet fleet, Plan plan, ProgressLine line) throws InterruptedException {
        Progress progress = fleet.progress();
        long shownNanos = 0;
        while (!progress.rampIsOver() && fleet.elapsedNanos() < plan.rampPatienceNanos()) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            progress = fleet.progress();
            if (fleet.elapsedNanos() - shownNanos > TimeUnit.MILLISECONDS.toNanos(line.periodMillis())) {
                shownNanos = fleet.elapsedNanos();
                line.show(progress);
            }
        }
        line.show(progress);
        return progress;
    }
}

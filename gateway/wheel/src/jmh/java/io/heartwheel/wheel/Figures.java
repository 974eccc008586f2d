package io.heartwheel.wheel;

import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Figures that a benchmark measured itself because time on the wall is not what it is about: CPU time of another thread, bytes. {@code -prof
 * io.heartwheel.wheel.Figures} reports them beside the time as {@code figure}.
 */
public final class Figures implements InternalProfiler {

    private static double figure = Double.NaN;
    private static String unit = "";

    /** What this iteration found; the last one counts. */
    static synchronized void tell(double figure, String unit) {
        Figures.figure = figure;
        Figures.unit = unit;
    }

    @Override
    public String getDescription() {
        return "Figures that the benchmark measured itself";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        tell(Double.NaN, "");
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        synchronized (Figures.class) {
            return Double.isNaN(figure)
                    ? List.of()
                    : List.of(new ScalarResult("figure", figure, unit, AggregationPolicy.AVG));
        }
    }
}

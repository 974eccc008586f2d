package io.heartwheel.metrics;

import io.heartwheel.metrics.Readings.Family;
import io.heartwheel.outlet.OutletState;
import io.heartwheel.outlet.OutletStatus;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Readings of the outlets, of which there are 16 at most. Any thread. */
final class OutletMetrics {
    private static final double MILLIS_PER_SECOND = 1e3;

    private OutletMetrics() {}

    static void watch(Readings readings, Supplier<List<OutletStatus>> outlets, LongSupplier wallMillis) {
        readings.addSeries(
                        Metric.OUTLET_DELIVERED_EVENTS, family -> each(family, outlets.get(), OutletStatus::delivered))
                .addSeries(Metric.OUTLET_FAILURES, family -> each(family, outlets.get(), OutletStatus::failures))
                .addSeries(
                        Metric.OUTLET_OVERSIZED_EVENTS, family -> each(family, outlets.get(), OutletStatus::oversized))
                .addSeries(Metric.OUTLET_LAG_EVENTS, family -> each(family, outlets.get(), OutletStatus::lagEvents))
                .addSeries(
                        Metric.OUTLET_OLDEST_AGE_SECONDS,
                        family -> each(
                                family,
                                outlets.get(),
                                status -> status.oldestAgeMillis(wallMillis.getAsLong()) / MILLIS_PER_SECOND))
                .addSeries(Metric.OUTLET_STATE, family -> states(family, outlets.get()));
    }

    private static void each(Family family, List<OutletStatus> all, ToDoubleFunction<OutletStatus> value) {
        all.forEach(status -> family.add(value.applyAsDouble(status), status.name()));
    }

    private static void states(Family family, List<OutletStatus> all) {
        for (OutletStatus status : all) {
            for (OutletState state : OutletState.values()) {
                family.add(status.state() == state ? 1 : 0, status.name(), state.label());
            }
        }
    }
}

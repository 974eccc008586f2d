package io.heartwheel.metrics;

import io.heartwheel.push.IdempotencyKeys;
import io.heartwheel.push.Pushes;
import io.heartwheel.push.schedule.Schedules;

/** Readings of messages to devices. Any thread. */
final class MessageMetrics {
    private MessageMetrics() {}

    static void watch(Readings readings, Pushes pushes) {
        IdempotencyKeys keys = pushes.keys();
        readings.addSeries(
                        Metric.PUSH_RESULTS,
                        family -> pushes.outcomes((outcome, count) -> family.add(count, outcome.label())))
                .add(Metric.PUSH_WAITING, pushes::waiting)
                .add(Metric.PUSH_WAITING_BYTES, pushes::waitingBytes)
                .add(Metric.PUSH_WAITING_LIMIT_BYTES, pushes::limitBytes)
                .add(Metric.PUSH_RESENDS, pushes::resends)
                .add(Metric.PUSH_STRAY_ACKS, pushes::strayAcks)
                .add(Metric.PUSH_STORED, pushes::stored)
                .add(Metric.PUSH_STORED_BYTES, () -> pushes.storedBytes().get())
                .add(Metric.PUSH_STORED_LIMIT_BYTES, pushes::limitStoredBytes)
                .add(Metric.PUSH_DAMAGED, pushes::damaged)
                .add(Metric.PUSH_KEYS, keys::size)
                .add(Metric.PUSH_KEYS_BYTES, keys::bytes)
                .add(Metric.PUSH_REPEATS, keys::repeats);
    }

    static void watch(Readings readings, Schedules schedules) {
        readings.add(Metric.SCHEDULES, schedules::size)
                .addSeries(
                        Metric.SCHEDULE_RUNS,
                        family -> schedules.runs((result, count) -> family.add(count, result.label())));
    }
}

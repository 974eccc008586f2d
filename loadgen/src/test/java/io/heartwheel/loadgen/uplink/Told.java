package io.heartwheel.loadgen.uplink;

import io.heartwheel.loadgen.fleet.PushReport;
import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.fleet.UplinkEvent;
import io.heartwheel.loadgen.fleet.UplinkReport;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Usage;
import java.util.ArrayList;
import java.util.List;

/** A worker that keeps what it is told. */
final class Told implements Worker {
    final List<UplinkEvent> events = new ArrayList<>();
    final List<UplinkReport> reports = new ArrayList<>();
    final Ledger counts = new Ledger();

    @Override
    public void cameOut(UplinkReport report) {
        reports.add(report);
        events.addAll(report.events());
        report.counts()
                .forEach((label, many) -> counts.count(Count.labelled(label).orElseThrow(), many));
    }

    @Override
    public void begin() {}

    @Override
    public RunReading snapshot() {
        return new RunReading(0, counts.page(), Usage.NOTHING, List.of());
    }

    @Override
    public void observe() {}

    @Override
    public void act(int step) {}

    @Override
    public void pushed(PushReport report) {}

    @Override
    public WorkerResult finish() {
        return WorkerResult.NOTHING;
    }

    @Override
    public void dismiss() {}

    @Override
    public long present() {
        return 0;
    }

    @Override
    public void close() {}
}

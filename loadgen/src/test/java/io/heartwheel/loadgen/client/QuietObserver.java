package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.pace.Comeback;

/** Takes down nothing: for tests that care for a few things only. */
class QuietObserver implements DeviceObserver<Device> {

    @Override
    public void timed(Timing timing, long nanos) {}

    @Override
    public void opened(Device device, long sinceIntendedNanos) {}

    @Override
    public void refused(Device device, ConnectionEnd ending, int code, String detail) {}

    @Override
    public void lost(Device device) {}

    @Override
    public void retried(Device device) {}

    @Override
    public void retryFailed(Device device) {}

    @Override
    public void recovered(Device device, long afterNanos) {}

    @Override
    public void returned(Device device, Comeback.Window window, long calledNanos, long welcomedNanos) {}

    @Override
    public void goaway(Device device) {}

    @Override
    public void acted(Device device, long lagNanos) {}

    @Override
    public void beatSent(Device device, long lagNanos) {}

    @Override
    public void beatAnswered(Device device, long sinceIntendedNanos, long sinceSentNanos) {}

    @Override
    public void unanswered(Device device, int many, boolean proven, String detail) {}

    @Override
    public void probed(Device device) {}

    @Override
    public void message(Device device, MessageTracker.Fact fact) {}

    @Override
    public void messageChanged(Device device, String detail) {}

    @Override
    public void messageAnswered(Device device, long sinceIntendedNanos, long sinceSentNanos) {}

    @Override
    public void violated(Device device, String detail) {}

    @Override
    public void closeExpected(Device device, ExpectedOutcome expectedOutcome) {}

    @Override
    public void missed(Device device) {}

    @Override
    public void notJudged(Device device) {}

    @Override
    public void tookOver(Device device, Takeover old) {}

    @Override
    public void predecessorEnded(Device device, Takeover old, ConnectionEnd ending, int code) {}

    @Override
    public void ended(Device device, ConnectionEnd ending, int code, String detail) {}
}

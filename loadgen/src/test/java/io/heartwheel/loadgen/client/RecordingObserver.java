package io.heartwheel.loadgen.client;

import java.util.List;

/** Writes down in words what a device tells; times in milliseconds. */
final class RecordingObserver extends QuietObserver {

    private static final long MILLI = 1_000_000L;

    private final List<String> seen;

    RecordingObserver(List<String> seen) {
        this.seen = seen;
    }

    @Override
    public void opened(Device device, long sinceIntendedNanos) {
        seen.add("opened");
    }

    @Override
    public void refused(Device device, ConnectionEnd ending, int code, String detail) {
        seen.add("refused " + ending + " " + code);
    }

    @Override
    public void lost(Device device) {
        seen.add("lost");
    }

    @Override
    public void retried(Device device) {
        seen.add("retried");
    }

    @Override
    public void retryFailed(Device device) {
        seen.add("retry failed");
    }

    @Override
    public void recovered(Device device, long afterNanos) {
        seen.add("recovered " + afterNanos / MILLI);
    }

    @Override
    public void goaway(Device device) {
        seen.add("goaway");
    }

    @Override
    public void beatSent(Device device, long lagNanos) {
        seen.add("beat lag " + lagNanos / MILLI);
    }

    @Override
    public void beatAnswered(Device device, long sinceIntendedNanos, long sinceSentNanos) {
        seen.add("answered " + sinceIntendedNanos / MILLI + " uncorrected "
                + (sinceSentNanos < 0 ? "-" : sinceSentNanos / MILLI));
    }

    @Override
    public void unanswered(Device device, int many, boolean proven, String detail) {
        seen.add("unanswered " + many + (proven ? " proven: " : ": ") + detail);
    }

    @Override
    public void probed(Device device) {
        seen.add("probed");
    }

    @Override
    public void message(Device device, MessageTracker.Fact fact) {
        seen.add("message " + fact);
    }

    @Override
    public void messageChanged(Device device, String detail) {
        seen.add("changed " + detail);
    }

    @Override
    public void violated(Device device, String detail) {
        seen.add("violated " + detail);
    }

    @Override
    public void closeExpected(Device device, ExpectedOutcome expectedOutcome) {
        seen.add("close expected " + expectedOutcome);
    }

    @Override
    public void missed(Device device) {
        seen.add("missed");
    }

    @Override
    public void tookOver(Device device, Takeover old) {
        seen.add("took over");
    }

    @Override
    public void predecessorEnded(Device device, Takeover old, ConnectionEnd ending, int code) {
        seen.add("predecessor ended " + ending + " " + code);
    }

    @Override
    public void ended(Device device, ConnectionEnd ending, int code, String detail) {
        seen.add("ended " + ending + " " + code);
    }
}

package io.heartwheel.loadgen.client;

import java.util.List;

/** Writes down in words what a device tells. */
record Recorder(List<String> seen) implements DeviceObserver {

    private static final long MILLI = 1_000_000L;

    @Override
    public void secured(Device device, long handshakeNanos) {
        seen.add("secured " + handshakeNanos / MILLI);
    }

    @Override
    public void opened(Device device) {
        seen.add("opened");
    }

    @Override
    public void refused(Device device, Ending ending, int code, String detail) {
        seen.add("refused " + ending + " " + code);
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
    public void probed(Device device) {
        seen.add("probed");
    }

    @Override
    public void data(Device device, boolean acknowledged, boolean accepted) {
        seen.add("data");
    }

    @Override
    public void violated(Device device, String detail) {
        seen.add("violated " + detail);
    }

    @Override
    public void ended(Device device, Ending ending, int code, String detail) {
        seen.add("ended " + ending + " " + code);
    }

    @Override
    public void gone(Device device) {
        seen.add("gone");
    }
}

package io.heartwheel.loadgen.client;

/** The pacing loop, as a device sees it. */
@FunctionalInterface
public interface BeatSchedule {

    /** Calls {@link Device#beat} at this time, nanoseconds since the run began, and then as it answers. */
    void start(Device device, long dueNanos);
}

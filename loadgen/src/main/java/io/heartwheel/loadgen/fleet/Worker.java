package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.judge.WorkerResult;

/**
 * One part of a running scenario: event loops in this process, a process beside it, or an agent on another machine. All
 * are asked the same few questions, so that a million devices are coordinated like ten.
 *
 * <p>One thread, the coordinator's. Every call answers within seconds, however many devices there are, or throws
 * {@link IllegalStateException} naming the worker that did not.
 *
 * <pre>
 *   begin --&gt; look ... look --&gt; observe --&gt; look, act(0), look, act(1) ... --&gt; finish --&gt; dismiss, present ... --&gt; close
 * </pre>
 */
public interface Worker extends AutoCloseable {

    /** Begins the ramp. */
    void begin();

    /** How it stands. The timings in it are those since the last snapshot. */
    RunReading snapshot();

    /** The ramp is over, or was given up: from here on the timeline runs and timing counts. */
    void observe();

    /**
     * Does the timeline's step with this number, now. Steps that concern gateway processes only are nothing to a worker. With
     * the number behind the last one devices send no new messages, with the next nothing more of their own.
     */
    void act(int step);

    /** What came of pushes since the last report; the first one, still empty, comes before the first push. */
    void pushed(PushReport report);

    /** What came out of the gateway since the last report. */
    void cameOut(UplinkReport report);

    /** The final check: everything counted since the beginning. Devices stay where they are. */
    WorkerResult finish();

    /** Lets all devices say goodbye, paced. Returns at once. */
    void dismiss();

    /** Sockets that are still there. */
    long present();

    /** Ends it; what is left of the devices is dropped. */
    @Override
    void close();
}

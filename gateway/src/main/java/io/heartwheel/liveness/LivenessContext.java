package io.heartwheel.liveness;

import io.heartwheel.wheel.TimingWheel;

/** Surroundings that all connections of one event loop and one listener share, as far as their deadlines need them. */
public interface LivenessContext {
    /** The process's wheel. */
    TimingWheel wheel();

    /** The deadlines in force. */
    LivenessPolicy policy();

    /** Deadlines that are evaluated without effect. */
    ShadowPolicy shadowPolicy();

    /** Counts probes and their like. */
    LivenessObserver observer();

    /** When this loop stood still. */
    Stalls stalls();

    /** Counts suspects and says how long each is held. */
    Suspects suspects();

    /** Event loop and listener. */
    Location place();
}

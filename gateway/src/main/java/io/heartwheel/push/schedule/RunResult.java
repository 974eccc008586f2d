package io.heartwheel.push.schedule;

import io.heartwheel.push.PushResult;

/** Result of one run of a schedule. A closed list: a label of a metric. */
public enum RunResult {
    /** Handed to the device's connection. */
    SENT,
    /** Acknowledged as was asked for. */
    DELIVERED,
    /** On the disk, to be delivered. */
    QUEUED,
    /** A message to many was begun. */
    STARTED,
    /** The device was not connected, and the message was not to be stored. */
    OFFLINE,
    /** Nobody acknowledged it in time. */
    EXPIRED,
    /** A limit, or a device that does not read or cannot acknowledge. */
    REFUSED,
    /** The message could not be read, or there is nowhere to store it. */
    FAILED,
    /** Passed over, as the schedule's {@link ScheduleSpec.Missed} says. */
    SKIPPED;

    /** As in answers and metrics. */
    public String label() {
        return ScheduleSpec.label(this);
    }

    /**
     * That of a message to one device.
     *
     * @param stored whether it was to be stored: one that is there under its id already was put there before a crash
     */
    static RunResult of(PushResult.Outcome outcome, boolean stored) {
        return switch (outcome) {
            case SENT -> SENT;
            case RECEIVED, ACKNOWLEDGED, REPLIED -> DELIVERED;
            case QUEUED -> QUEUED;
            case OFFLINE -> OFFLINE;
            case EXPIRED, UNKNOWN -> EXPIRED;
            case NO_STORE, NOT_STORED -> FAILED;
            case ID_IN_USE -> stored ? QUEUED : REFUSED;
            case CANCELLED, CANNOT_ACKNOWLEDGE, KEY_REUSED, FULL, BUSY -> REFUSED;
        };
    }
}

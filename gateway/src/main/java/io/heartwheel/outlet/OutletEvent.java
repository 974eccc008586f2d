package io.heartwheel.outlet;

import io.heartwheel.event.EventKind;

/**
 * Event on its way to a receiver.
 *
 * @param id unique everywhere, and the same however often it is delivered
 * @param number its place in the journal, 1 or more
 * @param atEpochMillis when it happened
 * @param device whom it is about; empty: nobody alone
 * @param json the object of {@code gateway/docs/events.md}, UTF-8; nobody changes it
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record OutletEvent(String id, long number, EventKind kind, long atEpochMillis, String device, byte[] json) {}

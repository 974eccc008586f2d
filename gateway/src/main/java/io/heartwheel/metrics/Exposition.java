package io.heartwheel.metrics;

/**
 * The page of metrics at one moment. The bytes belong to whoever asked for it.
 *
 * @param contentType for the header of that name
 * @param body UTF-8
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record Exposition(String contentType, byte[] body) {}

package io.heartwheel.sink;

import java.nio.file.Path;

/**
 * Settings of the sink: where facts go and how many may wait. Immutable; any thread.
 *
 * @param kind where
 * @param file used by {@link SinkKind#FILE}
 * @param queue most events that wait to be written
 * @param instance name of this process among several, told in each event; empty: the only one
 * @param journal used by {@link SinkKind#JOURNAL}
 */
public record SinkSettings(SinkKind kind, Path file, int queue, String instance, JournalSettings journal) {}

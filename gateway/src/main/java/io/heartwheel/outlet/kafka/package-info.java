/**
 * Outlet to Apache Kafka. The only package that sees Kafka's client; nothing of it is loaded unless an outlet of this kind is made.
 *
 * <p>Floor 4, part of {@code outlet}.
 *
 * <pre>
 *   events of a chunk --CloudEvent--&gt; records --idempotent producer, one request at a time a broker--&gt; topic, partition by device id
 *         |                                              |
 *         |                                              +-- first failure: the producer sends nothing more and is closed
 *         +-- again from the first event, by a new producer, when the runner says so
 * </pre>
 */
@NullMarked
package io.heartwheel.outlet.kafka;

import org.jspecify.annotations.NullMarked;

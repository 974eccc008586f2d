/**
 * Outlet to a stream of NATS JetStream. Nothing of NATS's client is loaded unless an outlet of this kind is made.
 *
 * <p>Floor 4, part of {@code outlet}.
 *
 * <pre>
 *   events of a chunk --CloudEvent--&gt; messages, each with Nats-Msg-Id --many on their way, of a device one--&gt; subject --&gt; stream
 *         |                                                     |
 *         |                                                     +-- first failure: the connection is closed
 *         +-- those without an acknowledgement again, by a new connection, when the runner says so
 * </pre>
 */
@NullMarked
package io.heartwheel.outlet.nats;

import org.jspecify.annotations.NullMarked;

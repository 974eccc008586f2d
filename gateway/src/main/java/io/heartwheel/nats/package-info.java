/**
 * The way to NATS: which servers, as whom, and whether it is encrypted. With the packages that build on it the only one that sees the client of NATS; nothing of
 * that is loaded without a cluster or an outlet of this kind.
 *
 * <p>Floor 1: NATS's client and {@code net}.
 *
 * <pre>
 *   NatsServers --open, reads files--&gt; NatsClient --connect--&gt; a connection of the client: cluster.nats, outlet.nats
 *                                          |
 *                                          +-- NatsKey (who we are)   NatsTlsPort (who they are)   NatsLog
 * </pre>
 */
@NullMarked
package io.heartwheel.nats;

import org.jspecify.annotations.NullMarked;

/**
 * The load generator before servers that are not ours, and before ours: what {@code peers.md} publishes.
 *
 * <pre>
 *   PeersIT --&gt; Peer, started by Peers (mosquitto, Node, HAProxy, Netty, the gateway) &lt;--sockets-- Trial (the jar)
 *          |
 *          +--&gt; target/peers.md: the table
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.peers;

import org.jspecify.annotations.NullMarked;

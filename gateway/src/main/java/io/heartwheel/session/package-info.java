/**
 * Sessions of devices: identity, states, the registry, and the one way to a close with its evidence.
 *
 * <p>Floor 2, over {@code liveness}, {@code wheel} and {@code event}; the JDK beside them. Time is handed in. What a session needs from below the wire
 * (ping, close with a reason, is it writable) it asks of methods that the protocols above implement.
 *
 * <pre>
 *   HELLO --&gt; AuthPolicy --&gt; Directory: id granted --&gt; ESTABLISHED --&gt; sink: Connected
 *                                                            |
 *   deadline, peer, operator, takeover ----&gt; Session.close --+--&gt; EvidenceCollector --&gt; observers, sink: Disconnected
 * </pre>
 */
@NullMarked
package io.heartwheel.session;

import org.jspecify.annotations.NullMarked;

/**
 * The length-prefixed binary protocol, as the wire document has it.
 *
 * <p>Floor 3, under the port of {@code protocol}; no other protocol is seen from here.
 *
 * <pre>
 *   bytes --&gt; [ frame decoder ] --&gt; heartbeat, data, farewell --&gt; session
 *   bytes &lt;-- [ frame encoder ] &lt;-- probe, answer, close(reason)
 * </pre>
 */
@NullMarked
package io.heartwheel.protocol.frame;

import org.jspecify.annotations.NullMarked;

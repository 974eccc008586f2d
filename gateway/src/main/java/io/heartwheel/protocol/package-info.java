/**
 * The protocol port: a protocol is recognised, installed, probed and closed through it.
 *
 * <p>Floor 3, over {@code session}; Netty from here upwards. Each protocol stands in a sub-package of its own and sees
 * none of the others.
 *
 * <pre>
 *   first bytes --&gt; sniff --+-- no --------&gt; next protocol
 *                           +-- need more -&gt; wait, under the handshake deadline
 *                           +-- yes -------&gt; install --&gt; probe ... farewell
 * </pre>
 */
@NullMarked
package io.heartwheel.protocol;

import org.jspecify.annotations.NullMarked;

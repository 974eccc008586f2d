/**
 * The PROXY protocol, versions 1 and 2: a header that a balancer writes in front of a connection to tell the address of its client.
 *
 * <p>Floor 3, under the port of {@code protocol}; no other protocol is seen from here.
 *
 * <pre>
 *   accept --&gt; [ ProxyConnection ] -- header of a trusted balancer --&gt; Origin told --&gt; [TLS] --&gt; protocol
 *                      |
 *                      +-- anything else, or nothing in time --&gt; closed, counted
 * </pre>
 */
@NullMarked
package io.heartwheel.protocol.proxy;

import org.jspecify.annotations.NullMarked;

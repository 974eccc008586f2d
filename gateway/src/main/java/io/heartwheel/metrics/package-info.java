/**
 * Catalogue of all metrics. It implements the observer ports of the lower floors, so that they count without knowing
 * what counts them.
 *
 * <p>Floor 5; the only package that sees the Prometheus client.
 *
 * <pre>
 *   wheel, session, protocol, transport, sink
 *         |  observer ports
 *         v
 *   [ catalogue ] --&gt; exposition text --&gt; admin
 * </pre>
 */
@NullMarked
package io.heartwheel.metrics;

import org.jspecify.annotations.NullMarked;

/**
 * Facts about connections: the events, the closed list of close reasons, and the port
 * through which facts leave.
 *
 * <p>Floor 0: the JDK alone, and no sight of its neighbour the wheel.
 *
 * <pre>
 *   session, protocol, transport
 *         |  a fact
 *         v
 *   +-----------+       +----------+
 *   | event     | ----&gt; | sink     | ----&gt; backend: log, webhook, ...
 *   | + reason  |       | (a port) |
 *   +-----------+       +----------+
 * </pre>
 */
@NullMarked
package io.heartwheel.event;

import org.jspecify.annotations.NullMarked;

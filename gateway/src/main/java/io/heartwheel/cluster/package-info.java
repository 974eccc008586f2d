/**
 * Many gateways as one fleet: who holds which device id, and how gateways reach each other.
 *
 * <p>Floor 3. This package has the ports and what stands on them, with the JDK alone; {@code cluster.nats} is the engine, {@code cluster.directory} the
 * directory of sessions over it. Nothing of it exists while {@code cluster.enabled} is false.
 *
 * <pre>
 *   Session --claim--&gt; ClusterDirectory --1.--&gt; SessionRegistry (this process)
 *                          |     |
 *                          |     +--2.--&gt; DeviceRegistry --&gt; RowStore    one row a device, compare-and-set
 *                          +--------3.--&gt; NodeBus: kick to the node that held it
 * </pre>
 */
@NullMarked
package io.heartwheel.cluster;

import org.jspecify.annotations.NullMarked;

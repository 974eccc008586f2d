/**
 * Engine of a cluster on NATS JetStream. Nothing of NATS's client is loaded without {@code cluster.enabled}.
 *
 * <p>Floor 3, part of {@code cluster}.
 *
 * <pre>
 *   rows      bucket KV_heartwheel-NAME, one subject a device: DIRECT.GET, publish with the expected sequence;
 *             or those of devices in KV_heartwheel-NAME-devices-1 to -n
 *   bus       heartwheel.NAME.node.NODE.INCARNATION   one subject a node incarnation: nobody there is known at once
 *   members   heartwheel.NAME.nodes                   asked, and answered by each
 * </pre>
 */
@NullMarked
package io.heartwheel.cluster.nats;

import org.jspecify.annotations.NullMarked;

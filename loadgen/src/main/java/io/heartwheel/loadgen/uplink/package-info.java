/**
 * Receives what the gateway's outlets deliver, and tells the workers what came out.
 *
 * <p>Over {@code fleet}, beside {@code workers}, {@code report} and {@code downlink}. Runs where the run is coordinated, not
 * where the devices are.
 *
 * <pre>
 *   device --DATA--&gt; gateway --outlet--&gt; WebhookReceiver --&gt; EventReader --&gt; EventIntake
 *     ^                 |                  | by plan: 500, late, never, down       |
 *     +------ACK--------+                                                          | UplinkReport, about four a second
 *     |                                                                            v
 *     +-- sent, accepted -------------------------------------------------&gt; UplinkTracker
 * </pre>
 *
 * <p>{@code KafkaReceiver} stands in the place of {@code WebhookReceiver} and reads a topic that the outlet writes to.
 */
@NullMarked
package io.heartwheel.loadgen.uplink;

import org.jspecify.annotations.NullMarked;

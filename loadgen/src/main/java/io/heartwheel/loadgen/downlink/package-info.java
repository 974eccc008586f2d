/**
 * Pushes messages to devices through the server under test, at their time, and tells the players what came of it.
 *
 * <p>Over {@code fleet}, beside {@code swarm} and {@code report}. Runs where the run is conducted, not where the devices are.
 *
 * <pre>
 *   Pusher --Push, at its time--&gt; PushCalls: HttpCalls, MqttCalls, ExecCalls --&gt; server --&gt; device
 *      |                             |                                                       |
 *      +&lt;-------- PushAnswer --------+                                                   PushTracker
 *      |                                                                                     |
 *      +----------------------- PushReport, about four a second ----------------------------&gt;+
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.downlink;

import org.jspecify.annotations.NullMarked;

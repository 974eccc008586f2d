/**
 * One simulated device: a connection, the dialect it speaks, and whether it beats or falls silent.
 *
 * <p>Over {@code pace}, {@code wire} and {@code measure}; Netty from here upwards. A device is one handler object on one
 * channel and has no timer: the pacing loop of its event loop calls it when a beat is due.
 *
 * <pre>
 *   pacing loop --beat(due)--&gt; Device --&gt; Dialect --bytes--&gt; gateway
 *                                ^           |
 *   DeviceObserver &lt;--facts------+-----------+&lt;----bytes---- gateway
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.client;

import org.jspecify.annotations.NullMarked;

/**
 * Histograms, counts and verdicts on what was seen. Latency runs from the instant a thing was meant to be sent.
 *
 * <p>Ground floor: the JDK and HdrHistogram; no Netty.
 *
 * <pre>
 *   intended ---- sent ------------- answered
 *      |&lt;------------ latency ----------&gt;|
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.measure;

import org.jspecify.annotations.NullMarked;

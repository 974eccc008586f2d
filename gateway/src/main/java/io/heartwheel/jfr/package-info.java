/**
 * Events of the gateway for the JDK's Flight Recorder, so that a recording shows our expiries, stalls and mass expiries beside the collections, the
 * threads and the machine.
 *
 * <p>Floor 5, beside metrics; the only package that sees {@code jdk.jfr}.
 *
 * <pre>
 *   wheel, session --observer ports--&gt; [ Flight ] --&gt; events io.heartwheel.* --&gt; a recording, if there is one
 *   transport.Admission --asked once a second--^
 * </pre>
 *
 * Without a recording each fact costs one look at a switch, which the JIT folds away, and no event is made.
 */
@NullMarked
package io.heartwheel.jfr;

import org.jspecify.annotations.NullMarked;

/**
 * The judge: from what devices saw to the verdict. It sees counts, times and contracts, but no device, no event loop and
 * no socket.
 *
 * <p>Over {@code scenario}; {@code fleet} asks it about each close, {@code app} about the whole run.
 *
 * <pre>
 *   Close ----------&gt; Oracle ---------------------&gt; Judgement      (while the run is under way, in each worker)
 *   WorkerResult ---&gt; Conclusion: Findings, Recoveries --&gt; Result   (at the end, once)
 *                                     +--&gt; RunVerdict --&gt; exit status
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.judge;

import org.jspecify.annotations.NullMarked;

/**
 * The judge of device clients: plays the gateway with planted faults against any client program, and says for each rule of
 * the wire document whether the client keeps it.
 *
 * <p>Floor 4, over {@code wire}, {@code measure} and the verdict of {@code judge}; {@code app} alone calls it.
 * A case is a script that reads from top to bottom, on a thread of its own. Time, ports and processes are behind {@link
 * io.heartwheel.loadgen.conform.World}, so that a test plays all of it in virtual time.
 *
 * <pre>
 *   Conformance --runs--&gt; Rule: Case, Case ...            one client process for each case
 *                            |
 *                            v
 *                          Trial --&gt; World --stdin--&gt; client --TCP or WebSocket--&gt; a Peer for each connection
 *                            ^         |  stdout, stderr, exit                        |
 *                            |         v                                              v
 *                            +------ Facts: what was seen, and when &lt;-----------------+
 *                            |
 *                            +--&gt; ConformReport: PASS, FAIL, INCONCLUSIVE, and what was seen
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.conform;

import org.jspecify.annotations.NullMarked;

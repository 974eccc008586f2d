/**
 * The gateway's inside in worlds made of chance, under virtual time, and an oracle that judges every close. Nothing here waits for a clock.
 *
 * <pre>
 *   seed --&gt; Circumstances          Device: beats, drips, falls silent, comes back
 *               |                       |  packets            ^  PING, GOAWAY, CLOSE
 *               v                       v                     |
 *   RandomStalls --stalls--&gt; EventLoop --- Wire (a Session with a socket buffer)
 *      |                   ^            |
 *      +--stalls--&gt; wheel -+            |  what truly happened
 *      |                                v
 *      +------- true stalls -------&gt; Oracle, a TrueHistory for each connection --&gt; Violation: seed, connection, trace
 * </pre>
 *
 * <p>The oracle shares no code with what it judges: it counts from the world's own zero, knows the operator's wishes as plain numbers, and works out
 * from true events alone when a connection may end and when it must have ended.
 */
@NullMarked
package io.heartwheel.simulation;

import org.jspecify.annotations.NullMarked;

/**
 * Floor 1: who may come in. A device is asked for once, at its HELLO or upgrade, and again when it renews; the answer comes later, on any thread, and
 * nothing here blocks an event loop.
 *
 * <pre>
 *   session --AuthRequest--&gt; [ AuthChain ] --&gt; [ certificate ] --&gt; [ jwt ] --&gt; [ tokens ] --&gt; [ http ]
 *      ^                          |                   not mine: the next one is asked
 *      +-------- AuthResult ------+
 *          admitted with a grant, refused, or not available now
 * </pre>
 */
@NullMarked
package io.heartwheel.auth;

import org.jspecify.annotations.NullMarked;

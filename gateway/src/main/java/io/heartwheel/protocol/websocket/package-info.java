/**
 * WebSocket (RFC 6455) as a carrier of heartbeats: handshake, ping and pong, one orderly close.
 *
 * <p>Floor 3, under the port of {@code protocol}; of the other protocols only {@code frame} is seen, whose frames travel in its messages.
 *
 * <pre>
 *   GET /... Upgrade --&gt; [ handshake, checked ] --&gt; 101
 *                               |
 *                               v
 *   ping, pong, text, binary --&gt; [ frames, checked ] --&gt; session
 *   close(code) &lt;-----------------------+----------- close(reason)
 * </pre>
 */
@NullMarked
package io.heartwheel.protocol.websocket;

import org.jspecify.annotations.NullMarked;

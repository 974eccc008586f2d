/**
 * The Heartwheel wire, read a second time: frames, their payloads, and the client side of a WebSocket.
 *
 * <p>Written from {@code gateway/docs/protocol.md} alone and sharing nothing with the gateway, so that a sentence the two
 * of them read differently is found by running one against the other. Ground floor: knows buffers, no channel, no clock.
 *
 * <pre>
 *   bytes in  --&gt; FrameCursor  --(type, flags, where the payload lies)--&gt; FrameCodec.decode --&gt; Frame
 *   bytes in  --&gt; WsCursor     --(opcode, where the payload lies)-------&gt; FrameCursor, when it speaks heartwheel.v1
 *   bytes out &lt;-- FrameCodec.encode, Frames                                (behind WsWriter's header and mask)
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.wire;

import org.jspecify.annotations.NullMarked;

/**
 * The Heartwheel wire, read a second time: frames, their payloads, and the client side of a WebSocket; and the client side
 * of MQTT.
 *
 * <p>Heartwheel's part is written from {@code gateway/docs/protocol.md} alone and sharing nothing with the gateway, so that a sentence the two
 * of them read differently is found by running one against the other. Ground floor: knows buffers, no channel, no clock.
 *
 * <pre>
 *   bytes in  --&gt; FrameCursor  --(type, flags, where the payload lies)--&gt; FrameCodec.decode --&gt; Frame
 *   bytes in  --&gt; WsCursor     --(opcode, where the payload lies)-------&gt; FrameCursor, when it speaks heartwheel.v1
 *   bytes in  --&gt; MqttCursor   --(packet type, its fields one after the other)
 *   bytes out &lt;-- MqttWriter
 *   bytes out &lt;-- FrameCodec.hello, Frames                                 (behind WsWriter's header and mask)
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.wire;

import org.jspecify.annotations.NullMarked;

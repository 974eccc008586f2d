package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBufUtil;

/**
 * Bytes for a server that speaks something else: what to say first, what a heartbeat is, how long its answer is.
 *
 * @param hello sent once connected, may be empty
 * @param helloReply bytes of answer to wait for before the connection counts as open
 * @param ping a heartbeat
 * @param pingReply bytes of answer to each heartbeat; 0: none is expected
 */
public record RawScript(byte[] hello, int helloReply, byte[] ping, int pingReply) {

    /** A script from hexadecimal digits. */
    public static RawScript hex(String hello, int helloReply, String ping, int pingReply) {
        return new RawScript(ByteBufUtil.decodeHexDump(hello), helloReply, ByteBufUtil.decodeHexDump(ping), pingReply);
    }
}

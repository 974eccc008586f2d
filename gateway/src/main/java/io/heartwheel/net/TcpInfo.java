package io.heartwheel.net;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * {@code struct tcp_info} of linux/tcp.h: what the kernel knows of a connection. Read as it lies in memory, because Netty's own views of it end before the
 * bytes acknowledged. Any thread.
 */
public final class TcpInfo {
    // ---- where its fields lie; the kernel only ever adds behind them
    private static final int RETRANSMITS = 2; // u8
    private static final int UNACKED = 24; // u32 from here on
    private static final int LAST_DATA_RECV = 52;
    private static final int LAST_ACK_RECV = 56;
    private static final int RTT = 68;
    private static final int RTTVAR = 72;
    private static final int TOTAL_RETRANS = 100;
    private static final int BYTES_ACKED = 120; // u64; since Linux 4.1
    private static final int NOTSENT_BYTES = 144; // u32; since Linux 4.6

    /** Bytes to ask for: up to the last field that is read. */
    public static final int LENGTH = NOTSENT_BYTES + Integer.BYTES;

    private final ByteBuffer bytes;

    /** @param bytes as the kernel filled them, {@link #LENGTH} from its first; kept */
    public TcpInfo(ByteBuffer bytes) {
        this.bytes = bytes.order(ByteOrder.nativeOrder());
    }

    /** Smoothed round trip time, microseconds. */
    public long rttMicros() {
        return unsigned(RTT);
    }

    /** Variation of the round trip time, microseconds. */
    public long rttVarianceMicros() {
        return unsigned(RTTVAR);
    }

    /** Retransmissions in a row of the segment that waits for its acknowledgement. */
    public int retransmits() {
        return bytes.get(RETRANSMITS) & 0xFF;
    }

    /** Segments sent again since the connection was made. */
    public long totalRetransmits() {
        return unsigned(TOTAL_RETRANS);
    }

    /** Segments sent and not acknowledged. */
    public long unackedSegments() {
        return unsigned(UNACKED);
    }

    /** Bytes written and not yet sent. */
    public long unsentBytes() {
        return unsigned(NOTSENT_BYTES);
    }

    /** Milliseconds since a byte of the peer arrived. */
    public long lastDataMillisAgo() {
        return unsigned(LAST_DATA_RECV);
    }

    /** Milliseconds since the peer acknowledged anything. */
    public long lastAckMillisAgo() {
        return unsigned(LAST_ACK_RECV);
    }

    /** Bytes that the peer's kernel has acknowledged since the connection was made. A kernel older than 4.1 says 0 for ever. */
    public long acknowledgedBytes() {
        return bytes.getLong(BYTES_ACKED);
    }

    private long unsigned(int at) {
        return Integer.toUnsignedLong(bytes.getInt(at));
    }
}

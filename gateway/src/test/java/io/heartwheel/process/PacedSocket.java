package io.heartwheel.process;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/** A socket of a device with a slow uplink, under TLS: it sends at a pace of its own, and may fall silent for good. */
final class PacedSocket extends Socket {
    private static final int LUMPS_A_SECOND = 20;

    private volatile int bytesASecond;
    private volatile int mostBytes = Integer.MAX_VALUE;

    /** Connected, and as fast as any. */
    PacedSocket(InetSocketAddress to) throws IOException {
        super(to.getAddress(), to.getPort());
        setTcpNoDelay(true);
    }

    /** From now on. */
    void pace(int bytesASecond) {
        this.bytesASecond = bytesASecond;
    }

    /** So much more goes out, and then nothing ever, as if the link were cut. */
    void cutAfter(int bytes) {
        mostBytes = bytes;
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        OutputStream out = super.getOutputStream();
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                int end = from + Math.min(length, mostBytes);
                int left = mostBytes - (end - from);
                mostBytes = mostBytes == Integer.MAX_VALUE ? Integer.MAX_VALUE : left;
                for (int at = from; at < end; ) {
                    int next = bytesASecond == 0 ? end : Math.min(end, at + bytesASecond / LUMPS_A_SECOND);
                    out.write(bytes, at, next - at);
                    at = next;
                    rest(bytesASecond == 0 ? 0 : 1_000 / LUMPS_A_SECOND);
                }
            }
        };
    }

    private static void rest(long millis) throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }
}

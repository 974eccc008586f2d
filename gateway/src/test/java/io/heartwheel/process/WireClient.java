package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;

/**
 * A device on a blocking socket, written from the wire document. It sends what it is told to and nothing by itself; what it reads it reads in
 * order. Every wait is bounded; a reset instead of an orderly end fails the test.
 */
final class WireClient implements AutoCloseable {
    private static final int READ_MILLIS = (int) Await.LONG.toMillis();

    private final Socket socket;
    private final DataInputStream in;

    WireClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_MILLIS);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    static WireClient connect(InetSocketAddress gateway) throws IOException {
        return new WireClient(open(gateway, null, 0));
    }

    /** From this address of the loopback network. */
    static WireClient from(String address, InetSocketAddress gateway) throws IOException {
        return new WireClient(open(gateway, address));
    }

    /** A device that said HELLO and was taken. */
    static WireClient hello(InetSocketAddress gateway, String device) throws IOException {
        WireClient client = connect(gateway);
        client.sayHello(device);
        return client;
    }

    /** A device with a kernel buffer this small, that it does not read from unless told to. */
    static WireClient narrow(InetSocketAddress gateway, int receiveBytes) throws IOException {
        return new WireClient(open(gateway, null, receiveBytes));
    }

    /** A socket from this address of the loopback network. */
    static Socket open(InetSocketAddress gateway, String from) throws IOException {
        return open(gateway, from, 0);
    }

    private static Socket open(InetSocketAddress gateway, String from, int receiveBytes) throws IOException {
        Socket socket = new Socket();
        try {
            if (receiveBytes > 0) {
                socket.setReceiveBufferSize(receiveBytes);
            }
            if (from != null) {
                socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
            }
            socket.connect(gateway, READ_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    // ------------------------------------------------------------------ saying

    WireClient send(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    WireClient send(int type, byte... payload) throws IOException {
        return send(WireFrame.encode(type, 0, payload));
    }

    WireClient ping(byte... payload) throws IOException {
        return send(WireFrame.PING, payload);
    }

    WireClient data(long id, int flags, String text) throws IOException {
        return send(WireFrame.data(id, flags, text));
    }

    /**
     * Says HELLO.
     *
     * @return the WELCOME
     */
    WireFrame sayHello(String device) throws IOException {
        return send(WireFrame.hello(device)).expect(WireFrame.WELCOME);
    }

    /**
     * Says HELLO.
     *
     * @return the WELCOME
     */
    WireFrame sayHello(String device, long wantedMillis, long lastEpoch) throws IOException {
        return send(WireFrame.hello(device, wantedMillis, lastEpoch, "", "")).expect(WireFrame.WELCOME);
    }

    /** Ends its own side of the stream. */
    void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** Ends with a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    // ------------------------------------------------------------------ hearing

    /** The next frame; null at the end of the stream. */
    WireFrame read() throws IOException {
        int type = in.read();
        if (type < 0) {
            return null;
        }
        int flags = in.readUnsignedByte();
        int length = in.readUnsignedShort();
        if ((flags & 0x80) != 0) {
            assertEquals(0, length, "the short length of an extended frame");
            length = in.readInt();
        }
        byte[] payload = new byte[length];
        in.readFully(payload);
        return new WireFrame(type, flags & 0x7F, payload);
    }

    /** The next frame, which is of this type. */
    WireFrame expect(int type) throws IOException {
        WireFrame frame = read();
        assertNotNull(frame, () -> "the stream ended, type " + type + " was expected");
        assertEquals(type, frame.type(), frame::toString);
        return frame;
    }

    /** The next frame that is of this type; those before it are passed over. */
    WireFrame next(int type) throws IOException {
        WireFrame frame = read();
        while (frame != null && frame.type() != type) {
            frame = read();
        }
        if (frame == null) {
            throw new EOFException("the stream ended, type " + type + " was expected");
        }
        return frame;
    }

    /**
     * The next frame is a CLOSE with this code, and the stream ends orderly behind it.
     *
     * @return its words
     */
    String expectClose(int code) throws IOException {
        WireFrame frame = expect(WireFrame.CLOSE);
        assertEquals(code, frame.code(), frame::toString);
        expectEnd();
        return frame.words();
    }

    /**
     * Sooner or later a CLOSE with this code comes, and then the end.
     *
     * @return its words
     */
    String nextClose(int code) throws IOException {
        WireFrame frame = next(WireFrame.CLOSE);
        assertEquals(code, frame.code(), frame::toString);
        expectEnd();
        return frame.words();
    }

    /** The stream ends, without a reset. */
    void expectEnd() throws IOException {
        assertNull(read(), "after the end");
    }

    /** A PING with these bytes is answered: all before it was handled. */
    void roundTrip(int mark) throws IOException {
        byte[] payload = {(byte) (mark >>> 8), (byte) mark};
        ping(payload);
        WireFrame pong = next(WireFrame.PONG);
        while (!Arrays.equals(payload, pong.payload())) {
            pong = next(WireFrame.PONG);
        }
    }

    /** Bytes that can be read without waiting. */
    int available() throws IOException {
        return in.available();
    }

    Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

package io.heartwheel.protocol;

import io.heartwheel.net.IpAddress;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Address of a connection's client: the other end of its socket, or what a trusted balancer told. In the second case the socket's end is the balancer,
 * {@link #via}.
 *
 * <p>What was told hangs on the channel, so that a connection without a balancer carries nothing. Told on the channel's loop before the session is
 * published; read by any thread.
 */
public final class ClientAddress {
    private static final AttributeKey<ClientAddress> TOLD = AttributeKey.valueOf(ClientAddress.class, "told");

    private final byte[] address;
    private final int port;

    private ClientAddress(byte[] address, int port) {
        this.address = address;
        this.port = port;
    }

    /**
     * A trusted balancer told where this one comes from; what was told before is forgotten.
     *
     * @param port 0 if it did not say
     */
    public static void tell(Channel channel, byte[] address, int port) {
        channel.attr(TOLD).set(new ClientAddress(IpAddress.plain(address), port));
    }

    /** The IP address it comes from, 4 or 16 bytes, not to be changed; of no length if it is not known. */
    public static byte[] address(Channel channel) {
        ClientAddress told = told(channel);
        return told == null ? IpAddress.of(channel.remoteAddress()) : told.address;
    }

    /** Address and port for people; the address alone if a balancer told no port. */
    public static String text(Channel channel) {
        ClientAddress told = told(channel);
        return told == null ? socket(channel) : IpAddress.text(told.address, told.port);
    }

    /** Address and port of the balancer it came through; empty if none told where it comes from. */
    public static String via(Channel channel) {
        return told(channel) == null ? "" : socket(channel);
    }

    /** Whether a balancer told its own address: it speaks for itself, as in a health check of PROXY version 1. */
    public static boolean isBalancer(Channel channel) {
        ClientAddress told = told(channel);
        return told != null && Arrays.equals(told.address, IpAddress.of(channel.remoteAddress()));
    }

    private static String socket(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress inet
                ? IpAddress.text(inet)
                : IpAddress.text(IpAddress.NOWHERE);
    }

    private static @Nullable ClientAddress told(Channel channel) {
        return channel.hasAttr(TOLD) ? channel.attr(TOLD).get() : null;
    }
}

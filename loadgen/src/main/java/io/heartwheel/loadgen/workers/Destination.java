package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.scenario.Addresses;
import java.net.InetSocketAddress;

/**
 * An address and port that devices connect to.
 *
 * @param name for people
 * @param loopback whether it is IPv4 loopback, so that any address of 127.0.0.0/8 may be a source
 * @param share of the devices that go there, 0..1
 */
public record Destination(String name, boolean loopback, double share) {

    /** Of a resolved address. */
    public static Destination of(InetSocketAddress address, double share) {
        return new Destination(
                Addresses.text(address),
                address.getAddress() instanceof java.net.Inet4Address four && four.isLoopbackAddress(),
                share);
    }
}

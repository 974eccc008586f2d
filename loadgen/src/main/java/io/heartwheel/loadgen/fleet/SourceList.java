package io.heartwheel.loadgen.fleet;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Addresses that the devices of one worker come from, each taking an equal run of them. Whoever goes to another address
 * takes the next one, or the kernel's choice when there is but one.
 */
public final class SourceList {

    private final List<InetSocketAddress> addresses;
    private final Slice slice;

    /**
     * Sources for a worker.
     *
     * @param literals IPv4 addresses; empty: the kernel chooses
     * @param slice the worker's devices
     * @throws IllegalArgumentException when one is no address
     */
    public SourceList(List<String> literals, Slice slice) {
        this.addresses = literals.stream().map(SourceList::address).toList();
        this.slice = slice;
    }

    private static InetSocketAddress address(String literal) {
        if (!literal.matches("[0-9.]+|[0-9a-fA-F:]+")) {
            throw new IllegalArgumentException("source = " + literal + ": need an IP address");
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(literal), 0);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("source = " + literal + ": need an IP address", e);
        }
    }

    /**
     * The address a device binds, with port 0.
     *
     * @param index the device's number in the whole run
     * @param hop how often it went to another address
     * @return null to leave it to the kernel
     */
    @Nullable
    InetSocketAddress of(int index, int hop) {
        int many = addresses.size();
        if (many == 0 || (many == 1 && hop % 2 == 1)) {
            return null;
        }
        long local = (long) index - slice.first();
        return addresses.get((int) ((local * many / slice.count() + hop) % many));
    }
}

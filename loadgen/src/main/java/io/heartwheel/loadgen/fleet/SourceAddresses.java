package io.heartwheel.loadgen.fleet;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Source addresses of devices. A pure function: any thread. */
@FunctionalInterface
public interface SourceAddresses {

    /**
     * The address a device binds, with port 0.
     *
     * @param index the device's number in the whole run
     * @param hop how often it went to another address
     * @param target where it connects
     * @return null to leave it to the kernel
     */
    @Nullable
    InetSocketAddress of(int index, int hop, InetSocketAddress target);
}

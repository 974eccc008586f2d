package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.DeviceDefaults;
import io.heartwheel.loadgen.client.Dialect;
import io.heartwheel.loadgen.client.ServerContract;
import io.heartwheel.loadgen.client.Tls;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Server that some of the devices connect to: address, protocol, contract.
 *
 * @param tls how it is secured; null: not at all
 * @param weight share of the devices, against the other targets' weights
 * @param speech how devices speak there
 * @param contract what its server is held to
 * @param assumed whether nobody said what it promises: the scenario states no contract, and its protocol has none
 */
public record Target(
        Protocol protocol,
        @Nullable Tls tls,
        InetSocketAddress address,
        double weight,
        Speech speech,
        ServerContract contract,
        boolean assumed) {

    /** Protocol of devices with a host; makes a dialect for an event loop. */
    public interface Speech {

        /** A dialect that speaks to this host, {@code name:port}. */
        Dialect dialect(String host);

        /** What is wrong for a run with so many devices; empty: nothing. */
        default String mistake(DeviceDefaults deviceDefaults, int clients) {
            return "";
        }
    }

    /** Protocol and address, for example {@code tcp=127.0.0.1:7070} or {@code ws+tls=localhost:7443}. */
    public String label() {
        return protocol.label() + (tls == null ? "" : "+tls") + "=" + Addresses.text(address);
    }

    /** A dialect for it; one serves all devices of an event loop. */
    public Dialect dialect() {
        return speech.dialect(Addresses.text(address)).withContract(contract);
    }
}

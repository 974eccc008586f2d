package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.pace.Spread;
import io.heartwheel.loadgen.scenario.Target;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Who does what: each device's target, when it falls silent and where it comes from. Immutable; any thread. */
final class Roster {

    /** Connections from one source address to one destination; the kernel has 28,000 ports to give. */
    static final int MOST_PER_SOURCE = 20_000;

    private final Plan plan;
    private final byte[] kinds;
    private final BitSet silent;

    Roster(Plan plan) {
        this.plan = plan;
        double[] weights = plan.targets().stream().mapToDouble(Target::weight).toArray();
        this.kinds = Spread.kinds(plan.clients(), weights);
        this.silent = Spread.chosen(plan.clients(), plan.silentShare(), plan.seed());
    }

    /** Index of the device's target. */
    int kind(int index) {
        return kinds[index];
    }

    /** When the device falls silent, counted from the beginning of observation, or {@link Device#NEVER}. */
    long silentAfterNanos(int index) {
        if (!silent.get(index)) {
            return Device.NEVER;
        }
        long from = plan.silenceFromNanos();
        return from + (long) (Spread.fraction(index) * Math.max(0, plan.silenceUntilNanos() - from));
    }

    /** Source address to bind: 127.1.0.1 and up towards loopback, null (the kernel chooses) for block 0 and elsewhere. */
    @Nullable
    InetSocketAddress source(int index, Target target) {
        int block = plan.sourceBlock() + index / MOST_PER_SOURCE;
        if (block == 0 || !target.address().getAddress().isLoopbackAddress()) {
            return null;
        }
        byte[] address = {127, (byte) (1 + (block >>> 8)), (byte) block, 1};
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), 0);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}

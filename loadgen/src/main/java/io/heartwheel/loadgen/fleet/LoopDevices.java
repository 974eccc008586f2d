package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Device;
import org.jspecify.annotations.Nullable;

/** Devices of one event loop: of its slice every {@code loops}-th. Owned by that loop. */
final class LoopDevices {

    /** By their number in the loop; null: not begun. */
    final @Nullable Device[] all;

    private final int first;
    private final int loops;

    /** Devices none of which is begun, those of loop {@code number} of {@code loops}. */
    LoopDevices(Slice slice, int number, int loops) {
        this.all = new @Nullable Device[(slice.count() - number + loops - 1) / loops];
        this.first = slice.first() + number;
        this.loops = loops;
    }

    /** Whether it is the first loop of the run, which counts what concerns all. */
    boolean isFirst() {
        return first == 0;
    }

    /** Number in the run of the one with this number in the loop. */
    int index(int local) {
        return first + local * loops;
    }

    /** The same back. */
    int local(int index) {
        return (index - first) / loops;
    }

    int local(Device device) {
        return local(device.index());
    }

    boolean owns(int index) {
        return index >= first && (index - first) % loops == 0 && local(index) < all.length;
    }
}

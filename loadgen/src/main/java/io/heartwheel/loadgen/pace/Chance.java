package io.heartwheel.loadgen.pace;

/**
 * Random numbers without a generator: a mix of the seed, the device and what is drawn for, so that a device does the same however the work is divided and in whatever order things happen. The mixing function is SplitMix64's.
 */
public final class Chance {

    private static final double UNIT = 0x1.0p-53;

    private Chance() {}

    /** 64 well mixed bits. */
    public static long bits(long seed, long device, long draw) {
        return mix(mix(seed + 0x9E3779B97F4A7C15L * (device + 1)) + 0x9E3779B97F4A7C15L * (draw + 1));
    }

    /** A number from 0 to below 1. */
    public static double unit(long seed, long device, long draw) {
        return (bits(seed, device, draw) >>> 11) * UNIT;
    }

    private static long mix(long from) {
        long z = from;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}

package io.heartwheel.loadgen.report;

import java.util.Arrays;

/**
 * Fewer points that look the same, for several lines over the same places: of each stretch a line keeps its lowest and its
 * highest value, in their order, so no spike is lost; they stand where the stretch begins and ends. Immutable.
 */
final class Downsampling {

    private final int count;
    private final int stretches;

    /** For lines of {@code count} points, of which at most {@code most} shall be left. */
    Downsampling(int count, int most) {
        this.count = count;
        this.stretches = count <= most ? 0 : most / 2;
    }

    private int from(int stretch) {
        return (int) ((long) count * stretch / stretches);
    }

    /** Where the points that are left stand. */
    double[] places(double[] xs) {
        double[] places = Arrays.copyOf(xs, stretches == 0 ? count : 2 * stretches);
        for (int i = 0; i < stretches; i++) {
            places[2 * i] = xs[from(i)];
            places[2 * i + 1] = xs[from(i + 1) - 1];
        }
        return places;
    }

    /** What is left of a line; a value that is no number is a gap. */
    double[] extremes(double[] ys) {
        double[] kept = Arrays.copyOf(ys, stretches == 0 ? count : 2 * stretches);
        for (int i = 0; i < stretches; i++) {
            int low = extreme(ys, from(i), from(i + 1), -1);
            int high = extreme(ys, from(i), from(i + 1), 1);
            kept[2 * i] = ys[Math.min(low, high)];
            kept[2 * i + 1] = ys[Math.max(low, high)];
        }
        return kept;
    }

    /** The first extreme of a stretch; its first point when none is a number. */
    private static int extreme(double[] ys, int from, int to, int sign) {
        int found = from;
        for (int i = from + 1; i < to; i++) {
            if (Double.isNaN(ys[found]) || sign * ys[i] > sign * ys[found]) {
                found = i;
            }
        }
        return found;
    }
}

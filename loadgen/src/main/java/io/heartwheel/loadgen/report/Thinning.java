package io.heartwheel.loadgen.report;

import java.util.Arrays;

/**
 * Fewer points that look the same: of each stretch the lowest and the highest are kept, in their order, so no spike is
 * lost. Pure.
 */
final class Thinning {

    private Thinning() {}

    /** Points of a line; a y that is no number is a gap. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Points(double[] xs, double[] ys) {}

    /** At most {@code most} points, 2 or more, the first and last among them. */
    static Points thin(double[] xs, double[] ys, int most) {
        int count = xs.length;
        if (count <= most) {
            return new Points(xs, ys);
        }
        int stretches = Math.max(1, (most - 2) / 2);
        double[] thinXs = new double[2 * stretches + 2];
        double[] thinYs = new double[2 * stretches + 2];
        int kept = keep(0, xs, ys, thinXs, thinYs, 0);
        for (int i = 0; i < stretches; i++) {
            int from = 1 + (int) ((long) (count - 2) * i / stretches);
            int to = 1 + (int) ((long) (count - 2) * (i + 1) / stretches);
            int low = extreme(ys, from, to, -1);
            int high = extreme(ys, from, to, 1);
            kept = keep(Math.min(low, high), xs, ys, thinXs, thinYs, kept);
            if (low != high) {
                kept = keep(Math.max(low, high), xs, ys, thinXs, thinYs, kept);
            }
        }
        kept = keep(count - 1, xs, ys, thinXs, thinYs, kept);
        return new Points(Arrays.copyOf(thinXs, kept), Arrays.copyOf(thinYs, kept));
    }

    private static int keep(int i, double[] xs, double[] ys, double[] thinXs, double[] thinYs, int kept) {
        thinXs[kept] = xs[i];
        thinYs[kept] = ys[i];
        return kept + 1;
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

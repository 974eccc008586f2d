package io.heartwheel.loadgen.report;

/** A row of blocks as high as their values. Stateless. */
final class Sparkline {

    private static final String BLOCKS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";

    private Sparkline() {}

    /** The last {@code width} values, from 0 to the greatest among them; one that is no number is a gap. */
    static String of(double[] values, int width) {
        int from = Math.max(0, values.length - width);
        double most = 0;
        for (int i = from; i < values.length; i++) {
            most = Double.isFinite(values[i]) ? Math.max(most, values[i]) : most;
        }
        StringBuilder line = new StringBuilder(width);
        for (int i = from; i < values.length; i++) {
            line.append(Double.isFinite(values[i]) ? block(values[i], most) : ' ');
        }
        return line.toString();
    }

    private static char block(double value, double most) {
        int steps = BLOCKS.length() - 1;
        return BLOCKS.charAt(most <= 0 ? 0 : (int) Math.round(Math.max(0, value) / most * steps));
    }
}

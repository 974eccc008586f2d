package io.heartwheel.loadgen.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * From values to a place between 0 and 1, with the values that are named along it.
 *
 * @param logarithmic whether equal ways mean equal ratios; then {@code least} is above 0
 */
record Axis(boolean logarithmic, double least, double most, List<Tick> ticks) {

    private static final double[] STEPS = {1, 2, 5, 10};
    private static final double[] SECONDS = {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600};

    /** A value that is named. */
    record Tick(double value, String text) {}

    /** From 0 to a round number that is at least {@code most}. */
    static Axis linear(double most, int wanted) {
        double top = most > 0 && Double.isFinite(most) ? most : 1;
        double step = step(top / wanted);
        int count = (int) Math.ceil(top / step - 1e-9);
        List<Tick> ticks = new ArrayList<>();
        for (int i = 0; i <= count; i++) {
            ticks.add(new Tick(i * step, plain(i * step)));
        }
        return new Axis(false, 0, count * step, ticks);
    }

    /** Around both values, each power of ten named; at most six of them. */
    static Axis log(double least, double most) {
        double top = most > 0 && Double.isFinite(most) ? most : 1;
        double bottom = Math.max(top / 1e6, Math.min(least > 0 ? least : top, top / 10));
        int low = (int) Math.floor(Math.log10(bottom) + 1e-9);
        int high = (int) Math.ceil(Math.log10(top) - 1e-9);
        List<Tick> ticks = new ArrayList<>();
        for (int power = low; power <= high; power++) {
            double value = Math.pow(10, power);
            ticks.add(new Tick(value, plain(value)));
        }
        return new Axis(true, Math.pow(10, low), Math.pow(10, high), ticks);
    }

    /** With four digits behind the point, less the zeros at the end. */
    private static String plain(double value) {
        return String.format(Locale.ROOT, "%,.4f", value).replaceAll("\\.?0+$", "");
    }

    /** Time from 0 to {@code most} seconds exactly, named at round seconds or minutes. */
    static Axis time(double most) {
        double top = most > 1 && Double.isFinite(most) ? most : 1;
        double step = step(top / 8);
        for (int i = SECONDS.length - 1; i >= 0; i--) {
            step = top / SECONDS[i] <= 8 ? SECONDS[i] : step;
        }
        List<Tick> ticks = new ArrayList<>();
        for (int i = 0; i * step <= top; i++) {
            ticks.add(new Tick(i * step, clock(i * step, step)));
        }
        return new Axis(false, 0, top, ticks);
    }

    private static String clock(double seconds, double step) {
        return step >= 60 && seconds > 0
                ? String.format(Locale.ROOT, "%,.0f min", seconds / 60)
                : String.format(Locale.ROOT, "%.0f s", seconds);
    }

    private static double step(double atLeast) {
        double power = Math.pow(10, Math.floor(Math.log10(atLeast)));
        for (double step : STEPS) {
            if (step * power >= atLeast * (1 - 1e-9)) {
                return step * power;
            }
        }
        return 10 * power;
    }

    /** Where a value lies, 0..1; outside values at the nearer end, what is no number at the beginning. */
    double place(double value) {
        double share = logarithmic
                ? Math.log(Math.max(value, least) / least) / Math.log(most / least)
                : (value - least) / (most - least);
        return Double.isNaN(share) ? 0 : Math.max(0, Math.min(1, share));
    }
}

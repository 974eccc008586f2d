package io.heartwheel.loadgen.pace;

import java.util.List;

/**
 * Paced starts along a curve: how many should have been started by now. The rate changes in a straight line from each
 * point to the next and stays at the last one's until {@code total}.
 *
 * <pre>
 *   rate |        ______
 *        |      /
 *        |    /            dueBy(t) is the area left of t, and 1: the first starts at once
 *        |__/
 *        +--+---+----------- t
 * </pre>
 *
 * @param total things to start, 0..2^31-1
 * @param points at least one, by time, the first at 0; rates 0 or more, the last over 0
 */
public record Ramp(int total, List<Point> points) {

    private static final double SECOND = 1e9;
    /** Some 73 years: what is due later is due never. */
    private static final long LONGEST_NANOS = 1L << 61;

    /**
     * A point of the curve.
     *
     * @param atNanos since the beginning
     * @param perSecond starts a second, from then on
     */
    public record Point(long atNanos, double perSecond) {}

    /** Checks the ranges. */
    public Ramp {
        points = List.copyOf(points);
        boolean good = total >= 0
                && !points.isEmpty()
                && points.get(0).atNanos() == 0
                && points.get(points.size() - 1).perSecond() > 0;
        for (int i = 0; i < points.size(); i++) {
            good &= points.get(i).perSecond() >= 0
                    && (i == 0 || points.get(i).atNanos() > points.get(i - 1).atNanos());
        }
        if (!good) {
            throw new IllegalArgumentException("ramp of " + total + " along " + points
                    + ": need 0.. along times from 0 on, the last rate over 0/s");
        }
    }

    /** Even: the first at once, then {@code perSecond} in each second. */
    public Ramp(int total, double perSecond) {
        this(total, List.of(new Point(0, perSecond)));
    }

    /** How many should have been started once this much time has passed; 0 before time began, {@code total} at the end. */
    public int dueBy(long elapsedNanos) {
        if (elapsedNanos < 0) {
            return 0;
        }
        double due = Math.floor(area(elapsedNanos)) + 1;
        return due >= total ? total : (int) due;
    }

    /** Starts a second at this time. */
    public double rateAt(long elapsedNanos) {
        int piece = points.size() - 1;
        while (piece > 0 && elapsedNanos < points.get(piece).atNanos()) {
            piece--;
        }
        return rate(piece, elapsedNanos);
    }

    /** The rate at this time on the piece that begins at this point. */
    private double rate(int piece, long nanos) {
        Point from = points.get(piece);
        if (piece + 1 == points.size()) {
            return from.perSecond();
        }
        Point to = points.get(piece + 1);
        double share = (double) (nanos - from.atNanos()) / (to.atNanos() - from.atNanos());
        return from.perSecond() + share * (to.perSecond() - from.perSecond());
    }

    private double area(long elapsedNanos) {
        double area = 0;
        for (int i = 0; i < points.size(); i++) {
            Point from = points.get(i);
            long until = i + 1 < points.size()
                    ? Math.min(elapsedNanos, points.get(i + 1).atNanos())
                    : elapsedNanos;
            if (until > from.atNanos()) {
                area += (until - from.atNanos()) * (from.perSecond() + rate(i, until)) / 2 / SECOND;
            }
        }
        return area;
    }

    /** When the start with this index (from 0) is due, nanoseconds after the beginning, to the nanosecond above. */
    public long dueNanos(int index) {
        long least = 0;
        long most = 1;
        while (area(most) < index && most <= LONGEST_NANOS) {
            least = most;
            most *= 2;
        }
        while (least < most) {
            long middle = (least + most) >>> 1;
            if (area(middle) >= index) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        return index == 0 ? 0 : least;
    }

    /** When the last start is due, nanoseconds after the beginning. */
    public long lengthNanos() {
        return total == 0 ? 0 : dueNanos(total - 1);
    }

    /** The same curve for a part of the things: this share of the rate. */
    public Ramp part(int count) {
        double share = total == 0 ? 0 : (double) count / total;
        return new Ramp(
                count,
                points.stream()
                        .map(point -> new Point(point.atNanos(), point.perSecond() * share))
                        .toList());
    }
}

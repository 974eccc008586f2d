package io.heartwheel.loadgen.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One plot as a figure with inline SVG: lines or bars over an axis, rules across it, a legend and a caption. Made once,
 * written once; one thread.
 *
 * <pre>
 *   unit |        :  1            rules stand upright, numbered, or lie across
 *        |   /\___:____  line
 *        |__/     :
 *        +------------- x
 * </pre>
 */
final class Plot {

    static final int MOST_POINTS = 600;

    private static final double WIDTH = 720;
    private static final double HEIGHT = 270;
    private static final double LEFT = 78;
    private static final double RIGHT = WIDTH - 14;
    private static final double TOP = 24;
    private static final double BOTTOM = HEIGHT - 32;

    private final String title;
    private final String note;
    private final Axis xAxis;
    private final Axis yAxis;
    private final List<Line> lines = new ArrayList<>();
    private final List<Bar> bars = new ArrayList<>();
    private final List<Rule> rules = new ArrayList<>();
    private final List<Dot> dots = new ArrayList<>();

    private record Line(String name, int colour, Thinning.Points points, boolean filled) {}

    private record Bar(double from, double to, double height, String text) {}

    private record Rule(double value, boolean upright, String label, String text) {}

    private record Dot(double x, double y, int colour, String text) {}

    /**
     * @param title what is seen, with its unit
     * @param note what to make of it; may be empty
     */
    Plot(String title, String note, Axis xAxis, Axis yAxis) {
        this.title = title;
        this.note = note;
        this.xAxis = xAxis;
        this.yAxis = yAxis;
    }

    /**
     * Adds a line.
     *
     * @param colour 1 to 4
     */
    Plot line(String name, int colour, double[] xs, double[] ys) {
        lines.add(new Line(name, colour, Thinning.thin(xs, ys, MOST_POINTS), false));
        return this;
    }

    /** Adds a line with its area filled. */
    Plot area(String name, int colour, double[] xs, double[] ys) {
        lines.add(new Line(name, colour, Thinning.thin(xs, ys, MOST_POINTS), true));
        return this;
    }

    /** Adds a bar from the ground up. */
    Plot bar(double from, double to, double height, String text) {
        bars.add(new Bar(from, to, height, text));
        return this;
    }

    /**
     * Adds an upright rule.
     *
     * @param label a few characters above it
     */
    Plot upright(double x, String label, String text) {
        rules.add(new Rule(x, true, label, text));
        return this;
    }

    /** Adds a rule across. */
    Plot across(double y, String label) {
        rules.add(new Rule(y, false, label, label));
        return this;
    }

    /** Adds a point that stands out. */
    Plot dot(double x, double y, int colour, String text) {
        dots.add(new Dot(x, y, colour, text));
        return this;
    }

    void write(Markup page) {
        page.open("figure", "class", "plot").open("figcaption").open("span").leaf("strong", title);
        if (!note.isEmpty()) {
            page.text(" ").leaf("span", note, "class", "note");
        }
        page.close();
        legend(page);
        page.close();
        page.open(
                "svg",
                "viewBox",
                "0 0 " + at(WIDTH) + " " + at(HEIGHT),
                "role",
                "img",
                "aria-label",
                title,
                "data-x",
                axis(xAxis, LEFT, RIGHT),
                "data-y",
                axis(yAxis, BOTTOM, TOP));
        grid(page);
        bars.forEach(bar -> bar(page, bar));
        lines.forEach(line -> line(page, line));
        rules.forEach(rule -> rule(page, rule));
        dots.forEach(dot -> dot(page, dot));
        page.close().close().line();
    }

    private void legend(Markup page) {
        if (lines.size() < 2) {
            return;
        }
        page.open("span", "class", "legend");
        for (Line line : lines) {
            page.open("span")
                    .open("i", "class", "c" + line.colour())
                    .close()
                    .text(line.name())
                    .close()
                    .text(" ");
        }
        page.close();
    }

    private void grid(Markup page) {
        for (Axis.Tick tick : yAxis.ticks()) {
            double y = y(tick.value());
            segment(page, "grid", LEFT, y, RIGHT, y);
            page.leaf("text", tick.text(), "class", "tick", "x", at(LEFT - 8), "y", at(y + 5), "text-anchor", "end");
        }
        for (Axis.Tick tick : xAxis.ticks()) {
            double x = x(tick.value());
            segment(page, "grid tickmark", x, BOTTOM, x, BOTTOM + 4);
            page.leaf("text", tick.text(), "class", "tick", "x", at(x), "y", at(BOTTOM + 21), "text-anchor", "middle");
        }
    }

    private void bar(Markup page, Bar bar) {
        double left = x(bar.from()) + 0.5;
        double top = y(bar.height());
        page.open(
                        "rect",
                        "class",
                        "bar",
                        "x",
                        at(left),
                        "y",
                        at(top),
                        "width",
                        at(Math.max(1, x(bar.to()) - 0.5 - left)),
                        "height",
                        at(BOTTOM - top))
                .leaf("title", bar.text())
                .close();
    }

    private void line(Markup page, Line line) {
        String way = way(line.points());
        if (line.filled() && !way.isEmpty()) {
            page.open("path", "class", "area c" + line.colour(), "d", ground(line.points()))
                    .close();
        }
        page.open("path", "class", "line c" + line.colour(), "data-name", line.name(), "d", way)
                .close();
    }

    private String way(Thinning.Points points) {
        StringBuilder way = new StringBuilder();
        boolean down = false;
        for (int i = 0; i < points.xs().length; i++) {
            if (Double.isNaN(points.ys()[i])) {
                down = false;
                continue;
            }
            way.append(down ? "L" : "M")
                    .append(at(x(points.xs()[i])))
                    .append(' ')
                    .append(at(y(points.ys()[i])));
            down = true;
        }
        return way.toString();
    }

    private String ground(Thinning.Points points) {
        StringBuilder way =
                new StringBuilder("M").append(at(x(points.xs()[0]))).append(' ').append(at(BOTTOM));
        for (int i = 0; i < points.xs().length; i++) {
            double value = Double.isNaN(points.ys()[i]) ? yAxis.least() : points.ys()[i];
            way.append('L').append(at(x(points.xs()[i]))).append(' ').append(at(y(value)));
        }
        int last = points.xs().length - 1;
        return way.append('L')
                .append(at(x(points.xs()[last])))
                .append(' ')
                .append(at(BOTTOM))
                .append('Z')
                .toString();
    }

    private void rule(Markup page, Rule rule) {
        page.open("g", "class", rule.upright() ? "mark" : "level").leaf("title", rule.text());
        if (rule.upright()) {
            double x = x(rule.value());
            segment(page, "rule", x, TOP, x, BOTTOM);
            page.leaf("text", rule.label(), "x", at(x), "y", at(TOP - 6), "text-anchor", "middle");
        } else {
            double y = y(rule.value());
            segment(page, "rule", LEFT, y, RIGHT, y);
            page.leaf("text", rule.label(), "x", at(RIGHT - 4), "y", at(y - 4), "text-anchor", "end");
        }
        page.close();
    }

    private void dot(Markup page, Dot dot) {
        page.open("circle", "class", "dot c" + dot.colour(), "cx", at(x(dot.x())), "cy", at(y(dot.y())), "r", "4")
                .leaf("title", dot.text())
                .close();
    }

    private static void segment(Markup page, String kind, double x1, double y1, double x2, double y2) {
        page.open("line", "class", kind, "x1", at(x1), "y1", at(y1), "x2", at(x2), "y2", at(y2))
                .close();
    }

    private double x(double value) {
        return LEFT + xAxis.place(value) * (RIGHT - LEFT);
    }

    private double y(double value) {
        return BOTTOM - yAxis.place(value) * (BOTTOM - TOP);
    }

    /** For the script: from a place on the screen back to a value. */
    private static String axis(Axis axis, double from, double to) {
        return (axis.logarithmic() ? "log" : "linear") + " " + axis.least() + " " + axis.most() + " " + at(from) + " "
                + at(to);
    }

    private static String at(double place) {
        String text = String.format(Locale.ROOT, "%.1f", place);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}

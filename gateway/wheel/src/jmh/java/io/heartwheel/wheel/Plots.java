package io.heartwheel.wheel;

import io.heartwheel.wheel.Measured.Score;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The report's plots: SVG without scripts, fonts or anything else from outside. Each brings its own light card, so that it reads the same on a light
 * and on a dark page.
 */
final class Plots {

    private static final int WIDTH = 860;
    private static final int LEFT = 290;
    private static final int RIGHT = 730;
    private static final int TOP = 64;
    private static final int ROW = 30;
    private static final int LINES_LEFT = 70;
    private static final int LINES_RIGHT = 600;
    private static final int LINES_HEIGHT = 420;

    private static final String OURS = "#c2410c";
    private static final String OTHERS = "#5b7c99";
    private static final String FLOOR = "#a8a29e";
    /** Of the lines; a family of peers is of one hue. */
    private static final Map<String, String> COLOURS = Map.ofEntries(
            Map.entry("floor-slot", FLOOR),
            Map.entry("floor-object", "#78716c"),
            Map.entry("heartwheel", OURS),
            Map.entry("heartwheel-taken", "#ea580c"),
            Map.entry("heartwheel-live", "#9a3412"),
            Map.entry("agrona", "#0f766e"),
            Map.entry("agrona-lazy", "#0d9488"),
            Map.entry("dropin", "#f97316"),
            Map.entry("netty", "#1d4ed8"),
            Map.entry("netty-lazy", "#0284c7"),
            Map.entry("loop", "#7c3aed"),
            Map.entry("loop-lazy", "#a855f7"),
            Map.entry("kafka", "#be185d"),
            Map.entry("timer", "#a16207"),
            Map.entry("pool", "#4d7c0f"));

    /** A peer's bar. */
    private record Bar(String peer, Score score) {}

    /** Logarithmic, over whole decades. */
    private record Scale(double least, double most, double from, double to) {
        static Scale over(double least, double most, double from, double to) {
            double low = Math.floor(Math.log10(least) - 0.15);
            double high = Math.max(Math.ceil(Math.log10(most)), low + 1);
            return new Scale(low, high, from, to);
        }

        double at(double value) {
            return from + (Math.log10(value) - least) / (most - least) * (to - from);
        }
    }

    private final StringBuilder svg = new StringBuilder();

    private Plots() {}

    /** All that the results are enough for, by the name of the file. */
    static Map<String, String> of(Measured measured) {
        Map<String, String> plots = new LinkedHashMap<>();
        int size = Tables.mainSize(measured);
        for (Operation operation : Operation.values()) {
            List<Bar> bars = new ArrayList<>();
            for (String[] peer : Operation.PEERS) {
                Score score = operation.score(measured, peer[0], size);
                if (score.isThere()) {
                    bars.add(new Bar(peer[0], score));
                }
            }
            if (bars.size() > 1 && bars.stream().anyMatch(bar -> bar.score.value() > 0)) {
                bars.sort(Comparator.comparingDouble(bar -> bar.score.value()));
                plots.put("wheel-" + operation.key + ".svg", new Plots().bars(operation, size, bars));
            }
        }
        for (Operation operation : List.of(Operation.ACTIVITY, Operation.REARM, Operation.EXTRA, Operation.SECOND)) {
            Map<String, Map<Integer, Double>> lines = lines(operation, measured);
            if (!lines.isEmpty()) {
                plots.put("wheel-" + operation.key + "-by-size.svg", new Plots().bySize(operation, lines));
            }
        }
        return plots;
    }

    private static Map<String, Map<Integer, Double>> lines(Operation operation, Measured measured) {
        Map<String, Map<Integer, Double>> lines = new LinkedHashMap<>();
        for (String[] peer : Operation.PEERS) {
            Map<Integer, Double> line = new LinkedHashMap<>();
            for (int size : measured.sizes()) {
                double value = operation.value(measured, peer[0], size);
                if (value > 0) {
                    line.put(size, value);
                }
            }
            if (line.size() > 1) {
                lines.put(peer[0], line);
            }
        }
        return lines;
    }

    private String bars(Operation operation, int size, List<Bar> bars) {
        int bottom = TOP + bars.size() * ROW + 8;
        open(
                operation.title,
                operation.unit + ", " + Tables.count(size) + " pending, logarithmic; less is better",
                bottom + 34);
        double most = bars.get(bars.size() - 1).score.value();
        double least = bars.stream()
                .mapToDouble(bar -> bar.score.value())
                .filter(value -> value > 0)
                .min()
                .orElse(most);
        Scale scale = Scale.over(least, most, LEFT, RIGHT);
        for (double decade = scale.least; decade <= scale.most; decade++) {
            double x = scale.at(Math.pow(10, decade));
            line(x, TOP, x, bottom, "#e7e5e4", 1);
            text(x, bottom + 18, "middle", "#57534e", 12, power(decade));
        }
        for (int i = 0; i < bars.size(); i++) {
            bar(bars.get(i), scale, TOP + i * ROW + 4);
        }
        return close();
    }

    private void bar(Bar bar, Scale scale, int y) {
        boolean ours = bar.peer.startsWith("heartwheel");
        String colour = ours ? OURS : bar.peer.startsWith("floor") ? FLOOR : OTHERS;
        double value = bar.score.value();
        // Nothing at all has no place on a logarithmic scale.
        double end = value > 0 ? scale.at(value) : LEFT;
        text(LEFT - 10, y + 15, "end", ours ? OURS : "#292524", 13, Tables.name(bar.peer));
        append(
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" fill=\"%s\"/>",
                LEFT, y, end - LEFT, ROW - 9, colour);
        double tip = end;
        if (value > 0 && bar.score.error() > 0) {
            double high = Math.min(scale.at(value + bar.score.error()), RIGHT);
            double low = bar.score.error() < value ? Math.max(scale.at(value - bar.score.error()), LEFT) : LEFT;
            double middle = y + (ROW - 9) / 2.0;
            line(low, middle, high, middle, "#1c1917", 1.4);
            line(high, middle - 4, high, middle + 4, "#1c1917", 1.4);
            line(low, middle - 4, low, middle + 4, "#1c1917", 1.4);
            tip = Math.max(end, high);
        }
        text(tip + 8, y + 15, "start", "#292524", 13, Tables.number(value));
    }

    private String bySize(Operation operation, Map<String, Map<Integer, Double>> lines) {
        double least = Double.MAX_VALUE;
        double most = 0;
        int fewest = Integer.MAX_VALUE;
        int many = 0;
        for (Map<Integer, Double> line : lines.values()) {
            for (Map.Entry<Integer, Double> point : line.entrySet()) {
                least = Math.min(least, point.getValue());
                most = Math.max(most, point.getValue());
                fewest = Math.min(fewest, point.getKey());
                many = Math.max(many, point.getKey());
            }
        }
        int bottom = TOP + LINES_HEIGHT;
        open(operation.title, operation.unit + " over pending entries, both logarithmic; less is better", bottom + 40);
        Scale y = Scale.over(least, most, bottom, TOP);
        Scale x = new Scale(Math.log10(fewest), Math.log10(many), LINES_LEFT, LINES_RIGHT);
        grid(x, y, bottom);
        List<double[]> labels = new ArrayList<>();
        List<String> names = List.copyOf(lines.keySet());
        for (String name : names) {
            polyline(lines.get(name), x, y, name);
            double last = 0;
            for (double value : lines.get(name).values()) {
                last = value;
            }
            labels.add(new double[] {y.at(last), names.indexOf(name)});
        }
        labels.sort(Comparator.comparingDouble(label -> label[0]));
        double free = TOP;
        for (double[] label : labels) {
            free = Math.max(free, label[0] + 4);
            String name = names.get((int) label[1]);
            text(LINES_RIGHT + 12, free, "start", colour(name), 13, Tables.name(name));
            free += 17;
        }
        return close();
    }

    private void grid(Scale x, Scale y, int bottom) {
        for (double decade = y.least; decade <= y.most; decade++) {
            double at = y.at(Math.pow(10, decade));
            line(LINES_LEFT, at, LINES_RIGHT, at, "#e7e5e4", 1);
            text(LINES_LEFT - 8, at + 4, "end", "#57534e", 12, power(decade));
        }
        for (double decade = Math.ceil(x.least); decade <= x.most; decade++) {
            double at = x.at(Math.pow(10, decade));
            line(at, TOP, at, bottom, "#e7e5e4", 1);
            text(at, bottom + 20, "middle", "#57534e", 12, Tables.count((int) Math.pow(10, decade)));
        }
    }

    private static String colour(String peer) {
        return COLOURS.getOrDefault(peer, OTHERS);
    }

    private void polyline(Map<Integer, Double> line, Scale x, Scale y, String name) {
        String colour = colour(name);
        StringBuilder points = new StringBuilder();
        line.forEach((size, value) -> points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x.at(size), y.at(value))));
        append(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"/>",
                points.toString().strip(), colour, name.equals("heartwheel") ? "3.5" : "2");
        line.forEach((size, value) ->
                append("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>", x.at(size), y.at(value), colour));
    }

    private void open(String title, String subtitle, int height) {
        append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " role=\"img\" font-family=\"system-ui, sans-serif\">",
                WIDTH, height, WIDTH, height);
        append("<title>%s</title>", title);
        append(
                "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#fdfcfb\" stroke=\"#d6d3d1\"/>",
                WIDTH - 1, height - 1);
        append("<text x=\"20\" y=\"28\" font-size=\"17\" font-weight=\"600\" fill=\"#1c1917\">%s</text>", title);
        text(20, 48, "start", "#57534e", 13, subtitle);
    }

    private String close() {
        append("</svg>");
        return svg.toString();
    }

    /** A power of ten in full. */
    private static String power(double decade) {
        return String.format(Locale.ROOT, decade < 0 ? "%.2f" : "%,.0f", Math.pow(10, decade));
    }

    private void line(double x1, double y1, double x2, double y2, String colour, double width) {
        append(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>",
                x1, y1, x2, y2, colour, width);
    }

    private void text(double x, double y, String anchor, String colour, int size, String text) {
        append(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>",
                x, y, anchor, size, colour, text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    private void append(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}

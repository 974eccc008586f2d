package io.heartwheel.loadgen.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One plot as a figure whose data stand beside it as JSON; the page's script draws it with uPlot, as wide as the window
 * is. All lines share their places on the x axis. Made once, written once; one thread.
 *
 * <pre>
 *   unit |        :  1            rules stand upright, labelled above, or lie across
 *        |   /\___:____  line
 *        |__/     :
 *        +------------- x
 * </pre>
 */
final class Plot {

    static final int MOST_POINTS = 600;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final MathContext DIGITS = new MathContext(5);

    private final String title;
    private final String note;
    private final Scale x;
    private final boolean logarithmic;
    private final Downsampling downsampling;
    private final List<Line> lines = new ArrayList<>();
    private final List<List<@Nullable BigDecimal>> values = new ArrayList<>();
    private final List<Rule> rules = new ArrayList<>();

    /** Scale of the x axis. */
    enum Scale {
        /** Since the run began: the pointer is shown in all such plots. */
        SECONDS,
        /** Percentiles: 1 is 90 %, 2 is 99 %, each further nine as far. */
        NINES
    }

    private enum Kind {
        LINE,
        AREA
    }

    private record Line(String name, int colour, Kind kind) {}

    private record Rule(BigDecimal at, boolean upright, String label, String text) {}

    /** Data that the script reads. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    private record Drawn(
            Scale x, boolean log, List<Line> lines, List<List<@Nullable BigDecimal>> values, List<Rule> rules) {}

    /**
     * @param title what is seen, with its unit
     * @param note what to make of it; may be empty
     * @param xs where the lines have their values, ascending
     */
    Plot(String title, String note, Scale x, double[] xs, boolean logarithmic) {
        this.title = title;
        this.note = note;
        this.x = x;
        this.logarithmic = logarithmic;
        this.downsampling = new Downsampling(xs.length, MOST_POINTS);
        values.add(rounded(downsampling.places(xs)));
    }

    /**
     * Adds a line.
     *
     * @param colour 1 to 4
     */
    Plot line(String name, int colour, double[] ys) {
        return add(new Line(name, colour, Kind.LINE), ys);
    }

    /** Adds a line with its area filled. */
    Plot area(String name, int colour, double[] ys) {
        return add(new Line(name, colour, Kind.AREA), ys);
    }

    private Plot add(Line line, double[] ys) {
        lines.add(line);
        values.add(rounded(downsampling.extremes(ys)));
        return this;
    }

    /**
     * Adds an upright rule.
     *
     * @param label a few characters above it
     */
    Plot upright(double at, String label, String text) {
        rules.add(new Rule(round(at), true, label, text));
        return this;
    }

    /** Adds a rule across. */
    Plot across(double y, String label) {
        rules.add(new Rule(round(y), false, label, label));
        return this;
    }

    void write(Markup page) {
        page.open("figure", "class", "plot").open("figcaption").leaf("strong", title);
        if (!note.isEmpty()) {
            page.text(" ").leaf("span", note, "class", "note");
        }
        page.close();
        page.open("div", "class", "chart", "role", "img", "aria-label", title, "data-plot", json())
                .close();
        page.close().line();
    }

    private String json() {
        try {
            return JSON.writeValueAsString(new Drawn(x, logarithmic, lines, values, rules));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(title + ": not to be written", e);
        }
    }

    /** What is no number, or has no place on a logarithmic axis, is a gap. */
    private List<@Nullable BigDecimal> rounded(double[] figures) {
        boolean first = values.isEmpty();
        List<@Nullable BigDecimal> rounded = new ArrayList<>(figures.length);
        Arrays.stream(figures)
                .forEach(figure -> rounded.add(
                        Double.isFinite(figure) && (first || !logarithmic || figure > 0) ? round(figure) : null));
        return rounded;
    }

    private static BigDecimal round(double figure) {
        BigDecimal round = new BigDecimal(figure).round(DIGITS).stripTrailingZeros();
        return round.scale() < 0 ? round.setScale(0) : round;
    }
}

package io.heartwheel.loadgen.measure;

import java.util.function.BiConsumer;

/** Single figures of a Prometheus text exposition: somebody else's counters and gauges. Stateless. */
public final class PrometheusText {

    private PrometheusText() {}

    /**
     * The figures of this name, all label sets added up; 0 when there are none.
     *
     * @param text Prometheus text format, or several one behind the other
     * @param name whole name, {@code _total} included
     * @throws NumberFormatException when a figure is none
     */
    public static double sum(String text, String name) {
        double[] sum = {0};
        each(text, name, (labels, value) -> sum[0] += value);
        return sum[0];
    }

    /** Hands over each figure of this name with its labels, which are empty where it has none. */
    static void each(String text, String name, BiConsumer<String, Double> figure) {
        for (String line : text.split("\n", -1)) {
            if (line.startsWith(name) && line.length() > name.length()) {
                char behind = line.charAt(name.length());
                int from = behind == '{' ? line.lastIndexOf('}') + 1 : name.length();
                if (from > 0 && (behind == '{' || behind == ' ')) {
                    String value = line.substring(from).strip().split(" ", -1)[0];
                    figure.accept(line.substring(name.length(), from), Double.valueOf(value));
                }
            }
        }
    }
}

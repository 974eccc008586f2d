package io.heartwheel.loadgen.measure;

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
        double sum = 0;
        for (String line : text.split("\n", -1)) {
            if (line.startsWith(name) && line.length() > name.length()) {
                char behind = line.charAt(name.length());
                int from = behind == '{' ? line.lastIndexOf('}') + 1 : name.length();
                if (behind == '{' || behind == ' ') {
                    sum += Double.parseDouble(line.substring(from).strip().split(" ", -1)[0]);
                }
            }
        }
        return sum;
    }
}

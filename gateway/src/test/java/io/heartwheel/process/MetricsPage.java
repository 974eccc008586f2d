package io.heartwheel.process;

import java.util.Map;
import java.util.TreeMap;

/** One reading of {@code /metrics}: series by their text, for example {@code heartwheel_closes_total{protocol="plain",reason="normal",}}. */
final class MetricsPage {
    private final Map<String, Double> series = new TreeMap<>();

    private MetricsPage() {}

    static MetricsPage of(String text) {
        MetricsPage page = new MetricsPage();
        for (String line : text.split("\n", -1)) {
            int space = line.lastIndexOf(' ');
            if (!line.startsWith("#") && space > 0) {
                page.series.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
            }
        }
        return page;
    }

    /** All of them. */
    Map<String, Double> series() {
        return series;
    }

    /** The sum of all series of this name whose labels hold all these, each written {@code label="value"}. */
    double sum(String name, String... labels) {
        double sum = 0;
        for (Map.Entry<String, Double> entry : series.entrySet()) {
            String key = entry.getKey();
            boolean named = key.equals(name) || key.startsWith(name + "{");
            if (named && holdsAll(key, labels)) {
                sum += entry.getValue();
            }
        }
        return sum;
    }

    private static boolean holdsAll(String key, String... labels) {
        for (String label : labels) {
            if (!key.contains(label)) {
                return false;
            }
        }
        return true;
    }

    /** Closes for this reason, on every protocol. */
    double closes(String reason) {
        return sum("heartwheel_closes_total", "reason=\"" + reason + "\"");
    }

    /** Connections now, all of them. */
    double connections() {
        return sum("heartwheel_connections");
    }

    @Override
    public String toString() {
        return series.toString();
    }
}

package io.heartwheel.loadgen.measure;

import java.nio.charset.StandardCharsets;

/** A page of metrics of any content: a sum, or a figure that is none. */
public final class PrometheusTextFuzz {
    private PrometheusTextFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        try {
            PrometheusText.sum(text, "up_total");
        } catch (NumberFormatException told) {
            // as its contract says
        }
    }
}

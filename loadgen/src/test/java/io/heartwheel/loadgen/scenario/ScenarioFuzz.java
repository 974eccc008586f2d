package io.heartwheel.loadgen.scenario;

import java.nio.charset.StandardCharsets;

/** A scenario of any content is good or has mistakes that are told; nothing else comes of it. */
public final class ScenarioFuzz {
    private ScenarioFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        if (text.contains("include")
                || text.contains("recording")
                || text.contains("address")
                || text.contains("target")) {
            return; // these name files and hosts, and whoever wrote them means it
        }
        try {
            ScenarioReader.read(text, "fuzz");
        } catch (IllegalArgumentException mistakes) {
            if (mistakes.getMessage() == null || mistakes.getMessage().isBlank()) {
                throw mistakes;
            }
        }
    }
}

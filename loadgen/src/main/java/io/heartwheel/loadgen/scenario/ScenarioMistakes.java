package io.heartwheel.loadgen.scenario;

import java.util.ArrayList;
import java.util.List;

/** Mistakes in a scenario, reported at once. */
final class ScenarioMistakes {

    private final List<String> lines = new ArrayList<>();

    void add(String line) {
        lines.add(line);
    }

    boolean none() {
        return lines.isEmpty();
    }

    /**
     * Ends the reading if anything was wrong.
     *
     * @throws IllegalArgumentException with one line a mistake
     */
    void raise(String source) {
        if (!lines.isEmpty()) {
            throw new IllegalArgumentException(source + ": " + lines.size()
                    + (lines.size() == 1 ? " mistake" : " mistakes") + "\n  " + String.join("\n  ", lines));
        }
    }
}

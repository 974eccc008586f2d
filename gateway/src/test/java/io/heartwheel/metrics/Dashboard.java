package io.heartwheel.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The dashboard for Grafana, read as JSON. */
record Dashboard(JsonNode root) {
    static final Path FILE = Path.of("..", "conf", "grafana-dashboard.json");

    static Dashboard read() throws IOException {
        return new Dashboard(new ObjectMapper().readTree(FILE.toFile()));
    }

    List<JsonNode> panels() {
        List<JsonNode> panels = new ArrayList<>();
        root.get("panels").forEach(panels::add);
        return panels;
    }

    /** Panels that show something. */
    List<JsonNode> graphs() {
        return panels().stream()
                .filter(panel -> !panel.get("type").asText().equals("row"))
                .toList();
    }

    /** Every expression that is asked, of panels and annotations. */
    List<String> expressions() {
        List<String> all = new ArrayList<>();
        for (JsonNode panel : graphs()) {
            panel.get("targets").forEach(target -> all.add(target.get("expr").asText()));
        }
        root.at("/annotations/list").forEach(annotation -> {
            if (annotation.has("expr")) {
                all.add(annotation.get("expr").asText());
            }
        });
        return all;
    }
}

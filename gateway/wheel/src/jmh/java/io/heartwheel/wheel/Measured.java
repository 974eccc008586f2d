package io.heartwheel.wheel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** The results of runs of the comparison, read from JMH's JSON. */
final class Measured {

    /** A value with its error, the half of JMH's 99.9 % interval; NaN where one iteration gave none. */
    record Score(double value, double error) {
        static final Score NONE = new Score(Double.NaN, Double.NaN);

        Score times(double factor) {
            return new Score(value * factor, error * factor);
        }

        boolean isThere() {
            return !Double.isNaN(value);
        }
    }

    /**
     * One benchmark with one set of parameters.
     *
     * @param benchmark as {@code TouchBenchmark.rearm}
     * @param time what JMH measured
     * @param figure what the benchmark measured itself, if it did
     * @param cpu CPU time of the process in nanoseconds
     * @param allocated bytes allocated
     */
    record Row(
            String benchmark,
            String peer,
            int pending,
            int threads,
            String jvm,
            Score time,
            Score figure,
            Score cpu,
            Score allocated) {}

    private final List<Row> rows = new ArrayList<>();

    /** Of all the files; where two hold the same, the last counts. */
    static Measured read(List<Path> files) throws IOException {
        Measured measured = new Measured();
        for (Path file : files) {
            measured.add(Files.readString(file));
        }
        return measured;
    }

    /** The results in one JSON text. */
    static Measured parse(String json) throws IOException {
        Measured measured = new Measured();
        measured.add(json);
        return measured;
    }

    private void add(String json) throws IOException {
        for (JsonNode node : new ObjectMapper().readTree(json)) {
            String name = node.path("benchmark").asText();
            int method = name.lastIndexOf('.');
            JsonNode more = node.path("secondaryMetrics");
            rows.add(
                    0,
                    new Row(
                            name.substring(name.lastIndexOf('.', method - 1) + 1),
                            node.path("params").path("peer").asText(),
                            node.path("params").path("pending").asInt(),
                            node.path("threads").asInt(),
                            node.path("vmName").asText() + " "
                                    + node.path("vmVersion").asText(),
                            score(node.path("primaryMetric")),
                            score(more.path("figure")),
                            score(more.path("cpu")),
                            score(more.path("gc.alloc.rate.norm"))));
        }
    }

    private static Score score(JsonNode metric) {
        return metric.isMissingNode()
                ? Score.NONE
                : new Score(number(metric.path("score")), number(metric.path("scoreError")));
    }

    /** JMH writes a number or, as text, NaN. */
    private static double number(JsonNode node) {
        return node.isMissingNode() ? Double.NaN : Double.parseDouble(node.asText());
    }

    Optional<Row> find(String benchmark, String peer, int pending, int threads) {
        return rows.stream()
                .filter(row -> row.benchmark.equals(benchmark)
                        && row.peer.equals(peer)
                        && row.pending == pending
                        && row.threads == threads)
                .findFirst();
    }

    /** All numbers of pending entries, ascending. */
    List<Integer> sizes() {
        TreeSet<Integer> sizes = new TreeSet<>();
        rows.forEach(row -> sizes.add(row.pending));
        return List.copyOf(sizes);
    }

    /** The JVM of the forks. */
    String jvm() {
        return rows.isEmpty() ? "" : rows.get(0).jvm;
    }
}

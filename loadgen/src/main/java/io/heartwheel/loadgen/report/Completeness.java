package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Latencies;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Check that all is there that a record promises: a file from outside may leave anything out, and the promise that nothing is
 * null holds only for what was looked at. Walks every record, list and map once.
 */
final class Completeness {

    /** Beyond this nobody reads on; it also bounds what a hostile file can make us keep. */
    private static final int MOST = 1_000;

    private final List<String> mistakes = new ArrayList<>();

    private Completeness() {}

    /** What is missing or unreadable, by path; empty when all is well. */
    static List<String> mistakes(Result result) {
        Completeness check = new Completeness();
        check.record("", result);
        if (check.mistakes.isEmpty()) {
            check.histograms(result.histograms());
        }
        return check.mistakes;
    }

    private void record(String path, Record value) {
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            boolean mayMiss = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
            String name = ResultJson.nameOf(component.getName());
            value(path.isEmpty() ? name : path + "." + name, valueOf(component, value), mayMiss);
        }
    }

    private void value(String path, @Nullable Object value, boolean mayMiss) {
        if (value == null) {
            if (!mayMiss && mistakes.size() < MOST) {
                mistakes.add(path + ": missing");
            }
        } else if (value instanceof Record deeper) {
            record(path, deeper);
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                value(path + "[" + i + "]", list.get(i), false);
            }
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> value(path + "." + Format.printable(String.valueOf(key)), each, false));
        }
    }

    private void histograms(Map<String, String> histograms) {
        histograms.forEach((name, encoded) -> {
            try {
                Latencies.coarse().addEncoded(encoded);
            } catch (RuntimeException e) {
                // Whatever a broken encoding makes the library do, it is the file that is wrong.
                mistakes.add("histograms." + Format.printable(name) + ": not readable");
            }
        });
    }

    private static @Nullable Object valueOf(RecordComponent component, Record value) {
        try {
            return component.getAccessor().invoke(value);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(component + ": not readable", e);
        }
    }
}

package io.heartwheel.admin;

import java.util.List;

/**
 * Outcome of a reload of the configuration: the form of {@code POST /v1/reload}. Immutable; any thread.
 *
 * @param text all of it in a sentence
 * @param applied whether it was good; if not, nothing has changed
 * @param taken what has changed, a key each
 * @param waiting what only a restart can change, a key each
 * @param problems what is wrong with it; empty if it was applied
 */
public record ReloadReport(
        String text, boolean applied, List<String> taken, List<String> waiting, List<String> problems) {

    /** A good one. */
    public static ReloadReport applied(List<String> taken, List<String> waiting) {
        String changes = taken.isEmpty() ? "nothing has changed" : many(taken.size(), "change") + " in force";
        String rest = waiting.isEmpty()
                ? ""
                : "; " + many(waiting.size(), "change") + (waiting.size() == 1 ? " waits" : " wait") + " for a restart";
        return new ReloadReport(changes + rest, true, List.copyOf(taken), List.copyOf(waiting), List.of());
    }

    /** A bad one. */
    public static ReloadReport refused(List<String> problems) {
        return new ReloadReport(
                "refused, nothing has changed: " + many(problems.size(), "mistake"),
                false,
                List.of(),
                List.of(),
                List.copyOf(problems));
    }

    private static String many(int count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }
}

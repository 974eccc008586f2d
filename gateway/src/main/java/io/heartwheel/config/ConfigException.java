package io.heartwheel.config;

import java.util.List;

/** The configuration cannot be used. Carries everything that is wrong with it, not just the first thing; no secret among it. Immutable. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /** @param problems one line each, at least one */
    public ConfigException(List<String> problems) {
        super(String.join(System.lineSeparator(), problems));
        this.problems = List.copyOf(problems);
    }

    /** What is wrong, one line each: key, value, what is needed, file and line. */
    public List<String> problems() {
        return problems;
    }
}

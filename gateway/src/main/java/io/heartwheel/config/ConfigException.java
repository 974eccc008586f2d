package io.heartwheel.config;

import java.util.List;

/** Refusal of a configuration, with everything that is wrong with it. Shows no secret. Immutable. */
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

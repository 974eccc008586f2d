package io.heartwheel.auth;

import java.io.IOException;
import java.util.List;

/** A file that a method of authentication cannot use, with all that is wrong with it. */
public final class BrokenFile extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /** @param problems one or more, each naming file and place; never what the file keeps secret */
    public BrokenFile(List<String> problems) {
        super(String.join("; ", problems));
        this.problems = List.copyOf(problems);
    }

    /** One or more. */
    public List<String> problems() {
        return problems;
    }
}
